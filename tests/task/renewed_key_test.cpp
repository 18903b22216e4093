// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A key that expires while a task runs, and is renewed in its file: what is sent again, with which key, and
// what the caller is told around it.
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temporary_folder.h"
#include "tests/task/task_fixture.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kRefusal[] = R"({"error":{"message":"the key has expired"}})";
constexpr char kRunning[] = R"({"id":"t-1","status":"processing"})";

class RenewedKey : public TaskClientTest {
 protected:
  RenewedKey() {
    key_ = {"sk-1", folder_.file("key")};
    http_.before_answer([this](const HttpRequest &request) { keys_.push_back(request.bearer_key); });
  }

  void renew_with(const std::string &key) {
    std::ofstream(key_.file) << key << "\n";
    ASSERT_EQ(::chmod(key_.file.c_str(), 0600), 0);
  }
  SubmitHooks hooks() {
    return {.before_post = [this]() -> Result<void> {
              steps_.emplace_back("intent");
              return {};
            },
            .before_wait =
                [this](const Error &refusal, std::chrono::milliseconds) {
                  steps_.push_back("refused " + std::to_string(refusal.http_status));
                },
            .after_wait = [this] { steps_.emplace_back("retried"); }};
  }

  TemporaryFolder folder_;
  std::vector<std::string> keys_;  // One for each request.
  std::vector<std::string> steps_;
};

TEST_F(RenewedKey, RepeatsTheQueryAtOnceAndServesTheNextOnes) {
  auto tasks = client();
  renew_with("sk-1");
  http_.expect(answer(200, kRunning));
  ASSERT_TRUE(tasks.query("t-1", std::nullopt, nullptr));
  renew_with("sk-2");
  http_.expect(answer(401, kRefusal));
  http_.expect(answer(200, kRunning), 2);
  const auto task = tasks.query("t-1", std::nullopt, nullptr);
  ASSERT_TRUE(task) << task.error().text;
  EXPECT_EQ(task->status, TaskStatus::processing);
  ASSERT_TRUE(tasks.query("t-1", std::nullopt, nullptr));
  EXPECT_THAT(keys_, ElementsAre("sk-1", "sk-1", "sk-2", "sk-2"));
  EXPECT_THAT(clock_.pauses(), IsEmpty());
}

TEST_F(RenewedKey, IsFoundAgainAndAgain) {
  auto tasks = client(0);
  for (const std::string next : {"sk-2", "sk-3", "sk-4"}) {
    renew_with(next);
    http_.expect(answer(401, kRefusal));
    http_.expect(answer(200, kRunning));
    ASSERT_TRUE(tasks.query("t-1", std::nullopt, nullptr)) << next;
    EXPECT_EQ(keys_.back(), next);
  }
}

TEST_F(RenewedKey, MayItselfBeRenewedBeforeItIsUsed) {
  renew_with("sk-2");
  http_.before_answer([this](const HttpRequest &request) {
    keys_.push_back(request.bearer_key);
    renew_with(keys_.size() == 1 ? "sk-2" : "sk-3");
  });
  http_.expect(answer(401, kRefusal), 2);
  http_.expect(answer(200, kRunning));
  EXPECT_TRUE(query());
  EXPECT_THAT(keys_, ElementsAre("sk-1", "sk-2", "sk-3"));
}

TEST_F(RenewedKey, ThatIsTheSameIsRefusedOnce) {
  renew_with("sk-1");
  http_.expect(answer(401, kRefusal));
  const auto task = query();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().kind, ErrorKind::not_authorized);
  EXPECT_EQ(query_outcome(task.error()), QueryOutcome::key_refused);
  EXPECT_THAT(task.error().text, HasSubstr("Check api-key"));
  EXPECT_EQ(task.error().service_message, "the key has expired");
  EXPECT_THAT(task.error().debug, HasSubstr("has not changed"));

  http_.expect(answer(401, kRefusal));
  const auto submitted = client().submit(request_, nullptr, {}, hooks());
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().outcome(), SubmitOutcome::key_refused);
  EXPECT_THAT(steps_, ElementsAre("intent"));
  EXPECT_THAT(clock_.pauses(), IsEmpty());
}

TEST_F(RenewedKey, ThatCannotBeReadLeavesTheRefusal) {
  http_.expect(answer(401, kRefusal));
  const auto task = query();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().http_status, 401u);
  EXPECT_THAT(task.error().debug, HasSubstr("cannot be read"));
}

TEST_F(RenewedKey, IsReadAfterNoOtherRefusal) {
  renew_with("sk-2");
  for (const unsigned status : {402u, 403u, 407u}) {
    http_.expect(answer(status, "{}"));
    EXPECT_FALSE(query()) << status;
    http_.expect(answer(status, "{}"));
    EXPECT_FALSE(submit()) << status;
  }
  EXPECT_THAT(keys_, testing::Each("sk-1"));
}

TEST_F(RenewedKey, RepeatsTheSubmitWithAnIntentForEachPost) {
  auto tasks = client(0);
  renew_with("sk-2");
  http_.expect(answer(401, kRefusal));
  http_.expect(answer(200, kTask));
  const auto task = tasks.submit(request_, cancellable_.get(), {}, hooks());
  ASSERT_TRUE(task) << task.error().error.text;
  EXPECT_EQ(task->id, "t-1");
  EXPECT_THAT(steps_, ElementsAre("intent", "refused 401", "retried", "intent"));
  EXPECT_THAT(clock_.pauses(), IsEmpty());
  const auto sent = http_.requests();
  EXPECT_EQ(sent.at(0).request.body, sent.at(1).request.body);
  http_.expect(answer(200, kRunning));
  EXPECT_TRUE(tasks.query("t-1", begin_, nullptr));
  EXPECT_THAT(keys_, ElementsAre("sk-1", "sk-2", "sk-2"));
}

TEST_F(RenewedKey, IsNoTryOfTheSubmit) {
  renew_with("sk-2");
  http_.expect(answer(503, ""));
  http_.expect(answer(401, kRefusal));
  http_.expect(answer(503, ""));
  http_.expect(answer(200, kTask));
  EXPECT_TRUE(submit(2));
  EXPECT_THAT(clock_.pauses(), testing::SizeIs(2));
}

TEST_F(RenewedKey, RepeatsNoSubmitWhoseOutcomeIsUnknown) {
  renew_with("sk-2");
  http_.expect(answer(401, kRefusal));
  http_.expect(lost());
  const auto task = submit();
  ASSERT_FALSE(task);
  EXPECT_TRUE(task.error().outcome_unknown);
}

TEST_F(RenewedKey, RepeatsNoSubmitThatIsCancelled) {
  renew_with("sk-2");
  http_.before_answer([this](const HttpRequest &) { g_cancellable_cancel(cancellable_.get()); });
  http_.expect(answer(401, kRefusal));
  const auto task = submit();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().outcome(), SubmitOutcome::cancelled);
}

TEST_F(RenewedKey, IsMaskedAsTheOldOneWas) {
  renew_with("sk-renewed");
  const std::string echo = R"({"error":{"message":"no, sk-renewed is bad"}})";
  auto tasks = client();
  http_.expect(answer(401, kRefusal));
  http_.expect(answer(400, echo));
  const auto refused = tasks.submit(request_, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.service_message, "no, *** is bad");
  EXPECT_THAT(refused.error().error.text, Not(HasSubstr("sk-renewed")));
  http_.expect(answer(200, R"({"id":"t-1","status":"failed","error":"sk-renewed is refused"})"));
  const auto failed = tasks.query("t-1", std::nullopt, nullptr);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->error_message, "*** is refused");
}

}  // namespace
}  // namespace genclip::test
