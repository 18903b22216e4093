// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/core/run_ending.h"

#include <filesystem>

#include "plugin/base/mutex.h"
#include "tests/generation/work_fixture.h"

namespace genclip::test {
namespace {

using Ended = genclip::Outcome;

constexpr char kNo[] = R"({"error":{"message":"no"}})";

std::string detail(const Error &error, const std::string &name) {
  for (const ErrorDetail &one : error.details) {
    if (one.name != name) continue;
    if (const auto *text = std::get_if<std::string>(&one.value)) return *text;
    if (const auto *flag = std::get_if<bool>(&one.value)) return *flag ? "true" : "false";
    return std::to_string(std::get<double>(one.value));
  }
  return "-";
}

std::string ending_text(const std::optional<Error> &error) {
  if (!error) return "no error";
  return detail(*error, "outcome") + " " + detail(*error, "charged") + " " + detail(*error, "retry");
}

class KeptFailure final : public GenerationObserver {
 public:
  void on_change(const GenerationState &) override {}
  void on_warning(const Error &) override {}
  void on_failure(const Error &failure) override EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    error_ = failure;
  }
  std::optional<Error> error() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return error_;
  }

 private:
  mutable Mutex mutex_;
  std::optional<Error> error_ GUARDED_BY(mutex_);
};

class Outcomes : public WorkTest {
 protected:
  // Of a run that may end before it has a folder.
  std::optional<Error> failure_of_all(GenerationJob job) {
    const auto observer = std::make_shared<KeptFailure>();
    auto generation = std::make_shared<Generation>(std::move(job), services());
    static_cast<void>(generation->join(observer));
    generation->start([] {});
    const std::weak_ptr<Generation> left = generation;
    generation.reset();
    while (!left.expired()) std::this_thread::yield();
    return observer->error();
  }
};

TEST_F(Outcomes, OfARefusedRequest) {
  service_.odd_submits = {answer(400, kNo)};
  EXPECT_EQ(ending_text(run().error), "refused no false");
}

TEST_F(Outcomes, OfAnAccountWithoutCredits) {
  service_.odd_submits = {answer(402, kNo)};
  EXPECT_EQ(ending_text(run().error), "refused no true") << "somebody may pay in";
}

TEST_F(Outcomes, OfAnAnswerThatIsLost) {
  service_.loses_submit_answers = true;
  EXPECT_EQ(ending_text(run().error), "unknown maybe false");
}

TEST_F(Outcomes, OfATaskThatFails) {
  service_.failure = "moderated";
  EXPECT_EQ(ending_text(run().error), "failed maybe false") << "no amount was told";
}

TEST_F(Outcomes, OfATaskThatIsNotDone) {
  service_.polls = 1'000'000;
  EXPECT_EQ(ending_text(run().error), "running yes true");
}

TEST_F(Outcomes, OfATaskThatTheServiceDoesNotKnowAnyMore) {
  service_.knows_no_task = true;
  EXPECT_EQ(ending_text(run().error), "unknown maybe false");
}

TEST_F(Outcomes, OfAPaidClipThatCannotBeFetched) {
  service_.expired = 1000;
  EXPECT_EQ(ending_text(run().error), "paid-unfetched yes true");
}

TEST_F(Outcomes, OfATaskIdThatIsMistyped) {
  service_.knows_no_task = true;
  GenerationJob attaches = job();
  attaches.task_id = "mistyped";
  EXPECT_EQ(ending_text(run(attaches).error), "not-submitted no false");
}

TEST_F(Outcomes, OfATaskThatAnotherProcessFollows) {
  ClipFolder folder(FileSystem::posix(), path());
  const auto lock = folder.lock_writer([](const std::string &) {});
  ASSERT_TRUE(lock && *lock);
  ClipRecord theirs;
  theirs.identity = job().identity;
  theirs.state = ClipState::submitted;
  theirs.task_id = "theirs";
  ASSERT_TRUE(folder.write_record(theirs));
  const Outcome late = run();
  ASSERT_TRUE(late.error);
  EXPECT_EQ(late.error->kind, ErrorKind::busy);
  EXPECT_EQ(ending_text(late.error), "running yes true");
}

TEST_F(Outcomes, OfARunWithoutAKey) {
  GenerationJob keyless = job();
  keyless.no_key = "There is no key.";
  EXPECT_EQ(ending_text(run(keyless).error), "not-submitted no false");
}

// What the text advises, programs are told, too.
TEST_F(Outcomes, OfReferencesThatCannotBeReadNow) {
  ClipRequest request;
  request.model = "sd_2.0_special";
  request.fields.set("prompt", "a storm");
  request.fields.set("duration", 4);
  request.fields.set("first_image", Json::Array{"https://media.example/a.png"});
  GenerationJob refers = job();
  refers.request = check_request(*Catalog::built_in(), request).value();
  refers.reference_identity = ReferenceIdentity::content;
  for (const auto &[status, ending] :
       {std::pair(503u, "not-submitted no true"), std::pair(404u, "not-submitted no false")}) {
    http_->otherwise([status = status](const HttpRequest &) { return answer(status, ""); });
    EXPECT_EQ(ending_text(failure_of_all(refers)), ending);
  }
  const std::string file = folder_.path() + "/a.png";
  request.fields.set("first_image", Json::Array{file});
  refers.request = check_request(*Catalog::built_in(), request, {.publishes = true}).value();
  EXPECT_EQ(ending_text(failure_of_all(refers)), "not-submitted no false") << "there is none";
  std::filesystem::create_symlink(file, file);
  EXPECT_EQ(ending_text(failure_of_all(refers)), "not-submitted no true") << "it cannot be opened now";
}

TEST_F(Outcomes, OfASuccessAreInItsState) {
  const Outcome first = run();
  ASSERT_FALSE(first.error) << first.text();
  EXPECT_TRUE(first.state.charged);
  const Outcome again = run();
  ASSERT_FALSE(again.error) << again.text();
  EXPECT_FALSE(again.state.charged) << "a stored clip costs nothing";
}

TEST(Ending, RetriesOnlyWhatCanHelpWithoutPayingTwice) {
  const auto retries = [](Ended outcome, Error error, double amount = -1) {
    return ending_of(outcome, error, amount).retry;
  };
  EXPECT_TRUE(retries(Ended::not_submitted, {ErrorKind::open_read}));
  EXPECT_FALSE(retries(Ended::not_submitted, {ErrorKind::settings}));
  EXPECT_FALSE(retries(Ended::not_submitted, {ErrorKind::not_authorized})) << "a key that is missing";
  Error budget{ErrorKind::not_authorized};
  for (const auto &[name, helps] :
       {std::pair("per-day", true), std::pair("total", true), std::pair("tasks-per-day", true),
        std::pair("budget.json", false), std::pair("max-amount", false), std::pair("per-clip", false)}) {
    budget.details = {{"budget", std::string(name)}};
    EXPECT_EQ(retries(Ended::not_submitted, budget), helps) << name;
  }
  Error refused{ErrorKind::failed};
  for (const unsigned status : {402u, 408u, 425u, 429u, 503u, 400u, 401u, 403u, 404u}) {
    refused.http_status = status;
    EXPECT_EQ(retries(Ended::refused, refused), status == 402 || status > 404) << status;
  }
  EXPECT_FALSE(retries(Ended::unknown, {ErrorKind::read}));
  EXPECT_TRUE(retries(Ended::failed, {ErrorKind::failed}, 0));
  EXPECT_FALSE(retries(Ended::failed, {ErrorKind::failed}, 2));
  EXPECT_EQ(ending_of(Ended::failed, {}, 2).charged, Charged::yes);
  EXPECT_EQ(ending_of(Ended::failed, {}, 0).charged, Charged::no);
  EXPECT_TRUE(retries(Ended::running, {ErrorKind::timed_out}));
  EXPECT_TRUE(retries(Ended::paid_unfetched, {ErrorKind::read}));
  EXPECT_TRUE(retries(Ended::paid_unfetched, {ErrorKind::wrong_type})) << "a page may be there for now";
}

TEST(Ending, BelievesAnErrorThatSaysItselfWhetherToTryAgain) {
  Error error{ErrorKind::not_authorized};
  error.details.push_back({"retry", false});
  EXPECT_EQ(ending_text(with_ending(error, {Ended::paid_unfetched, Charged::yes, true})),
            "paid-unfetched yes false");
}

TEST(Ending, IsToldOnce) {
  const Error once = with_ending({ErrorKind::failed}, {Ended::failed, Charged::yes, false});
  EXPECT_EQ(ending_text(with_ending(once, {Ended::stored, Charged::no, true})), "failed yes false");
}

}  // namespace
}  // namespace genclip::test
