// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The life of a task, and each fault of a submit and of a query.
#include <gtest/gtest.h>

#include <thread>

#include "tests/simulator/web.h"

namespace genclip::sim::test {
namespace {

constexpr auto kNow = std::chrono::milliseconds(0);
const std::string kBody = R"({"model":"dance-2.5","prompt":"a kite"})";

class Tasks : public ::testing::Test {
 protected:
  void begin(std::chrono::milliseconds queued = kNow, std::chrono::milliseconds processing = kNow) {
    simulator_ = std::make_unique<Simulator>(SimulatorOptions{.queued = queued,
                                                              .processing = processing,
                                                              .least_poll_interval = std::chrono::hours(1),
                                                              .clip_bytes = "x"});
    const auto started = simulator_->start();
    ASSERT_TRUE(started) << started.error().text;
    url_ = simulator_->base_url() + "/v2/model-center/tasks";
  }
  void fault(const std::string &text) {
    const auto added = simulator_->add_fault(text);
    ASSERT_TRUE(added) << added.error().text;
  }
  Answer submit() { return ask_api("POST", url_, kBody); }
  Json query(const Json &task) { return ask_api("GET", url_ + "/" + text(task, "id")).json(); }

  std::unique_ptr<Simulator> simulator_;
  std::string url_;
};

// Processing takes so long that a busy machine asks in the middle of it.
TEST_F(Tasks, AreQueuedAndThenProcessedInTheirTime) {
  begin(std::chrono::milliseconds(300), std::chrono::minutes(1));
  const auto begun = std::chrono::steady_clock::now();
  const Json task = submit().json();
  EXPECT_EQ(text(task, "status"), "queued");
  EXPECT_EQ(text(task, "object"), "video");
  EXPECT_EQ(text(task, "model"), "dance-2.5");
  EXPECT_GT(task.find("created")->number().value_or(0), 1.7e9);
  Json running = query(task);
  while (text(running, "status") == "queued" || running.find("progress")->number().value_or(0) == 0)
    running = query(task);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(300));
  EXPECT_EQ(text(running, "status"), "processing");
  EXPECT_EQ(running.find("video_url"), nullptr);
  EXPECT_TRUE(running.find("error")->is_null());
}

TEST_F(Tasks, AreCompletedOnceTheirTimeIsOver) {
  begin(std::chrono::milliseconds(100), std::chrono::milliseconds(200));
  const auto begun = std::chrono::steady_clock::now();
  const Json task = submit().json();
  Json done = query(task);
  while (text(done, "status") != "completed") done = query(task);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(300));
  EXPECT_EQ(text(done, "video_url"), text(done, "result_url"));
  EXPECT_GT(done.find("amount")->number().value_or(0), 0);
  EXPECT_EQ(done.find("actualDuration")->number().value_or(0), 4);
}

TEST_F(Tasks, CountQueriesThatComeTooEarly) {
  begin();
  const Json task = submit().json();
  query(task);
  query(task);
  EXPECT_EQ(simulator_->stats().early_queries, 1u);
}

TEST_F(Tasks, OfTheLegacyApiHaveTheSameLife) {
  begin();
  const Json request = Json::Object{{"model", "sky2Stable"}, {"prompt", "a"}, {"seconds", 15}};
  const Json task = finished_task(*simulator_, request, "/v1/sky/videos");
  EXPECT_EQ(text(task, "status"), "completed");
  EXPECT_EQ(task.find("seconds")->number().value_or(0), 15);
  EXPECT_EQ(ask("GET", text(task, "video_url")).body, "x");
}

TEST_F(Tasks, LosesTheAnswerOfASubmitThatCounts) {
  begin();
  fault("submit#1:lose-answer");
  fault("submit#2:hold-answer");
  fault("submit#3:reset");
  fault("submit#4:hang");
  EXPECT_TRUE(submit().was_reset);
  EXPECT_EQ(simulator_->stats().submits, 1u);
  {
    const Impatience impatience;
    EXPECT_TRUE(submit().timed_out);
  }
  EXPECT_EQ(simulator_->stats().submits, 2u);
  EXPECT_TRUE(submit().was_reset);
  const Impatience impatience;
  EXPECT_TRUE(submit().timed_out);
  EXPECT_EQ(simulator_->stats().submits, 2u) << "a submit counted that must not";
}

TEST_F(Tasks, RefusesInEveryShape) {
  struct Case {
    const char *shape, *part;
  };
  begin();
  for (const auto &[shape, part] :
       {Case{"usual", R"({"error":{"message":")"}, Case{"nested", R"({"error":{"message":")"},
        Case{"string", R"({"error":"Simulated)"}, Case{"object", R"({"code":402,"message":")"},
        Case{"code-text", R"("message":"Simulated)"}, Case{"detail", R"({"detail":"Simulated)"},
        Case{"detail-list", R"({"detail":[{"loc":["body"],"msg":")"},
        Case{"problem", R"("title":"Payment Required")"}, Case{"fail-reason", R"({"fail_reason":")"},
        Case{"escaped", R"(\\\"message\\\")"}, Case{"empty", "{}"},
        Case{"text", "Simulated: Payment Required"}}) {
    simulator_->clear_faults();
    fault(std::string("submit:status=402;shape=") + shape);
    const Answer answer = submit();
    EXPECT_EQ(answer.status, 402u) << shape;
    EXPECT_NE(answer.body.find(part), std::string::npos) << shape << ": " << answer.body;
  }
  EXPECT_EQ(simulator_->stats().submits, 0u);
}

TEST_F(Tasks, AsksToWaitBySecondsAndByDate) {
  begin();
  fault("submit#1:status=429;retry-after=2");
  fault("submit#2:status=503;retry-after=date+60");
  EXPECT_EQ(submit().headers.at("retry-after"), "2");
  EXPECT_NE(submit().headers.at("retry-after").find(" GMT"), std::string::npos);
  EXPECT_EQ(submit().status, 200u);
}

TEST_F(Tasks, FailWithTheirMessage) {
  begin();
  fault("submit#1:fail=The picture was refused.");
  const Json first = query(submit().json());
  EXPECT_EQ(text(first, "status"), "failed");
  EXPECT_EQ(text(first, "error"), "The picture was refused.");
  EXPECT_EQ(first.find("video_url"), nullptr);
  const Json second = submit().json();
  fault("query#1:fail=No more.;shape=object");
  EXPECT_EQ(text(*query(second).find("error"), "message"), "No more.");
  EXPECT_EQ(text(query(second), "status"), "failed") << "it came back to life";
}

TEST_F(Tasks, SpellTheirFieldsOddlyWhenToldTo) {
  struct Case {
    const char *fault, *field, *value;
  };
  begin();
  const Json task = submit().json();
  for (const auto &[one, field, value] :
       {Case{"query#1:state=completed/SUCCEEDED", "status", "\"SUCCEEDED\""},
        Case{"query#1:state=queued/WAITING", "status", "\"completed\""},
        Case{"query#1:state=thinking", "status", "\"thinking\""},
        Case{"query#1:progress=percent", "progress", "\"100%\""},
        Case{"query#1:progress=text", "progress", "\"100\""},
        Case{"query#1:progress=fraction", "progress", "1.0"},
        Case{"query#1:set=amount:\"2.50\"", "amount", "\"2.50\""},
        Case{"query#1:set=error:{}", "error", "{}"}}) {
    fault(one);
    const Json answer = query(task);
    ASSERT_NE(answer.find(field), nullptr) << one;
    EXPECT_EQ(answer.find(field)->to_text(), value) << one;
    simulator_->clear_faults();
  }
  fault("query#1:drop=status");
  EXPECT_EQ(query(task).find("status"), nullptr);
  fault("query#1:no-url");
  const Json bare = query(task);
  EXPECT_EQ(text(bare, "status"), "completed");
  EXPECT_EQ(bare.find("video_url"), nullptr);
  EXPECT_EQ(bare.find("result_url"), nullptr);
  EXPECT_NE(query(task).find("video_url"), nullptr);
}

TEST_F(Tasks, HaveANumberAsIdWhenToldTo) {
  begin();
  fault("submit#1:id-number");
  const Json task = submit().json();
  const Json *id = task.find("id");
  ASSERT_TRUE(id && id->integer()) << task.to_text();
  const Json again = ask_api("GET", url_ + "/" + id->to_text()).json();
  EXPECT_EQ(*again.find("id"), *id);
}

TEST_F(Tasks, AnswerTooMuchTooLateOrNonsenseWhenToldTo) {
  begin();
  fault("submit#1:oversized=9000000");
  fault("submit#2:garbage-json");
  fault("submit#3:html");
  fault("submit#4:cut=10");
  fault("submit#5:delay=300");
  fault("submit#6:redirect=http://127.0.0.1:1/x");
  fault("submit#7:wrong-type");
  const Answer big = submit();
  EXPECT_EQ(big.body.size(), 9000000u);
  EXPECT_FALSE(text(big.json(), "id").empty());
  EXPECT_TRUE(submit().json().is_null());
  EXPECT_EQ(submit().headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(submit().body.size(), 10u);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(submit().status, 200u);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(300));
  EXPECT_EQ(submit().status, 302u);
  EXPECT_EQ(submit().headers.at("content-type"), "text/plain");
}

TEST_F(Tasks, CanBeScriptedOverTheNetwork) {
  begin();
  const std::string control = simulator_->base_url().substr(0, simulator_->base_url().rfind('/')) + "/_sim";
  EXPECT_EQ(ask("POST", control + "/faults", {}, "submit#1:status=402\nquery:hang\n").status, 200u);
  EXPECT_EQ(ask("POST", control + "/faults", {}, R"(["media:reset"])").status, 200u);
  EXPECT_EQ(ask("GET", control + "/faults").json().to_text(),
            R"(["submit#1:status=402","query:hang","media:reset"])");
  const Answer wrong = ask("POST", control + "/faults", {}, "media:reset\nmedia:explode");
  EXPECT_EQ(wrong.status, 400u);
  EXPECT_NE(wrong.body.find("explode"), std::string::npos);
  EXPECT_EQ(simulator_->faults().size(), 3u) << "half of a wrong list was taken";
  EXPECT_EQ(submit().status, 402u);
  EXPECT_EQ(ask("DELETE", control + "/faults").json().to_text(), "[]");
  EXPECT_EQ(submit().status, 200u);
  const Json stats = ask("GET", control + "/stats").json();
  EXPECT_EQ(stats.find("submits")->to_text(), "1");
  EXPECT_EQ(stats.find("faults")->to_text(), R"({"submit#1:status=402":1})");
}

TEST(SimulatorStart, SaysWhichPortIsTakenAndWhichFileIsWrong) {
  Simulator first;
  ASSERT_TRUE(first.start());
  const std::string url = first.media_url();
  const auto port = static_cast<unsigned>(std::stoul(url.substr(url.rfind(':') + 1)));
  Simulator second({.port = port});
  const auto taken = second.start();
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().text.find(std::to_string(port)), std::string::npos) << taken.error().text;
  Simulator third({.model_files = {"/nonexistent/models.json"}});
  const auto missing = third.start();
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text.find("/nonexistent/models.json"), std::string::npos) << missing.error().text;
}

}  // namespace
}  // namespace genclip::sim::test
