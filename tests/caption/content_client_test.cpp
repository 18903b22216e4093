// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Requests, answers and retries on a scripted network with a fake clock.
#include "plugin/caption/content_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/caption/question_fault.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

constexpr char kKey[] = "sk-Very+Secret/Key=";

std::string piece(const std::string &text, const std::string &reason = "") {
  Json::Object candidate{
      {"content", Json::Object{{"role", "model"}, {"parts", Json::Array{Json::Object{{"text", text}}}}}}};
  if (!reason.empty()) candidate.emplace_back("finishReason", reason);
  return Json(Json::Object{{"candidates", Json::Array{candidate}}}).to_text();
}

const std::string kKite = piece("A kite.", "STOP");

class ContentClientTest : public testing::Test {
 protected:
  ~ContentClientTest() override {
    EXPECT_EQ(http_->unexpected(), 0u) << "more requests than the test allows";
    EXPECT_EQ(http_->left(), 0u) << "fewer requests than the test expects";
  }

  Result<ContentAnswer> ask(ContentClient &client, const ContentListener &listener = {}) {
    ContentRequest request;
    request.model = "gem-2.5-flash-lite";
    request.prompt = "Say it.";
    return client.ask(request, listener, cancellable_.get());
  }
  Result<ContentAnswer> ask(const ContentListener &listener = {}) {
    ContentClient client(http_, settings_, clock_);
    return ask(client, listener);
  }

  // Sends a request, and expects this kind of failure after this number of requests.
  Error failure(size_t requests) {
    const auto answer = ask();
    EXPECT_FALSE(answer);
    EXPECT_EQ(http_->requests().size(), requests);
    const Error error = answer ? Error{} : answer.error();
    for (const std::string *text : {&error.text, &error.debug, &error.service_message})
      EXPECT_THAT(*text, Not(HasSubstr(kKey)));
    return error;
  }

  FakeClock clock_;
  const std::shared_ptr<FakeHttpClient> http_ = std::make_shared<FakeHttpClient>(clock_);
  const GRef<GCancellable> cancellable_ = GRef<GCancellable>::adopt(g_cancellable_new());
  ContentClientSettings settings_{"https://api.example/llm", {kKey}, "agent/1"};
};

TEST_F(ContentClientTest, SendsTheQuestionWithTheKeyInItsHeaderAlone) {
  http_->expect(answer(200, kKite));
  ASSERT_TRUE(ask());
  const HttpRequest sent = http_->requests().at(0).request;
  EXPECT_EQ(sent.method, HttpRequest::Method::post);
  EXPECT_EQ(sent.url, "https://api.example/llm/v1/models/gem-2.5-flash-lite:generateContent");
  EXPECT_EQ(sent.bearer_key, kKey);
  EXPECT_EQ(sent.content_type, "application/json");
  EXPECT_EQ(sent.user_agent, "agent/1");
  EXPECT_EQ(sent.timeout, seconds(60));
  EXPECT_EQ(sent.whole_timeout, seconds(60));
  EXPECT_EQ(sent.body, R"({"contents":[{"role":"user","parts":[{"text":"Say it."}]}]})");
  EXPECT_FALSE(sent.follow_redirects);
  EXPECT_TRUE(http_->requests().at(0).is_cancellable);
}

TEST_F(ContentClientTest, JoinsAStreamInEveryFraming) {
  settings_.stream = true;
  const std::string first = piece("A red ");
  const std::string last = piece("kite.", "STOP");
  for (const std::string &body : {"data: " + first + "\n\ndata: " + last + "\n\n",
                                  "[" + first + ",\n" + last + "]", first + "\n" + last + "\n"}) {
    auto drops = answer(200, body);
    drops.max_read = 3;
    http_->expect(drops);
    std::string heard;
    const auto got = ask({[&](std::string_view text) {
                            heard += text;
                            return true;
                          },
                          {}});
    ASSERT_TRUE(got) << body;
    EXPECT_EQ(got->text, "A red kite.");
    EXPECT_EQ(heard, "A red kite.");
    EXPECT_EQ(got->finish_reason, "STOP");
    EXPECT_FALSE(got->cut_short);
  }
  EXPECT_THAT(http_->requests().back().request.url, HasSubstr(":streamGenerateContent"));
}

TEST_F(ContentClientTest, CountsTheLastTotalsOfAStream) {
  http_->expect(
      answer(200, R"([{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1,"totalTokenCount":10}},
    {"candidates":[{"content":{"parts":[{"text":"A kite."}]},"finishReason":"STOP"}],
     "usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"totalTokenCount":12}}])"));
  const auto got = ask();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->prompt_tokens, 9u);
  EXPECT_EQ(got->output_tokens, 3u);
  EXPECT_EQ(got->total_tokens, 12u);
}

TEST_F(ContentClientTest, AddsUpATotalThatIsNotTold) {
  http_->expect(
      answer(200, R"({"candidates":[{"content":{"parts":[{"text":"A kite."}]},"finishReason":"STOP"}],
    "usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":6}})"));
  const auto got = ask();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->total_tokens, 11u);
}

// The events of a stream, each a candidate's index, text and reason.
struct Event {
  unsigned index;
  const char *text, *reason;
};

std::string stream_of(const std::vector<Event> &events) {
  std::string body;
  for (const Event &event : events)
    body += R"(data: {"candidates":[{"index":)" + std::to_string(event.index) +
            R"(,"content":{"parts":[{"text":")" + event.text + R"("}]},"finishReason":")" + event.reason +
            "\"}]}\n\n";
  return body;
}

TEST_F(ContentClientTest, TakesOneOfSeveralCandidates) {
  settings_.stream = true;
  const std::pair<std::vector<Event>, const char *> kStreams[] = {
      {{{0, "A kite ", ""}, {1, "The sea ", ""}, {0, "over dunes.", "STOP"}, {1, "is blue.", "SAFETY"}},
       "A kite over dunes."},
      {{{0, "", "SAFETY"}, {1, "The sea ", ""}, {0, "is red.", ""}, {1, "is blue.", "STOP"}},
       "The sea is blue."},
      {{{0, "\u200b", ""}, {1, "The sea.", "STOP"}}, "\u200bThe sea."},
      {{{1, "The sea.", "STOP"}, {0, "A kite ", ""}}, "The sea."},
  };
  for (const auto &[events, text] : kStreams) {
    http_->expect(answer(200, stream_of(events)));
    const auto got = ask();
    ASSERT_TRUE(got) << text;
    EXPECT_EQ(got->text, text);
    EXPECT_EQ(got->finish_reason, "STOP") << text;
  }
}

TEST_F(ContentClientTest, KeepsAReasonThatALaterOneWouldHide) {
  settings_.stream = true;
  for (const char *earlier : {"", "MAX_TOKENS", "STOP"}) {
    http_->expect(answer(200, stream_of({{0, "A bad ", earlier}, {0, "", "SAFETY"}, {0, "", "STOP"}})));
    const auto got = ask();
    ASSERT_FALSE(got) << earlier;
    EXPECT_THAT(got.error().text, HasSubstr("(SAFETY)"));
  }
  http_->expect(answer(200, stream_of({{0, "A red ", "MAX_TOKENS"}, {0, "", "STOP"}})));
  const auto got = ask();
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->cut_short);
}

TEST_F(ContentClientTest, KeepsWhatMaxTokensLeft) {
  http_->expect(answer(200, piece("A red", "MAX_TOKENS")));
  const auto got = ask();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->text, "A red");
  EXPECT_TRUE(got->cut_short);
}

TEST_F(ContentClientTest, TellsABlockedAnswerApartAndNeverAsksAgain) {
  for (const char *reason : {"SAFETY", "RECITATION", "PROHIBITED_CONTENT"}) {
    http_->expect(answer(200, piece("", reason)));
    const auto got = ask();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().kind, ErrorKind::failed);
    EXPECT_THAT(got.error().text,
                AllOf(HasSubstr(reason), HasSubstr("the answer"), HasSubstr("on-error=skip")));
  }
  http_->expect(answer(200, R"({"promptFeedback":{"blockReason":"BLOCKLIST"}})"));
  const auto got = ask();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::failed);
  EXPECT_THAT(got.error().text, AllOf(HasSubstr("BLOCKLIST"), HasSubstr("the question")));
}

// Whatever its status: another window may be answered, and the key is not to blame.
TEST_F(ContentClientTest, TellsARefusalOfTheContentFromOneOfTheKey) {
  size_t requests = 0;
  for (const unsigned status : {400u, 403u, 451u, 500u}) {
    http_->expect(answer(status, R"({"error":{"code":"content_policy_violation","message":"a weapon"}})"));
    const Error error = failure(++requests);
    EXPECT_EQ(error.kind, ErrorKind::failed) << status;
    EXPECT_EQ(error.http_status, 0u);
    EXPECT_EQ(error.service_message, "a weapon");
    EXPECT_THAT(error.text, AllOf(HasSubstr("the question was blocked (content_policy_violation)"),
                                  HasSubstr("on-error=skip")));
    EXPECT_TRUE(error.details.empty()) << "it has the same answer later";
  }
  http_->expect(answer(403, R"({"error":{"code":"key_revoked","message":"a content policy"}})"));
  EXPECT_EQ(failure(++requests).kind, ErrorKind::not_authorized);
}

TEST_F(ContentClientTest, RefusedForGoodIsAskedOnce) {
  const std::pair<unsigned, ErrorKind> kStatuses[] = {
      {400, ErrorKind::settings},       {401, ErrorKind::not_authorized}, {402, ErrorKind::not_authorized},
      {403, ErrorKind::not_authorized}, {404, ErrorKind::not_found},      {413, ErrorKind::settings},
  };
  size_t requests = 0;
  for (const auto &[status, kind] : kStatuses) {
    http_->expect(answer(status, R"({"error":{"message":"no, )" + std::string(kKey) + R"( is bad"}})"));
    const Error error = failure(++requests);
    EXPECT_EQ(error.kind, kind) << status;
    EXPECT_EQ(error.http_status, status);
    EXPECT_THAT(error.text, HasSubstr(std::to_string(status)));
    EXPECT_THAT(error.service_message, HasSubstr("is bad"));
  }
  EXPECT_TRUE(clock_.sleeps().empty());
}

TEST_F(ContentClientTest, TriesAgainAfterWhatMayPass) {
  for (const FakeAnswer &first :
       {answer(500, ""), answer(503, "<html>"), answer(429, "{}"), answer(408, ""), not_sent(), lost(),
        cut_after(answer(200, kKite), 10), answer(200, ""), answer(200, "<html>"), answer(200, piece("A")),
        answer(200, R"({"error":{"code":503}})"), answer(200, R"([{"error":{"code":500,"message":"x"}}])")}) {
    http_->expect(first);
    http_->expect(answer(200, kKite));
    const size_t before = clock_.sleeps().size();
    const auto got = ask();
    ASSERT_TRUE(got) << first.reply.status << first.reply.body;
    EXPECT_EQ(got->text, "A kite.");
    EXPECT_EQ(clock_.sleeps().size(), before + 1);
  }
}

TEST_F(ContentClientTest, GivesUpAfterItsRetries) {
  settings_.retries = 2;
  http_->expect(answer(503, R"({"error":{"message":"overloaded"}})"), 3);
  const Error error = failure(3);
  EXPECT_EQ(error.kind, ErrorKind::open_read);
  EXPECT_THAT(error.text, HasSubstr("overloaded"));
}

TEST_F(ContentClientTest, WaitsAsLongAsItIsAskedTo) {
  const std::string kInfo =
      R"({"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"45.8s"}]}})";
  http_->expect(answer(429, kInfo));
  http_->expect(answer(429, "{}", {{"retry-after", "7"}}));
  http_->expect(answer(200, kKite));
  ASSERT_TRUE(ask());
  ASSERT_EQ(clock_.pauses().size(), 2u);
  EXPECT_THAT(clock_.pauses()[0], AllOf(Ge(milliseconds(45800)), Le(milliseconds(57300))));
  EXPECT_THAT(clock_.pauses()[1], AllOf(Ge(seconds(7)), Le(milliseconds(8800))));
}

TEST_F(ContentClientTest, DoesNotWaitForTheQuotaOfTheDayNorForMinutes) {
  http_->expect(answer(429, R"({"error":{"code":429,"message":"Requests per day used up"}})"));
  const Error quota = failure(1);
  EXPECT_EQ(quota.kind, ErrorKind::busy);
  EXPECT_THAT(quota.text, HasSubstr("daily quota"));
  http_->expect(answer(429, "{}", {{"Retry-After", "600"}}));
  EXPECT_EQ(failure(2).kind, ErrorKind::busy);
  EXPECT_TRUE(clock_.sleeps().empty());
}

TEST_F(ContentClientTest, CannotUnsayWhatIsOut) {
  settings_.stream = true;
  http_->expect(cut_after(answer(200, "data: " + piece("A kite. It") + "\n\ndata: {}"), 120));
  const auto got = ask({[](std::string_view) { return true; }, {}});
  ASSERT_FALSE(got);
  EXPECT_EQ(http_->requests().size(), 1u);
}

TEST_F(ContentClientTest, BeginsAnewWhileNothingIsOut) {
  settings_.stream = true;
  http_->expect(answer(200, "data: " + piece("A ki") + "\n\ndata: {\"error\":{\"code\":503}}\n\n"));
  http_->expect(answer(200, "data: " + kKite + "\n\n"));
  std::vector<std::string> heard;
  unsigned retries = 0;
  const auto got = ask({.on_text =
                            [&](std::string_view text) {
                              heard.emplace_back(text);
                              return false;
                            },
                        .on_retry =
                            [&] {
                              ++retries;
                              return true;
                            }});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->text, "A kite.");
  EXPECT_EQ(retries, 1u);
  EXPECT_THAT(heard, testing::ElementsAre("A ki", "A kite."));
}

TEST_F(ContentClientTest, AsksForARetryAndHeedsTheAnswer) {
  http_->expect(answer(503, ""));
  const auto got = ask({.on_retry = [] { return false; }});
  ASSERT_FALSE(got);
  EXPECT_EQ(http_->requests().size(), 1u);
}

TEST_F(ContentClientTest, TellsWhatEachTryHasUsed) {
  const std::string counted =
      R"({"candidates":[{"content":{"parts":[{"text":"A kite."}]},"finishReason":"STOP"}],)"
      R"("usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":2,"totalTokenCount":9}})";
  std::vector<ContentTry> tries;
  ContentListener listener;
  listener.on_try_ended = [&](const ContentTry &used) { tries.push_back(used); };
  for (const FakeAnswer &next : {answer(503, "{}"), not_sent(), lost(), answer(200, counted)})
    http_->expect(next);
  ASSERT_TRUE(ask(listener));
  ASSERT_EQ(tries.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(tries[i].was_sent, i != 1);
  EXPECT_TRUE(tries[0].is_told);
  EXPECT_TRUE(tries[1].is_told);
  EXPECT_FALSE(tries[2].is_told);
  EXPECT_TRUE(tries[3].is_told);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(tries[i].total_tokens, 0u);
  EXPECT_EQ(tries[3].prompt_tokens, 7u);
  EXPECT_EQ(tries[3].output_tokens, 2u);
  EXPECT_EQ(tries[3].total_tokens, 9u);
}

// ---- A key that is renewed in its file.

class RenewedCaptionKey : public ContentClientTest {
 protected:
  RenewedCaptionKey() {
    settings_.api_key = {"sk-1", folder_.file("key")};
    settings_.retries = 0;
  }

  void renew_with(const std::string &key) {
    std::ofstream(settings_.api_key.file) << key << "\n";
    ASSERT_EQ(::chmod(settings_.api_key.file.c_str(), 0600), 0);
  }
  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const auto &sent : http_->requests()) keys.push_back(sent.request.bearer_key);
    return keys;
  }

  TemporaryFolder folder_;
};

TEST_F(RenewedCaptionKey, RepeatsTheQuestionBesideItsRetriesAndServesTheNextOnes) {
  ContentClient client(http_, settings_, clock_);
  for (const std::string key : {"sk-2", "sk-3"}) {
    renew_with(key);
    http_->expect(answer(401, "{}"));
    http_->expect(answer(200, kKite), 2);
    for (int i = 0; i < 2; ++i) {
      const auto got = ask(client);
      ASSERT_TRUE(got) << got.error().text;
      EXPECT_EQ(got->text, "A kite.");
    }
    EXPECT_EQ(client.key(), key);
  }
  EXPECT_THAT(keys(), testing::ElementsAre("sk-1", "sk-2", "sk-2", "sk-2", "sk-3", "sk-3"));
}

TEST_F(RenewedCaptionKey, LeavesTheRetriesToOtherFailures) {
  settings_.retries = 1;
  renew_with("sk-2");
  for (const unsigned status : {401u, 503u, 200u})
    http_->expect(answer(status, status == 200 ? kKite : "{}"));
  EXPECT_TRUE(ask());
}

TEST_F(RenewedCaptionKey, ThatIsTheSameIsRefusedOnce) {
  renew_with("sk-1");
  http_->expect(answer(401, R"({"error":{"message":"the key has expired"}})"));
  const Error error = failure(1);
  EXPECT_EQ(error.kind, ErrorKind::not_authorized);
  EXPECT_EQ(error.service_message, "the key has expired");
  EXPECT_THAT(error.debug, HasSubstr("has not changed"));
}

TEST_F(RenewedCaptionKey, IsFoundInNoFileThatCannotBeRead) {
  http_->expect(answer(401, "{}"));
  const Error error = failure(1);
  EXPECT_EQ(error.http_status, 401u);
  EXPECT_THAT(error.debug, HasSubstr("cannot be read"));
}

TEST_F(RenewedCaptionKey, IsAFurtherRequestThatABudgetMayForbid) {
  renew_with("sk-2");
  http_->expect(answer(401, "{}"));
  const auto got = ask({.on_retry = [] { return false; }});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().http_status, 401u);
}

TEST_F(RenewedCaptionKey, CannotUnsayWhatIsOut) {
  settings_.stream = true;
  renew_with("sk-2");
  http_->expect(answer(200, "data: " + piece("A kite. It") + "\n\ndata: {\"error\":{\"code\":401}}\n\n"));
  const auto got = ask({[](std::string_view) { return true; }, {}});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().http_status, 401u);
}

TEST_F(RenewedCaptionKey, IsMaskedAsTheOldOneWas) {
  renew_with("sk-renewed");
  http_->expect(answer(401, "{}"));
  http_->expect(answer(400, R"({"error":{"message":"no, sk-renewed is bad"}})"));
  EXPECT_EQ(failure(2).service_message, "no, *** is bad");
}

TEST_F(RenewedCaptionKey, ServesAllThreadsThatHaveTheOldOne) {
  renew_with("sk-2");
  std::atomic<unsigned> refusals = 0;
  http_->otherwise([&](const HttpRequest &request) {
    if (request.bearer_key == "sk-2") return answer(200, kKite);
    ++refusals;
    while (refusals < 4) g_thread_yield();
    return answer(401, "{}");
  });
  ContentClient client(http_, settings_, clock_);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_TRUE(ask(client)); });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(refusals, 4u);
  EXPECT_EQ(http_->requests().size(), 8u);
}

// ---- Answers without text, and answers that break off.

// The answer of a stream whose connection breaks behind those pieces.
FakeAnswer cut_behind(const std::string &pieces) {
  const std::string body = "data: " + pieces + "\n\n";
  return cut_after(answer(200, body + "data: {"), body.size());
}

const std::string kSilent = piece("", "STOP");

TEST_F(ContentClientTest, BringsAnEmptyAnswerOnlyAfterItsRetries) {
  settings_.retries = 2;
  for (const std::string &silent : {kSilent, std::string("{}"), piece("\u200B \n", "OTHER")}) {
    http_->expect(answer(200, silent), 3);
    const auto got = ask();
    ASSERT_TRUE(got) << got.error().text;
    EXPECT_FALSE(has_text(*got));
    EXPECT_THAT(shortcoming(*got)->text, HasSubstr("no text"));
  }
  EXPECT_EQ(clock_.sleeps().size(), 6u);
}

TEST_F(ContentClientTest, DoesNotAskAgainForWhatMaxTokensLeftNothingOf) {
  http_->expect(answer(200, piece("", "MAX_TOKENS")));
  const auto got = ask();
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->cut_short);
  EXPECT_THAT(shortcoming(*got)->text, HasSubstr("max-output-tokens"));
}

TEST_F(ContentClientTest, BringsAnEmptyAnswerWhereABudgetForbidsToAskAgain) {
  http_->expect(answer(200, kSilent));
  const auto got = ask({.on_retry = [] { return false; }});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->finish_reason, "STOP");
}

TEST_F(ContentClientTest, FailsAsTheLastTryDidIfThatSaysMoreThanSilence) {
  settings_.retries = 1;
  http_->expect(answer(200, kSilent));
  http_->expect(answer(200, piece("", "SAFETY")));
  EXPECT_THAT(failure(2).text, HasSubstr("SAFETY"));
}

TEST_F(ContentClientTest, UsesTheTextThatBrokeOffIfNoTryBringsAllOfIt) {
  settings_.stream = true;
  settings_.retries = 2;
  // A further answer says less than the text that is there.
  http_->expect(cut_behind(piece("A ", "STOP")));
  http_->expect(cut_behind(piece("A red", "STOP")));
  http_->expect(answer(503, "{}"));
  const auto got = ask();
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(got->text, "A red");
  EXPECT_TRUE(got->broken_off);
  EXPECT_THAT(shortcoming(*got)->text, HasSubstr("broke off"));
}

TEST_F(ContentClientTest, TakesTheWholeAnswerOfALaterTry) {
  settings_.stream = true;
  http_->expect(cut_behind(piece("A red kite over", "STOP")));
  http_->expect(answer(200, "data: " + kKite + "\n\n"));
  std::vector<bool> told;
  const auto got = ask({.on_try_ended = [&](const ContentTry &used) { told.push_back(used.is_told); }});
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(got->text, "A kite.");
  EXPECT_FALSE(got->broken_off);
  EXPECT_FALSE(shortcoming(*got));
}

// A connection of its own would not have failed. But it is a further request, which a budget may forbid.
TEST_F(ContentClientTest, AsksOnceMoreWhereAKeptConnectionWasStale) {
  settings_.retries = 0;
  const auto stale = [] {
    FakeAnswer made = lost();
    made.error->stale = true;
    return made;
  };
  unsigned retries = 0;
  const auto count = [&retries] { return ++retries > 0; };
  http_->expect(stale());
  http_->expect(answer(200, kKite));
  EXPECT_TRUE(ask({.on_retry = count}));
  EXPECT_EQ(retries, 1u);
  http_->expect(stale(), 2);
  EXPECT_FALSE(ask({.on_retry = count}));
  EXPECT_EQ(retries, 2u);
  http_->expect(stale());
  EXPECT_FALSE(ask({.on_retry = [] { return false; }}));
}

TEST_F(ContentClientTest, DoesNotTakeTheCountsOfWhatBrokeOffForAll) {
  settings_.retries = 0;
  settings_.stream = true;
  http_->expect(cut_behind(
      R"({"candidates":[{"content":{"parts":[{"text":"A"}]},"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":9}})"));
  std::optional<ContentTry> last;
  ASSERT_TRUE(ask({.on_try_ended = [&](const ContentTry &used) { last = used; }}));
  EXPECT_FALSE(last->is_told);
}

TEST_F(ContentClientTest, UsesWhatItHasSaidOfAnAnswerThatBrokeOff) {
  settings_.stream = true;
  http_->expect(cut_behind(piece("A kite. It", "STOP")));
  const auto got = ask({[](std::string_view) { return true; }, {}});
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_TRUE(got->broken_off);
}

// What was said is not of the try before.
TEST_F(ContentClientTest, SaysNothingOfAnEarlierTryOnceALaterOneHasSpoken) {
  settings_.stream = true;
  http_->expect(cut_behind(piece("A red", "STOP")));
  http_->expect(cut_behind(piece("A kite. It")));
  unsigned pieces = 0;
  EXPECT_FALSE(ask({[&](std::string_view) { return ++pieces > 1; }, {}}));
}

// Nothing is lost behind the end that the bytes themselves have.
TEST_F(ContentClientTest, AnAnswerThatShowsItsEndIsWholeHoweverTheConnectionEnds) {
  for (const bool stream : {false, true}) {
    settings_.stream = stream;
    const std::string whole = stream ? "data: " + kKite + "\n\ndata: [DONE]\n\n\n" : kKite;
    http_->expect(cut_after(answer(200, whole + "more"), whole.size()));
    const auto got = ask();
    ASSERT_TRUE(got) << got.error().text;
    EXPECT_FALSE(got->broken_off);
  }
  const std::string array = "[" + kKite + "]";
  http_->expect(cut_after(answer(200, array + "\n"), array.size()));
  EXPECT_TRUE(ask());
}

TEST_F(ContentClientTest, EndsTricklesAtItsTimeout) {
  settings_.retries = 0;
  settings_.timeout = seconds(5);
  auto drops = answer(200, kKite);
  drops.max_read = 1;
  http_->expect(drops);
  const auto got = ask({[](std::string_view) { return false; }, {}});
  ASSERT_TRUE(got) << "a fast trickle is no timeout";
  http_->before_answer([&](const HttpRequest &) { clock_.advance(seconds(6)); });
  http_->expect(drops);
  const Error error = failure(2);
  EXPECT_EQ(error.kind, ErrorKind::timed_out);
  EXPECT_TRUE(may_be_of_question(error));
}

// A gateway that cannot be reached would take no other question.
TEST_F(ContentClientTest, SaysWhichFailuresMayBeOfTheQuestion) {
  settings_.retries = 0;
  FakeAnswer late = lost("No answer in time.");
  late.error->error.kind = ErrorKind::timed_out;
  FakeAnswer unreachable = not_sent("No connection in time.");
  unreachable.error->error.kind = ErrorKind::timed_out;
  size_t asked = 0;
  for (const auto &[said, is_of_question] : {std::pair(late, true),
                                             {unreachable, false},
                                             {lost(), false},
                                             {answer(503, "{}"), true},
                                             {answer(501, "{}"), true},
                                             {answer(429, "{}"), false},
                                             {answer(408, "{}"), false}}) {
    http_->expect(said);
    const Error error = failure(++asked);
    EXPECT_EQ(may_be_of_question(error), is_of_question) << error.text;
  }
}

TEST_F(ContentClientTest, RefusesAnAnswerWithoutEnd) {
  settings_.retries = 0;
  std::string body = "[";
  const std::string one = piece(std::string(100000, 'x')) + ",";
  while (body.size() < (9u << 20)) body += one;
  http_->expect(answer(200, body));
  EXPECT_THAT(failure(1).text, HasSubstr("8 MiB"));
}

TEST_F(ContentClientTest, IsCancelledWhileItWaitsForAnother) {
  http_->expect(answer(503, ""));
  http_->before_answer([&](const HttpRequest &) { clock_.hold(true); });
  std::thread canceller([&] {
    EXPECT_TRUE(clock_.wait_for_sleepers(1));
    g_cancellable_cancel(cancellable_.get());
  });
  const auto got = ask();
  canceller.join();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::cancelled);
}

TEST_F(ContentClientTest, IsCancelledWhileTheGatewayHangs) {
  http_->expect(hanging());
  std::thread canceller([&] {
    while (http_->requests().empty()) g_thread_yield();
    g_cancellable_cancel(cancellable_.get());
  });
  const auto got = ask();
  canceller.join();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace genclip::test
