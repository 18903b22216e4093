// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The body of an answer is read before its status is believed: an ID is worth money, and a task's end is one.
#include "tests/task/task_fixture.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

class AnyStatus : public TaskClientTest {};

constexpr char kDone[] = R"({"id":"t-1","status":"completed","video_url":"https://cdn.example/c.mp4"})";

TEST_F(AnyStatus, KeepsTheIdInTheAnswerToASubmit) {
  for (const unsigned status :
       {200u, 301u, 302u, 400u, 401u, 402u, 403u, 404u, 408u, 409u, 422u, 429u, 500u, 502u, 503u, 504u, 999u})
    for (const char *body : {R"({"id":"t-1"})", R"({"id":"t-1","status":"queued","error":"slow"})",
                             R"([{"task_id":"t-1"}])", R"({"code":7,"data":{"id":"t-1"}})"}) {
      SCOPED_TRACE(std::to_string(status) + " " + body);
      const size_t before = http_.requests().size();
      http_.expect(answer(status, body));
      const auto task = submit();
      ASSERT_TRUE(task) << task.error().error.text;
      EXPECT_EQ(task->id, "t-1");
      EXPECT_EQ(http_.requests().size(), before + 1) << "submitted again";
    }
}

TEST_F(AnyStatus, TakesTheIdOfAnErrorForNoTask) {
  for (const char *body :
       {R"({"error":{"id":"e-1","message":"no"}})", R"({"request_id":"r-1","message":"no"})",
        R"({"errors":[{"id":"e-1","detail":"no"}]})"}) {
    SCOPED_TRACE(body);
    http_.expect(answer(400, body));
    const auto refused = submit();
    ASSERT_FALSE(refused);
    EXPECT_FALSE(refused.error().outcome_unknown);
    http_.expect(answer(500, body));
    const auto doubtful = submit();
    ASSERT_FALSE(doubtful);
    EXPECT_TRUE(doubtful.error().outcome_unknown);
  }
}

TEST_F(AnyStatus, PrefersTheTaskInsideAnEnvelopeThatHasAnIdOfItsOwn) {
  http_.expect(answer(200, R"({"id":"request-9","data":{"id":"t-1","status":"queued"}})"));
  const auto task = submit();
  ASSERT_TRUE(task) << task.error().error.text;
  EXPECT_EQ(task->id, "t-1");
  http_.expect(answer(200, R"({"id":"request-9","data":{"id":"t-1","status":"processing"}})"));
  const auto asked = query();
  ASSERT_TRUE(asked) << asked.error().text;
  EXPECT_EQ(asked->status, TaskStatus::processing);
}

TEST_F(AnyStatus, TellsWhatTheSubmitWasAnsweredWithWhenItsTaskIsNotKnown) {
  TaskClient one = client(0);
  http_.expect(answer(400, R"({"id":"t-1","message":"the prompt is empty"})"));
  ASSERT_TRUE(one.submit(request_, nullptr));
  http_.otherwise([](const HttpRequest &) { return answer(404, ""); });
  const auto gone = one.query("t-1", begin_, nullptr, begin_ + seconds(600));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::not_found);
  EXPECT_EQ(gone.error().service_message, "the prompt is empty");
  EXPECT_THAT(gone.error().text, HasSubstr("the prompt is empty"));
}

TEST_F(AnyStatus, BelievesTheStateOfTheTaskInTheAnswerToAQuery) {
  for (const unsigned status : {400u, 403u, 404u, 409u, 410u, 429u, 500u, 502u, 503u}) {
    SCOPED_TRACE(status);
    http_.expect(answer(status, kDone));
    const auto done = query();
    ASSERT_TRUE(done) << done.error().text;
    EXPECT_EQ(done->status, TaskStatus::completed);
    EXPECT_EQ(done->clip_url(), "https://cdn.example/c.mp4");
    http_.expect(answer(status, R"({"task_id":"t-1","status":"Rejected","error":"a face"})"));
    const auto failed = query();
    ASSERT_TRUE(failed) << failed.error().text;
    EXPECT_EQ(failed->status, TaskStatus::failed);
    EXPECT_EQ(failed->error_message, "a face");
  }
  EXPECT_TRUE(clock_.pauses().empty());
}

TEST_F(AnyStatus, AsksAgainWhenAnErrorHasNoStateOfThisTask) {
  for (const char *body :
       {R"({"status":"failed","error":"gateway"})", R"({"id":"t-1","error":"gateway"})",
        R"({"id":"t-2","status":"failed","error":"other"})", R"({"id":"t-1","status":"bad gateway"})"}) {
    SCOPED_TRACE(body);
    http_.expect(answer(502, body));
    http_.expect(answer(200, kTask));
    const auto task = query();
    ASSERT_TRUE(task) << task.error().text;
    EXPECT_EQ(task->status, TaskStatus::queued);
  }
}

TEST_F(AnyStatus, BelievesTheStatusInsideAWrapperWhoeverHasTheId) {
  for (const char *body :
       {R"({"status":"success","data":{"status":"processing"}})",
        R"({"id":"t-1","status":"success","data":{"status":"processing"}})",
        R"({"id":"t-1","status":"completed","data":{"status":"processing"}})",
        R"({"id":"request-9","status":"success","data":{"status":"processing"}})",
        R"({"id":"request-9","status":"success","data":{"id":"t-1","status":"processing"}})",
        R"({"id":"t-1","status":"success","data":{"task_id":"t-1","status":"processing"}})"}) {
    SCOPED_TRACE(body);
    http_.expect(answer(200, body));
    const auto task = query();
    ASSERT_TRUE(task) << task.error().text;
    EXPECT_EQ(task->status, TaskStatus::processing);
  }
}

TEST_F(AnyStatus, DoesNotBelieveAnAnswerAboutAnotherTask) {
  const std::string other =
      R"({"id":"t-2","status":"completed","video_url":"https://cdn.example/other.mp4"})";
  http_.expect(answer(200, other), 2);
  http_.expect(answer(200, kTask));
  const auto task = query();
  ASSERT_TRUE(task) << task.error().text;
  EXPECT_EQ(task->status, TaskStatus::queued);

  http_.expect(answer(200, other), 4);
  const auto never = query(std::nullopt, 3, begin_ + seconds(1800));
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().kind, ErrorKind::read);
  EXPECT_EQ(never.error().task_id, "t-1");
  EXPECT_THAT(never.error().text, HasSubstr("different task"));
  expect_fit_for_people(never.error());
}

TEST_F(AnyStatus, TakesAnIdForTheSameHoweverItIsWritten) {
  for (const char *body :
       {R"({"id":" t-1 ","status":"queued"})", R"({"task_id":"t-1","id":"x","status":"queued"})",
        R"({"id":"x","data":{"id":"t-1","status":"queued"}})"}) {
    http_.expect(answer(200, body));
    const auto task = query();
    ASSERT_TRUE(task) << body << task.error().text;
    EXPECT_EQ(task->id, "t-1") << body;
  }
  http_.expect(answer(200, R"({"id":17.0,"status":"queued"})"));
  EXPECT_TRUE(client().query("17", std::nullopt, nullptr));
}

}  // namespace
}  // namespace genclip::test
