// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A submit costs money: what is sent, when it is sent again, and what is said when nobody knows.
#include "tests/task/task_fixture.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Submit : public TaskClientTest {};

// L1: by the URLs of the request, and of answers, in each kind of answer to a submit.
TEST_F(Submit, MasksTheQueriesOfTheRequestsUrls) {
  const std::string echo = R"("error":"OWN-SECRET1 is wrong")";
  for (const auto &[status, body] : {std::pair(400u, "{" + echo + "}"), std::pair(200u, "{" + echo + "}")}) {
    TaskClient tasks = client(0);
    tasks.expect({.own_urls = {"https://a/own.png?sig=OWN-SECRET1"}});
    http_.expect(answer(status, body));
    const auto task = tasks.submit(request_, nullptr);
    ASSERT_FALSE(task);
    EXPECT_EQ(task.error().error.service_message, "*** is wrong");
    EXPECT_THAT(task.error().error.text, Not(HasSubstr("OWN-SECRET1")));
  }
  TaskClient tasks = client(0);
  tasks.expect({.own_urls = {"https://a/own.png?sig=OWN-SECRET1"}});
  http_.expect(answer(200, R"({"id":"t-1","status":"failed","amount":"OWN-SECRET1",)" + echo + "}"));
  const auto failed = tasks.submit(request_, nullptr);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->error_message, "*** is wrong");
  EXPECT_EQ(failed->odd_amount, "\"***\"");
  http_.expect(answer(200, R"({"id":"t-1","status":"completed","video_url":"/v.mp4?sig=RESULT-SECRET2"})"));
  ASSERT_TRUE(tasks.submit(request_, nullptr));
  http_.expect(answer(200, R"({"id":"t-1","status":"RESULT-SECRET2","cover":"https://a/c?sig=COVER-SECRET3",)"
                           R"("error":"COVER-SECRET3"})"));
  const auto task = tasks.query("t-1", std::nullopt, nullptr);
  ASSERT_TRUE(task);
  EXPECT_EQ(task->status_word, "***");
  EXPECT_EQ(task->error_message, "***");
}

TEST_F(Submit, PostsTheRequestOnceToTheModelCenter) {
  http_.expect(answer(200, kTask));
  const auto task = submit();
  ASSERT_TRUE(task) << task.error().error.text;
  EXPECT_EQ(task->id, "t-1");
  EXPECT_EQ(task->status, TaskStatus::queued);

  const auto requests = http_.requests();
  ASSERT_EQ(requests.size(), 1u);
  const HttpRequest &sent = requests[0].request;
  EXPECT_EQ(sent.method, HttpRequest::Method::post);
  EXPECT_EQ(sent.url, "https://api.example/prefix/v2/model-center/tasks");
  EXPECT_EQ(sent.bearer_key, kKey);
  EXPECT_EQ(sent.content_type, "application/json");
  EXPECT_EQ(sent.body, R"({"model":"dance-2.5","prompt":"a storm","duration":5})");
  EXPECT_EQ(sent.user_agent, "agent/1");
  EXPECT_EQ(sent.timeout, seconds(30));
  EXPECT_FALSE(sent.follow_redirects);
}

TEST_F(Submit, SpeaksTheLegacyApiWithSecondsForDuration) {
  http_.expect(answer(201, R"({"id":7})"));
  const auto request = checked("sky2Stable", Api::automatic, R"({"prompt":"x","duration":10})");
  ASSERT_EQ(request.api(), Api::legacy);
  const auto task = client(3, Api::legacy).submit(request, nullptr);
  ASSERT_TRUE(task);
  EXPECT_EQ(task->id, "7");
  EXPECT_EQ(http_.requests()[0].request.url, "https://api.example/prefix/v1/sky/videos");
  EXPECT_EQ(http_.requests()[0].request.body, R"({"model":"sky2Stable","prompt":"x","seconds":10})");
}

TEST_F(Submit, TakesAnySuccessWithAnId) {
  for (const unsigned status : {200u, 201u, 202u, 207u, 299u}) {
    http_.expect(answer(status, kTask));
    EXPECT_TRUE(submit()) << status;
  }
}

// ---- Outcome unknown: one request, never another one.

struct Doubt {
  std::string what;
  FakeAnswer answer;
  ErrorKind kind;
  unsigned http_status;
  std::string says;
};

TEST_F(Submit, IsNeverRepeatedWhenItsOutcomeIsUnknown) {
  FakeAnswer too_slow = lost("No answer came in 30 s.");
  too_slow.error->error.kind = ErrorKind::timed_out;
  FakeAnswer too_large = lost("The answer is too large.");
  too_large.error->transient = false;
  const std::vector<Doubt> rows = {
      {"connection lost", lost(), ErrorKind::read, 0, "The connection broke."},
      {"no answer in time", too_slow, ErrorKind::timed_out, 0, "No answer came"},
      {"an endless answer", too_large, ErrorKind::read, 0, "too large"},
      {"500", answer(500, "oops"), ErrorKind::open_read, 500, "oops"},
      {"501", answer(501, ""), ErrorKind::open_read, 501, "failed"},
      {"502", answer(502, "<html><title>502 Bad Gateway</title></html>"), ErrorKind::open_read, 502,
       "502 Bad Gateway"},
      {"504", answer(504, R"({"error":{"message":"upstream timeout"}})"), ErrorKind::open_read, 504,
       "upstream timeout"},
      {"500 with Retry-After", answer(500, "", {{"Retry-After", "1"}}), ErrorKind::open_read, 500, "failed"},
      {"524", answer(524, ""), ErrorKind::open_read, 524, "failed"},
      {"599", answer(599, ""), ErrorKind::open_read, 599, "failed"},
      {"999", answer(999, ""), ErrorKind::open_read, 999, "an unexpected answer"},
      {"300", answer(300, ""), ErrorKind::open_read, 300, "Check base-url"},
      {"301", answer(301, ""), ErrorKind::open_read, 301, "Check base-url"},
      {"304", answer(304, ""), ErrorKind::open_read, 304, "Check base-url"},
      {"307", answer(307, "", {{"Location", "https://other.example/v2/model-center/tasks"}}),
       ErrorKind::open_read, 307, "Check base-url"},
      {"308", answer(308, ""), ErrorKind::open_read, 308, "Check base-url"},
      {"302", answer(302, "", {{"Location", "https://api.example/sorry"}}), ErrorKind::open_read, 302,
       "redirect"},
      {"303", answer(303, "", {{"Location", "/v2/model-center/tasks/9"}}), ErrorKind::open_read, 303,
       "redirect"},
      {"200 without a body", answer(200, ""), ErrorKind::read, 200, "without a task ID"},
      {"204", answer(204, ""), ErrorKind::read, 204, "without a task ID"},
      {"200 with {}", answer(200, "{}"), ErrorKind::read, 200, "without a task ID"},
      {"200 with an empty ID", answer(200, R"({"id":"","status":"queued"})"), ErrorKind::read, 200,
       "without a task ID"},
      {"200 with an ID that moves the cursor", answer(200, R"({"id":"t\u001b[2J"})"), ErrorKind::read, 200,
       "without a task ID"},
      {"200 with an ID of C1", answer(200, R"({"id":"t\u009b2J"})"), ErrorKind::read, 200,
       "without a task ID"},
      {"200 with an ID that changes direction", answer(200, R"({"id":"t\u202e"})"), ErrorKind::read, 200,
       "without a task ID"},
      {"200 with a null ID", answer(200, R"({"id":null})"), ErrorKind::read, 200, "without a task ID"},
      {"200 with an error", answer(200, R"({"code":500,"msg":"busy","data":null})"), ErrorKind::read, 200,
       "without a task ID"},
      {"200 cut", answer(200, R"({"id":"t-)"), ErrorKind::read, 200, "without a task ID"},
      {"200 with a page", answer(200, "<html><title>Welcome</title></html>"), ErrorKind::read, 200,
       "without a task ID"},
      {"200 with NULs", answer(200, std::string(8, '\0')), ErrorKind::read, 200, "without a task ID"},
  };
  for (const Doubt &row : rows) {
    SCOPED_TRACE(row.what);
    const size_t before = http_.requests().size();
    http_.expect(row.answer);
    const auto task = submit(5);
    EXPECT_EQ(http_.requests().size(), before + 1) << "submitted again";
    ASSERT_FALSE(task);
    EXPECT_TRUE(task.error().outcome_unknown);
    EXPECT_EQ(task.error().outcome(), SubmitOutcome::unknown);
    const Error &error = task.error().error;
    EXPECT_EQ(error.kind, row.kind);
    EXPECT_EQ(error.http_status, row.http_status);
    EXPECT_THAT(error.text, HasSubstr(row.says));
    EXPECT_THAT(error.text, HasSubstr("It is unknown whether the task was created and charged"));
    EXPECT_THAT(error.text, HasSubstr("set task-id to its ID"));
    expect_fit_for_people(error);
  }
  EXPECT_THAT(clock_.pauses(), ElementsAre()) << "nothing to wait for";
}

TEST_F(Submit, TakesTheIdFromTheAddressOfTheTaskWhereTheBodyHasNone) {
  const std::string tasks = "/prefix/v2/model-center/tasks/";
  for (const unsigned status : {200u, 201u, 202u, 301u, 302u, 303u, 307u, 308u})
    for (const char *name : {"Location", "Operation-Location", "Content-Location"})
      for (const std::string &address :
           {tasks + "a%2Fb", "https://API.example" + tasks + "a%2Fb/?version=1",
            "http://api.example" + tasks + "a%2Fb", std::string("tasks/a%2Fb")}) {
        SCOPED_TRACE(std::to_string(status) + " " + name + ": " + address);
        http_.expect(answer(status, status == 200 ? R"({"amount":3})" : "", {{name, address}}));
        const auto task = submit();
        ASSERT_TRUE(task) << task.error().error.text;
        EXPECT_EQ(task->id, "a/b");
        EXPECT_EQ(task->amount, status == 200 ? 3 : -1);
      }
  http_.expect(answer(201, R"({"id":"own"})", {{"Location", tasks + "other"}}));
  EXPECT_EQ(submit()->id, "own");

  for (const std::string &address :
       {tasks, tasks + "1/result", std::string("/v2/model-center/tasks/1"),
        "https://else.example" + tasks + "1", "https://api.example:8443" + tasks + "1",
        std::string("/prefix/v1/sky/videos/1"), tasks + "t%1b[2J",
        tasks + "sk-Very%2BSecret%2FKey=", std::string("ftp://api.example/"), std::string()}) {
    SCOPED_TRACE(address);
    http_.expect(answer(202, "", {{"Location", address}}));
    const auto task = submit();
    ASSERT_FALSE(task);
    EXPECT_TRUE(task.error().outcome_unknown);
  }
  http_.expect(answer(422, "", {{"Location", tasks + "1"}}));
  EXPECT_FALSE(submit()) << "a refusal";
}

TEST_F(Submit, KeepsAnIdWhoseAnswerBreaksOffBehindIt) {
  http_.expect(cut_after(answer(200, std::string(kTask) + "\n\n"), std::string(kTask).size() + 1));
  const auto task = submit();
  ASSERT_TRUE(task) << task.error().error.text;
  EXPECT_EQ(task->id, "t-1");

  // The paid task would be lost where the cut is within the answer.
  for (const char *cut : {R"({"id":"t-1","status":"queued")", R"({"id":"t-1","object":"video",)",
                          R"({"id":"t-1")", R"({"data":{"note":"a\"}, b","task_id":"t-1","sta)",
                          R"({"code":200,"data":[{"id":"t-1"})", R"({"task_id":"t-1","progress":1)"}) {
    SCOPED_TRACE(cut);
    http_.expect(cut_after(answer(200, std::string(cut) + "..."), std::string(cut).size()));
    const auto begun = submit();
    ASSERT_TRUE(begun) << begun.error().error.text;
    EXPECT_EQ(begun->id, "t-1");
    http_.expect(answer(200, cut));  // Nothing told its length.
    const auto unended = submit();
    ASSERT_TRUE(unended) << unended.error().error.text;
    EXPECT_EQ(unended->id, "t-1");
  }
  for (const char *cut :
       {R"({"id":"t-)", R"({"id":"t-1\)", R"({"id":77)", R"({"error":{"id":"t-1"},)", R"({"t-1")",
        R"({"request_id":"t-1","status":"queued",)", R"(,)", R"(]{"id":"t-1",)", ""}) {
    SCOPED_TRACE(cut);
    http_.expect(cut_after(answer(200, std::string(cut) + "..."), std::string(cut).size()));
    const auto half = submit();
    ASSERT_FALSE(half) << "of half an ID nobody knows the rest";
    EXPECT_TRUE(half.error().outcome_unknown);
  }
}

TEST_F(Submit, TellsWhatTheServiceSaidInAnAnswerWithoutAnId) {
  http_.expect(answer(200, R"({"code":17,"msg":"model is being trained"})"));
  const auto task = submit();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().error.service_message, "model is being trained");
  EXPECT_THAT(task.error().error.text, HasSubstr("It says: model is being trained"));
}

TEST_F(Submit, TellsOfAFinishedClipInAnAnswerWithoutAnId) {
  http_.expect(answer(
      200, R"({"status":"completed","video_url":"https://a/hdnts=TOKEN/v.mp4?sig=SECRET","amount":3})"));
  const auto task = submit();
  ASSERT_FALSE(task);
  EXPECT_TRUE(task.error().outcome_unknown);
  const Error &error = task.error().error;
  EXPECT_THAT(error.text,
              HasSubstr("Its answer has the fields status, video_url, amount. It names a finished "
                        "clip in video_url, which genclip cannot fetch"));
  EXPECT_THAT(error.debug, HasSubstr("the clip is at https://a/hdnts=***/v.mp4?***"));
  EXPECT_THAT(error.text + error.debug, Not(testing::ContainsRegex("TOKEN|SECRET")));
  EXPECT_EQ(task.error().told.amount, 3);
  expect_fit_for_people(error);
}

TEST_F(Submit, KeepsTheAmountOfAnAnswerWithoutAnId) {
  const std::string endless(5000, 'x');
  for (const FakeAnswer &odd :
       {answer(200, R"({"status":"queued","amount":9})"), answer(200, R"({"id":"a\nb","amount":9})"),
        answer(200, R"({"id":0,"amount":9})"), answer(200, R"({"id":")" + endless + R"(","amount":9})"),
        answer(500, R"({"error":"busy","amount":9})")}) {
    http_.expect(odd);
    const auto task = submit();
    ASSERT_FALSE(task);
    EXPECT_TRUE(task.error().outcome_unknown);
    EXPECT_EQ(task.error().told.amount, 9);
  }
}

TEST_F(Submit, LosesItsCertaintyWithTheFirstTryThatMayHaveArrived) {
  http_.expect(not_sent());
  http_.expect(answer(503, ""));
  http_.expect(lost());
  const auto task = submit(9);
  ASSERT_FALSE(task);
  EXPECT_TRUE(task.error().outcome_unknown);
  EXPECT_THAT(times(), ElementsAre(milliseconds(0), milliseconds(500), milliseconds(1500)));
}

// ---- Surely not taken: sent again.

TEST_F(Submit, IsRepeatedWhenItSurelyWasNotSent) {
  http_.expect(not_sent(), 3);
  http_.expect(answer(200, kTask));
  EXPECT_TRUE(submit());
  EXPECT_THAT(clock_.pauses(), ElementsAre(milliseconds(500), milliseconds(1000), milliseconds(2000)));
}

TEST_F(Submit, GivesUpAfterItsRetriesAndSaysHowOftenItTried) {
  http_.expect(not_sent("api.example refuses the connection."), 4);
  const auto task = submit(3);
  ASSERT_FALSE(task);
  EXPECT_FALSE(task.error().outcome_unknown);
  EXPECT_EQ(task.error().error.kind, ErrorKind::open_read);
  EXPECT_EQ(
      task.error().error.text,
      "api.example refuses the connection. The clip was not submitted. The address of the service comes "
      "from base-url or $GENCLIP_BASE_URL.");
  EXPECT_THAT(task.error().error.debug, HasSubstr("4 tries"));
}

TEST_F(Submit, IsSentOnceWithoutRetries) {
  http_.expect(not_sent());
  EXPECT_FALSE(submit(0));
  EXPECT_THAT(clock_.pauses(), ElementsAre());
}

TEST_F(Submit, IsNotRepeatedWhenAnotherTryCannotDoBetter) {
  FakeAnswer refused = not_sent("The certificate of api.example has expired.");
  refused.error->transient = false;
  http_.expect(refused);
  const auto task = submit();
  ASSERT_FALSE(task);
  EXPECT_FALSE(task.error().outcome_unknown);
  EXPECT_THAT(task.error().error.text, HasSubstr("expired. The clip was not submitted."));
}

TEST_F(Submit, IsRepeatedAfter429And503AsTheServiceWishes) {
  http_.expect(answer(429, "", {{"Retry-After", "7"}}));
  http_.expect(answer(503, "", {{"retry-after", "Thu, 01 Jan 2026 00:01:00 GMT"}}));
  http_.expect(answer(429, ""));
  http_.expect(answer(200, kTask));
  EXPECT_TRUE(submit());
  // Half of a quarter of the backoff comes on top of what was asked for; the date is a minute from the
  // beginning.
  const auto pauses = clock_.pauses();
  ASSERT_EQ(pauses.size(), 3u);
  EXPECT_EQ(pauses[0], milliseconds(7000 + 63));
  EXPECT_GE(pauses[0] + pauses[1], seconds(60));
  EXPECT_LE(pauses[0] + pauses[1], seconds(61));
  EXPECT_EQ(pauses[2], milliseconds(2000));
}

TEST_F(Submit, ComparesTheDateOfARetryAfterWithTheDateOfTheAnswer) {
  // The service's clock is 25 years behind this one.
  http_.expect(
      answer(429, "",
             {{"Date", "Sat, 01 Jan 2000 00:00:00 GMT"}, {"Retry-After", "Sat, 01 Jan 2000 00:00:40 GMT"}}));
  http_.expect(answer(429, "", {{"Date", "yesterday"}, {"Retry-After", "Thu, 01 Jan 2026 00:01:30 GMT"}}));
  http_.expect(answer(200, kTask));
  ASSERT_TRUE(submit());
  const auto pauses = clock_.pauses();
  ASSERT_EQ(pauses.size(), 2u);
  EXPECT_GE(pauses[0], seconds(40));
  EXPECT_LE(pauses[0], seconds(41));
  EXPECT_GE(pauses[0] + pauses[1], seconds(90)) << "a Date that is none counts for nothing";
  EXPECT_LE(pauses[0] + pauses[1], seconds(91));
}

TEST_F(Submit, IgnoresARetryAfterThatMakesNoSense) {
  http_.expect(answer(429, "", {{"Retry-After", "soon"}}));
  http_.expect(answer(429, "", {{"Retry-After", "-5"}}));
  http_.expect(answer(200, kTask));
  EXPECT_TRUE(submit());
  EXPECT_THAT(clock_.pauses(), ElementsAre(milliseconds(500), milliseconds(1000)));
}

TEST_F(Submit, DoesNotWaitForARetryAfterOfHours) {
  http_.expect(answer(429, R"({"message":"Too many"})", {{"Retry-After", "86400"}}));
  const auto task = submit();
  ASSERT_FALSE(task);
  EXPECT_FALSE(task.error().outcome_unknown);
  EXPECT_EQ(task.error().error.kind, ErrorKind::busy);
  EXPECT_THAT(task.error().error.text, HasSubstr("It asks to wait for 10 minutes or more."));
  EXPECT_THAT(clock_.pauses(), ElementsAre());
}

TEST_F(Submit, DoesNotWaitForAQuotaThatIsUsedUp) {
  for (const char *body : {
           R"({"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}})",
           R"({"message":"Daily limit reached"})",
           R"({"error":{"details":[{"quotaId":"GenerateRequestsPerDayPerProject"}],"message":"Quota"}})",
           R"({"msg":"Insufficient balance, please top up"})",
           "You have reached your limit of 50 videos per day.",
       }) {
    SCOPED_TRACE(body);
    http_.expect(answer(429, body));
    const auto task = submit();
    ASSERT_FALSE(task);
    EXPECT_FALSE(task.error().outcome_unknown);
    EXPECT_EQ(task.error().error.kind, ErrorKind::busy);
    EXPECT_THAT(task.error().error.text, HasSubstr("used up. Top it up, or run again when it is renewed."));
  }
  EXPECT_THAT(clock_.pauses(), ElementsAre());

  http_.expect(answer(429, R"({"message":"Rate limit: 10 requests per minute"})"));
  http_.expect(answer(200, kTask));
  EXPECT_TRUE(submit()) << "the quota of a minute is worth a wait";
}

// ---- Refused for good.

struct Refusal {
  unsigned status;
  ErrorKind kind;
  std::string advice;
};

TEST_F(Submit, IsFinalWhenRefusedAndSaysWhatToDo) {
  const Refusal rows[] = {
      {400, ErrorKind::settings, "Correct it"},
      {401, ErrorKind::not_authorized, "Check api-key"},
      {402, ErrorKind::not_authorized, "no credits left. Top it up"},
      {403, ErrorKind::not_authorized, "Check what the key is allowed to do"},
      {404, ErrorKind::not_found, "Check base-url, including its path prefix"},
      {405, ErrorKind::settings, "refused the request"},
      {407, ErrorKind::not_authorized, "proxy"},
      {408, ErrorKind::settings, "refused the request"},
      {409, ErrorKind::settings, "refused the request"},
      {413, ErrorKind::settings, "refused the request"},
      {422, ErrorKind::settings, "Correct it"},
      {451, ErrorKind::settings, "refused the request"},
  };
  const std::string body =
      R"({"error":{"message":"No: sk-Very+Secret/Key= at https://a/b?Signature=1\u0007\nhere"}})";
  for (const Refusal &row : rows) {
    SCOPED_TRACE(row.status);
    http_.expect(answer(row.status, body));
    const auto task = submit(5);
    ASSERT_FALSE(task);
    EXPECT_FALSE(task.error().outcome_unknown);
    EXPECT_EQ(task.error().outcome(),
              row.kind == ErrorKind::not_authorized ? SubmitOutcome::key_refused : SubmitOutcome::refused);
    const Error &error = task.error().error;
    EXPECT_EQ(error.kind, row.kind);
    EXPECT_EQ(error.http_status, row.status);
    EXPECT_EQ(error.service_message, "No: *** at https://a/b?*** here");
    EXPECT_THAT(error.text, HasSubstr(row.advice));
    EXPECT_THAT(error.text, HasSubstr("It says: No: *** at https://a/b?*** here"));
    EXPECT_THAT(error.debug, HasSubstr("HTTP " + std::to_string(row.status)));
    expect_fit_for_people(error);
  }
  EXPECT_THAT(clock_.pauses(), ElementsAre());
}

TEST_F(Submit, SaysBusyWhenAllRetriesMetA429Or503) {
  for (const unsigned status : {429u, 503u}) {
    http_.expect(answer(status, R"({"error":"slow down"})"), 3);
    const auto task = submit(2);
    ASSERT_FALSE(task);
    EXPECT_FALSE(task.error().outcome_unknown);
    EXPECT_EQ(task.error().error.kind, ErrorKind::busy);
    EXPECT_EQ(task.error().error.http_status, status);
    EXPECT_THAT(task.error().error.text, HasSubstr("Run again later. It says: slow down"));
  }
}

// ---- Deadline and cancellation.

TEST_F(Submit, EndsItsRetriesWithTheDeadline) {
  // 0.5, 1, 2 and 4 s of backoff; the last one is cut to what is left, for a last try.
  http_.expect(not_sent(), 5);
  const auto task = submit(100, begin_ + seconds(5));
  ASSERT_FALSE(task);
  EXPECT_THAT(times(), ElementsAre(milliseconds(0), milliseconds(500), milliseconds(1500), milliseconds(3500),
                                   milliseconds(5000)));
}

TEST_F(Submit, WaitsLongerForItsAnswerThanForAnyOther) {
  http_.expect(answer(200, kTask), 4);
  ASSERT_TRUE(submit());
  ASSERT_TRUE(submit(3, begin_ + seconds(1800)));
  ASSERT_TRUE(submit(3, begin_ + seconds(50)));
  ASSERT_TRUE(submit(3, begin_ + seconds(1)));
  std::vector<milliseconds> timeouts;
  for (const auto &request : http_.requests()) timeouts.push_back(request.request.answer_timeout);
  EXPECT_THAT(timeouts, ElementsAre(seconds(120), seconds(120), seconds(50), seconds(30)));
}

TEST_F(Submit, DoesNotWaitForARetryAfterBeyondTheDeadline) {
  http_.expect(answer(429, "", {{"Retry-After", "60"}}));
  const auto task = submit(100, begin_ + seconds(30));
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().error.kind, ErrorKind::busy);
  EXPECT_THAT(clock_.pauses(), ElementsAre());
}

TEST_F(Submit, IsNotSentWhenCancelledBefore) {
  g_cancellable_cancel(cancellable_.get());
  const auto task = submit();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().outcome(), SubmitOutcome::cancelled);
  EXPECT_FALSE(task.error().outcome_unknown);
  EXPECT_EQ(http_.requests().size(), 0u);
}

TEST_F(Submit, BringsItsAnswerHomeWhenCancelledOnItsWay) {
  http_.before_answer([this](const HttpRequest &) { g_cancellable_cancel(cancellable_.get()); });
  http_.expect(answer(200, kTask));
  const auto task = submit();
  ASSERT_TRUE(task) << "the answer is worth money";
  EXPECT_EQ(task->id, "t-1");
}

TEST_F(Submit, StopsBetweenItsTriesWhenCancelled) {
  http_.before_answer([this](const HttpRequest &) { g_cancellable_cancel(cancellable_.get()); });
  http_.expect(not_sent());
  const auto task = submit();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().error.kind, ErrorKind::cancelled);
  EXPECT_FALSE(task.error().outcome_unknown);
  EXPECT_EQ(http_.requests().size(), 1u);
}

}  // namespace
}  // namespace genclip::test
