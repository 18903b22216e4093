// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A query costs nothing: it is repeated until it has an answer or there is no hope.
#include <thread>

#include "tests/task/task_fixture.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Query : public TaskClientTest {};

TEST_F(Query, AsksForTheTaskWithTheKey) {
  http_.expect(answer(200, R"({"id":"t-1","status":"processing","progress":12})"));
  const auto task = query();
  ASSERT_TRUE(task);
  EXPECT_EQ(task->status, TaskStatus::processing);
  EXPECT_EQ(task->progress, 12);
  const auto requests = http_.requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].request.method, HttpRequest::Method::get);
  EXPECT_EQ(requests[0].request.url, "https://api.example/prefix/v2/model-center/tasks/t-1");
  EXPECT_EQ(requests[0].request.bearer_key, kKey);
  EXPECT_EQ(requests[0].request.timeout, seconds(30));
  EXPECT_EQ(requests[0].request.answer_timeout, seconds(0)) << "the answer to a query can be asked for again";
  EXPECT_FALSE(requests[0].request.follow_redirects);
  EXPECT_TRUE(requests[0].is_cancellable);
}

TEST_F(Query, EscapesTheIdIntoOnePathSegment) {
  const std::pair<const char *, const char *> rows[] = {
      {"a/b", "a%2Fb"},         {"../../x", "..%2F..%2Fx"},    {"a?b=c#d", "a%3Fb%3Dc%23d"},
      {"a b%20", "a%20b%2520"}, {"\xE4\xBB\xBB", "%E4%BB%BB"}, {"A-Z_0.9~", "A-Z_0.9~"},
      {"a:b@c", "a%3Ab%40c"},
  };
  for (const auto &[id, segment] : rows) {
    http_.expect(answer(200, "{}"));
    EXPECT_TRUE(client().query(id, std::nullopt, nullptr));
    EXPECT_EQ(http_.requests().back().request.url,
              std::string("https://api.example/prefix/v2/model-center/tasks/") + segment);
  }
  http_.expect(answer(200, "{}"));
  EXPECT_TRUE(client(3, Api::legacy).query("v/1", std::nullopt, nullptr));
  EXPECT_EQ(http_.requests().back().request.url, "https://api.example/prefix/v1/sky/videos/v%2F1");
}

TEST_F(Query, ReportsATaskThatFailedAsAnAnswerNotAsAnError) {
  http_.expect(answer(200, R"({"id":"t-1","status":"failed","error":"sk-Very+Secret/Key= is refused"})"));
  const auto task = query();
  ASSERT_TRUE(task);
  EXPECT_EQ(task->status, TaskStatus::failed);
  EXPECT_EQ(task->error_message, "*** is refused");
}

TEST_F(Query, TellsTheCostThatAnErrorNames) {
  const std::pair<unsigned, const char *> rows[] = {{404, R"({"error":"gone","amount":9})"},
                                                    {410, R"({"id":"t-1","error":"gone","amount":9})"},
                                                    {500, R"({"id":"t-1","error":"oops","amount":9})"}};
  for (const auto &[status, body] : rows) {
    std::vector<double> told;
    TaskClient tasks = client();
    tasks.on_cost([&](const Task &task) { told.push_back(task.amount); });
    http_.expect(answer(status, body));
    http_.expect(answer(status, R"({"id":"t-2","error":"of another task","amount":7})"));
    http_.expect(answer(status, R"({"error":"nothing"})"));
    http_.expect(answer(200, R"({"id":"t-1","status":"processing","amount":8})"));
    ASSERT_TRUE(tasks.query("t-1", std::nullopt, nullptr)) << status;
    EXPECT_THAT(told, ElementsAre(9)) << status;
  }
}

// L1
TEST_F(Query, MasksTheQueriesOfAllUrlsThatItKnows) {
  TaskClient tasks = client();
  tasks.expect({.own_urls = {"https://a/own.png?sig=OWN%2FSECRET1"}});
  http_.expect(answer(200, R"({"id":"t-1","status":"completed","error":"RESULT-SECRET2 expires soon",)"
                           R"("video_url":"https://cdn/v.mp4?sig=RESULT-SECRET2"})"));
  const auto task = tasks.query("t-1", std::nullopt, nullptr);
  ASSERT_TRUE(task);
  EXPECT_EQ(task->clip_url(), "https://cdn/v.mp4?sig=RESULT-SECRET2");
  EXPECT_EQ(task->error_message, "*** expires soon");
  http_.expect(answer(200, R"({"id":"t-1","status":"failed","error":"OWN/SECRET1, RESULT%2DSECRET2: )"
                           R"(https%3A%2F%2Felsewhere%2Fv.mp4%3FSECRET3"})"));
  const auto failed = tasks.query("t-1", std::nullopt, nullptr);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->error_message, "***, ***: https://elsewhere/v.mp4?***");
}

// L1: of answers before the task is done, and of errors.
TEST_F(Query, MasksTheQueriesOfTheUrlsInEarlierAnswers) {
  TaskClient tasks = client();
  http_.expect(
      answer(200, R"({"id":"t-1","status":"processing","video_url":"https://cdn/v.mp4?t=s3cr%2BVAL"})"));
  ASSERT_TRUE(tasks.query("t-1", std::nullopt, nullptr));
  http_.expect(answer(500, R"({"error":"https://cdn/log?t=s3cr%2BLOG"})"));
  http_.expect(answer(200, R"({"id":"t-1","status":"failed","error":"s3cr+VAL and s3cr%2BLOG are bad"})"));
  const auto failed = tasks.query("t-1", std::nullopt, nullptr);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->error_message, "*** and *** are bad");
  http_.expect(answer(400, R"({"error":"bad t=s3cr+VAL, s3cr%2BVAL"})"), 4);
  const auto refused = tasks.query("t-1", std::nullopt, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().service_message, "bad t=***, ***");
  EXPECT_THAT(refused.error().text, testing::Not(testing::HasSubstr("VAL")));
}

// L1
TEST_F(Query, MasksTheQueriesOfTheRequestAndTheResultHoweverManyUrlsAnswersBring) {
  TaskClient tasks = client();
  tasks.expect({.own_urls = {"https://a/own.png?sig=OWN%2FSECRET1"}});
  http_.expect(
      answer(200, R"({"id":"t-1","status":"completed","video_url":"https://cdn/v.mp4?sig=RESULT-SECRET2"})"));
  ASSERT_TRUE(tasks.query("t-1", std::nullopt, nullptr));
  for (const std::string round : {"1", "2"}) {
    std::string urls;
    for (int i = 10'000; i < 10'600; ++i)
      urls += (urls.empty() ? "" : ",") + ("\"https://a/b?sig=S" + round + "-" + std::to_string(i)) + "\"";
    http_.expect(answer(200, R"({"id":"t-1","status":"processing","steps":[)" + urls + "]}"));
    ASSERT_TRUE(tasks.query("t-1", std::nullopt, nullptr));
  }
  http_.expect(
      answer(200, R"({"id":"t-1","status":"failed","error":"OWN/SECRET1, RESULT-SECRET2, S2-10030"})"));
  const auto failed = tasks.query("t-1", std::nullopt, nullptr);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->error_message, "***, ***, ***");
}

// A value of a URL's query may be anything.
TEST_F(Query, MasksNoIdAndNoModel) {
  TaskClient tasks = client();
  tasks.expect({.own_urls = {"https://a/own.png?task=task-12345&model=dance-2.5-long&status=processing"}});
  http_.expect(answer(200, R"({"id":"task-12345","status":"processing","model":"dance-2.5-long"})"));
  const auto task = tasks.query("task-12345", std::nullopt, nullptr);
  ASSERT_TRUE(task);
  EXPECT_EQ(task->id, "task-12345");
  EXPECT_EQ(task->model, "dance-2.5-long");
  EXPECT_EQ(task->status, TaskStatus::processing);
}

// ---- Transient.

TEST_F(Query, IsRepeatedAfterEveryTransientFailure) {
  const std::vector<FakeAnswer> rows = {
      not_sent(),
      lost(),
      answer(408, ""),
      answer(425, ""),
      answer(429, R"({"message":"10 per minute"})"),
      answer(500, R"({"status":"failed","error":"not the task's state"})"),
      answer(502, "<html>"),
      answer(503, ""),
      answer(504, ""),
      answer(522, ""),
      answer(200, ""),
      answer(200, R"({"id":"t-1","stat)"),
      answer(200, "<html><title>Just a moment</title></html>"),
      answer(200, "[]"),
  };
  for (const FakeAnswer &row : rows) {
    SCOPED_TRACE(row.error ? row.error->error.text : std::to_string(row.reply.status) + " " + row.reply.body);
    http_.expect(row);
    http_.expect(answer(200, kTask));
    const auto task = query(std::nullopt, 1);
    ASSERT_TRUE(task) << task.error().text;
    EXPECT_EQ(task->status, TaskStatus::queued);
  }
  EXPECT_EQ(clock_.pauses(), Pauses(rows.size(), milliseconds(500)));
}

TEST_F(Query, WaitsLongerEachTimeWithinTheJitter) {
  for (const double die : {0.0, 0.5, 0.999}) {
    FakeClock clock;
    FakeHttpClient http(clock);
    http.expect(lost(), 8);
    http.expect(answer(200, "{}"));
    TaskClient client(http, clock, {"https://a", {kKey}, Api::tasks, seconds(30), ""},
                      RetryPolicy(0, [die] { return die; }));
    EXPECT_TRUE(client.query("t", std::nullopt, nullptr)) << "retries are those of a submit";
    const int64_t backoffs[] = {500, 1000, 2000, 4000, 8000, 16000, 30000, 30000};
    const auto pauses = clock.pauses();
    ASSERT_EQ(pauses.size(), 8u);
    for (size_t i = 0; i < pauses.size(); ++i) {
      const double backoff = static_cast<double>(backoffs[i]);
      EXPECT_NEAR(static_cast<double>(pauses[i].count()), backoff * (0.75 + die * 0.5), 1.0);
    }
  }
}

TEST_F(Query, KeepsTheCauseAndTheTaskWhenItGivesUp) {
  struct Row {
    FakeAnswer answer;
    ErrorKind kind;
    unsigned status;
    std::string says;
  };
  const std::vector<Row> rows = {
      {not_sent("api.example refuses the connection."), ErrorKind::open_read, 0, "refuses"},
      {lost(), ErrorKind::read, 0, "broke"},
      {answer(429, ""), ErrorKind::busy, 429, "Run again later"},
      {answer(503, ""), ErrorKind::busy, 503, "Run again later"},
      {answer(500, R"({"status":"failed","message":"boom"})"), ErrorKind::open_read, 500, "It says: boom"},
      {answer(200, "<title>Login</title>"), ErrorKind::read, 200, "Check base-url"},
  };
  for (const Row &row : rows) {
    SCOPED_TRACE(row.says);
    http_.expect(row.answer, 3);
    const auto task = query(std::nullopt, 0, clock_.now() + milliseconds(1500));
    ASSERT_FALSE(task);
    EXPECT_EQ(query_outcome(task.error()), QueryOutcome::no_answer);
    EXPECT_EQ(task.error().kind, row.kind);
    EXPECT_NE(task.error().kind, ErrorKind::failed) << "a query that fails is no task that failed";
    EXPECT_EQ(task.error().http_status, row.status);
    EXPECT_EQ(task.error().task_id, "t-1");
    EXPECT_THAT(task.error().text, HasSubstr(row.says));
    EXPECT_THAT(task.error().debug, HasSubstr("3 tries"));
    expect_fit_for_people(task.error());
  }
}

TEST_F(Query, PausesAsLongAsTheServiceWishes) {
  http_.expect(answer(429, "", {{"Retry-After", "20"}}));
  http_.expect(answer(503, "", {{"Retry-After", "0"}}));
  http_.expect(answer(200, kTask));
  EXPECT_TRUE(query());
  EXPECT_THAT(clock_.pauses(), ElementsAre(milliseconds(20063), milliseconds(125)));
}

// ---- Final.

TEST_F(Query, IsFinalWhenRefusedAndSaysWhatToDo) {
  constexpr auto kGone = QueryOutcome::gone;
  constexpr auto kKeyRefused = QueryOutcome::key_refused;
  constexpr auto kNoAnswer = QueryOutcome::no_answer;
  const struct {
    unsigned status;
    unsigned times;  // So often it is said until it is believed.
    ErrorKind kind;
    QueryOutcome outcome;
    std::string advice;
  } rows[] = {
      {301, 4, ErrorKind::open_read, kNoAnswer, "Check base-url"},
      {400, 4, ErrorKind::settings, kNoAnswer, "refused to report"},
      {401, 1, ErrorKind::not_authorized, kKeyRefused, "Check api-key"},
      {402, 1, ErrorKind::not_authorized, kKeyRefused, "Top it up"},
      {403, 1, ErrorKind::not_authorized, kKeyRefused, "Check what the key"},
      {404, 4, ErrorKind::not_found, kGone, "does not know this task. Check its ID and base-url."},
      {407, 1, ErrorKind::not_authorized, kKeyRefused, "proxy"},
      {410, 4, ErrorKind::not_found, kGone, "does not know this task. Check its ID and base-url."},
      {451, 4, ErrorKind::settings, kNoAnswer, "refused to report"},
  };
  for (const auto &row : rows) {
    SCOPED_TRACE(row.status);
    const size_t before = http_.requests().size();
    http_.expect(answer(row.status, R"({"detail":"gone"})"), row.times);
    const auto task = query();
    ASSERT_FALSE(task);
    EXPECT_EQ(http_.requests().size() - before, row.times);
    EXPECT_EQ(task.error().kind, row.kind);
    EXPECT_EQ(query_outcome(task.error()), row.outcome);
    EXPECT_EQ(task.error().http_status, row.status);
    EXPECT_EQ(task.error().task_id, "t-1");
    EXPECT_EQ(task.error().service_message, "gone");
    EXPECT_THAT(task.error().text, HasSubstr(row.advice));
    expect_fit_for_people(task.error());
  }
}

TEST_F(Query, NamesTheTaskAlsoWhenNothingCouldBeSent) {
  FakeAnswer hopeless = not_sent("The certificate of api.example has expired.");
  hopeless.error->transient = false;
  http_.expect(hopeless);
  const auto task = query();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().task_id, "t-1");
}

TEST_F(Query, WaitsForAServiceThatSpeaksOfADayButOfNoQuota) {
  http_.expect(answer(503, R"({"message":"daily maintenance"})"));
  http_.expect(answer(200, R"({"id":"t-1","status":"queued"})"));
  EXPECT_TRUE(query());
}

TEST_F(Query, DoesNotWaitForAQuotaThatIsUsedUp) {
  http_.expect(answer(429, R"({"message":"daily quota exceeded"})"));
  const auto task = query();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().kind, ErrorKind::busy);
  EXPECT_THAT(task.error().text, HasSubstr("used up"));
}

// ---- Deadline and cancellation.

TEST_F(Query, AsksOnceMoreAtTheDeadlineAndThenGivesUp) {
  http_.expect(lost(), 4);
  const auto task = query(std::nullopt, 100, begin_ + seconds(2));
  ASSERT_FALSE(task);
  EXPECT_THAT(times(),
              ElementsAre(milliseconds(0), milliseconds(500), milliseconds(1500), milliseconds(2000)));
}

TEST_F(Query, AsksOnceEvenAfterTheDeadline) {
  http_.expect(answer(200, kTask));
  EXPECT_TRUE(query(std::nullopt, 3, begin_ - seconds(1)));
  http_.expect(lost());
  EXPECT_FALSE(query(std::nullopt, 3, begin_ - seconds(1)));
  EXPECT_THAT(clock_.pauses(), ElementsAre());
}

TEST_F(Query, OfWhichTheServiceSaysToComeBackAfterTheDeadlineHasALastTryThere) {
  http_.expect(answer(503, "", {{"Retry-After", "60"}}));
  http_.expect(answer(200, kTask));
  EXPECT_TRUE(query(std::nullopt, 100, begin_ + seconds(20)));
  EXPECT_THAT(clock_.pauses(), ElementsAre(seconds(20)));
}

TEST_F(Query, GivesAnExchangeNoMoreTimeThanIsLeft) {
  http_.expect(answer(200, kTask), 4);
  EXPECT_TRUE(query(std::nullopt, 0, begin_ + seconds(100)));
  EXPECT_TRUE(query(std::nullopt, 0, begin_ + seconds(10)));
  EXPECT_TRUE(query(std::nullopt, 0, begin_ - seconds(10)));
  TaskClient patient(http_, clock_, {"https://a", {kKey}, Api::tasks, milliseconds(0), ""}, RetryPolicy(0));
  EXPECT_TRUE(patient.query("t-1", std::nullopt, nullptr, begin_ + seconds(7)));
  std::vector<milliseconds> timeouts;
  std::vector<milliseconds> whole;
  for (const auto &request : http_.requests()) {
    timeouts.push_back(request.request.timeout);
    whole.push_back(request.request.whole_timeout);
  }
  EXPECT_THAT(timeouts, ElementsAre(seconds(30), seconds(10), seconds(1), seconds(7)));
  EXPECT_THAT(whole, ElementsAre(seconds(100), seconds(10), seconds(1), seconds(7)))
      << "one that comes in drops ends there too";
}

TEST_F(Query, EndsWhenCancelledOnItsWay) {
  http_.before_answer([this](const HttpRequest &) { g_cancellable_cancel(cancellable_.get()); });
  http_.expect(hanging());
  const auto task = query();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(query_outcome(task.error()), QueryOutcome::cancelled);
}

TEST_F(Query, EndsWhenCancelledInAPause) {
  clock_.hold(true);
  http_.expect(lost());
  std::thread other([this] {
    EXPECT_TRUE(clock_.wait_for_sleepers(1));
    g_cancellable_cancel(cancellable_.get());
  });
  const auto task = query();
  other.join();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().kind, ErrorKind::cancelled);
  ASSERT_EQ(clock_.sleeps().size(), 1u);
  EXPECT_FALSE(clock_.sleeps()[0].reached);
}

}  // namespace
}  // namespace genclip::test
