// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The category genclip-task: INFO a transition, DEBUG a poll, never a secret.
#include "plugin/task/task_log.h"

#include <algorithm>

#include "tests/support/log_lines.h"
#include "tests/task/task_fixture.h"

namespace genclip::test {
namespace {

class TaskLogTest : public TaskClientTest {
 protected:
  void follow_a_task() {
    http_.expect(not_sent());
    http_.expect(answer(429, R"({"message":"slow down sk-Very+Secret/Key="})"));
    http_.expect(answer(200, kTask));
    http_.expect(answer(200, R"({"id":"t-1","status":"queued"})"));
    http_.expect(answer(502, "see https://a/b?Signature=s3cr3t"));
    http_.expect(answer(200, R"({"id":"t-1","status":"Running","progress":40,"amount":2})"));
    http_.expect(answer(200, R"({"id":"t-1","status":"running","progress":90,"amount":2})"));
    http_.expect(
        answer(200, R"({"id":"t-1","status":"completed","video_url":"https://a/b?Signature=s3cr3t"})"));
    TaskClient tasks = client();
    ASSERT_TRUE(tasks.submit(request_, nullptr));
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(tasks.query("t-1", std::nullopt, nullptr));
  }
};

TEST_F(TaskLogTest, TellsOfEachTransitionOnceAtInfo) {
  LogLines log("genclip-task:4");
  follow_a_task();
  EXPECT_EQ(log.text(),
            "INFO genclip-task: submit: not accepted, again in 500 ms: Could not connect.\n"
            "INFO genclip-task: submit: not accepted, again in 1000 ms: The service accepts no more requests "
            "for now. Run again later. It says: slow down ***. [HTTP 429]\n"
            "INFO genclip-task: task t-1: submitted, queued\n"
            "INFO genclip-task: task t-1: queued -> processing\n"
            "INFO genclip-task: task t-1: processing -> completed\n");
}

TEST_F(TaskLogTest, TellsOfEachPollAtDebugWithoutSecrets) {
  LogLines log("*:9");
  follow_a_task();
  const std::string text = log.text();
  EXPECT_NE(text.find("DEBUG genclip-task: task t-1: queued (\"queued\"), -1 %, -1 credits\n"), text.npos)
      << text;
  EXPECT_NE(text.find("DEBUG genclip-task: task t-1: processing (\"Running\"), 40 %, 2 credits\n"), text.npos)
      << text;
  EXPECT_NE(text.find("DEBUG genclip-task: task t-1: no answer, again in 500 ms: The service failed"),
            text.npos)
      << text;
  EXPECT_EQ(text.find("s3cr3t"), text.npos) << text;
  EXPECT_EQ(text.find("Very"), text.npos) << text;
  EXPECT_EQ(text.find("a storm"), text.npos) << "the prompt is nobody's business: " << text;
}

TEST_F(TaskLogTest, TellsWhyATaskFailedAndOfTasksItDidNotSubmit) {
  LogLines log("genclip-task:4");
  http_.expect(answer(200, R"({"status":"failed","error":"The image\nwas refused."})"));
  EXPECT_TRUE(client().query("a\nb", std::nullopt, nullptr));
  EXPECT_EQ(log.text(), "INFO genclip-task: task a b: not known before -> failed: The image was refused.\n");
}

TEST_F(TaskLogTest, WarnsOnceOfAnOutageThatLastsAndTellsOfItsEnd) {
  for (int i = 0; i < 9; ++i) http_.expect(answer(503, R"({"message":"maintenance"})"));
  http_.expect(answer(200, R"({"id":"t-1","status":"queued"})"));
  http_.expect(answer(502, ""));
  http_.expect(answer(200, R"({"id":"t-1","status":"queued"})"));
  TaskClient tasks = client();
  LogLines log("genclip-task:3");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(tasks.query("t-1", std::nullopt, nullptr));
  const std::string text = log.text();
  EXPECT_EQ(
      text.find("WARN genclip-task: task t-1: the service has not answered about it for 31 s. It is asked "
                "again; the task stays at the service. "),
      0u)
      << text;
  EXPECT_NE(text.find("maintenance"), text.npos) << text;
  EXPECT_NE(text.find("[task t-1; HTTP 503"), text.npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << "once, and a short outage is none: " << text;
}

TEST_F(TaskLogTest, TellsThatAnOutageIsOver) {
  for (int i = 0; i < 9; ++i) http_.expect(not_sent());
  http_.expect(answer(200, R"({"id":"t-1","status":"queued"})"));
  TaskClient tasks = client();
  LogLines log("genclip-task:4");
  ASSERT_TRUE(tasks.query("t-1", std::nullopt, nullptr));
  const std::string text = log.text();
  const auto over = text.find("INFO genclip-task: task t-1: the service reports it again, after ");
  EXPECT_NE(over, text.npos) << text;
  EXPECT_LT(text.find("WARN"), over) << text;
}

TEST(PollIntervalWarning, IsForServicesElsewhereAndIntervalsTheyDoNotWish) {
  const struct {
    int interval_ms;
    const char *base_url;
    bool warns;
  } rows[] = {
      {4999, "https://api.example/prefix", true},  {5000, "https://api.example/prefix", false},
      {7000, "https://api.example/prefix", false}, {10000, "https://api.example/prefix", false},
      {10001, "https://api.example/prefix", true}, {10, "http://192.0.2.7:8080", true},
      {10, "http://127.0.0.1:8080", false},        {10, "http://127.8.9.1", false},
      {10, "http://localhost/prefix", false},      {600000, "http://[::1]:1", false},
      {10, "http://localhost.example", true},
  };
  for (const auto &row : rows) {
    LogLines log("genclip-task:2");
    warn_of_poll_interval(std::chrono::milliseconds(row.interval_ms), row.base_url);
    EXPECT_EQ(log.text().find("WARN genclip-task: poll-interval is " + std::to_string(row.interval_ms)) == 0,
              row.warns)
        << row.base_url << ": " << log.text();
    EXPECT_EQ(log.text().empty(), !row.warns);
  }
}

}  // namespace
}  // namespace genclip::test
