// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A later run never forgets what is known about a request: the findings on the journal, one by one.
#include <filesystem>
#include <fstream>

#include "plugin/generation/store_account.h"
#include "plugin/store/clip_removal.h"
#include "tests/generation/work_fixture.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class JournalMemory : public WorkTest {
 protected:
  GenerationJob anew() const {
    GenerationJob other = job();
    other.reuse = false;
    return other;
  }
  GenerationJob without_key() const {
    GenerationJob other = job();
    other.endpoint.api_key = {};
    other.no_key = "There is no API key.";
    return other;
  }
  // A run that leaves its task with the service.
  void leave_task(GenerationJob job) {
    service_.polls = 1000;
    job.timeout = std::chrono::seconds(20);
    const Outcome left = run(std::move(job));
    ASSERT_TRUE(left.error);
    EXPECT_EQ(left.error->kind, ErrorKind::timed_out);
    service_.polls = 1;
  }
  // A run that ends when its task is unknown.
  void lose_task() {
    leave_task(job());
    service_.knows_no_task = true;
    EXPECT_TRUE(run().error);
    const auto lost = record();
    ASSERT_TRUE(lost);
    ASSERT_EQ(lost->state, ClipState::lost);
  }
  Outcome run_whole(const GenerationJob &job) {
    Outcome outcome = run(job);
    EXPECT_FALSE(outcome.error) << outcome.text();
    return outcome;
  }
  Outcome run_whole() { return run_whole(job()); }
};

// ---- M6: a folder that was removed while its task ran was paid again silently.

TEST_F(JournalMemory, ATaskWhoseFolderWasRemovedIsAskedFor) {
  for (int removed = 0; removed < 3; ++removed) {
    leave_task(job());
    fs::remove_all(path().folder());
  }
  const Outcome last = run_whole();
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_EQ(last.state.task_id, "task-1");
  EXPECT_THAT(last.warnings, IsEmpty());
}

TEST_F(JournalMemory, AClipThatDidNotComeIsAskedForThoughItsFolderWasRemoved) {
  service_.expired = 1000;
  ASSERT_TRUE(run().error);
  service_.expired = 0;
  fs::remove_all(path().folder());
  run_whole();
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(JournalMemory, AStoredClipThatWasRemovedIsPaidAgain) {
  run_whole();
  wait_until_unused(job());
  fs::remove_all(path().folder());
  const Outcome last = run_whole();
  EXPECT_EQ(service_.submits(), 2u);
  EXPECT_THAT(last.warnings, ElementsAre(HasSubstr("was paid for before")));
}

TEST_F(JournalMemory, ASubmitWithoutAnAnswerIsWarnedOfThoughItsFolderWasRemoved) {
  service_.loses_submit_answers = true;
  ASSERT_TRUE(run().error);
  service_.loses_submit_answers = false;
  fs::remove_all(path().folder());
  GenerationJob careful = job();
  careful.may_submit = MaySubmit::unless_in_doubt;
  EXPECT_THAT(run(careful).text(), HasSubstr("never learned whether it was accepted"));
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_THAT(run_whole().warnings, ElementsAre(HasSubstr("may be charged twice")));
  wait_until_unused(job());
  fs::remove_all(path().folder());
  EXPECT_THAT(run_whole().warnings, ElementsAre(HasSubstr("was paid for before")))
      << "of the doubt, the run that paid has said so";
}

// Whoever comes second finds a folder, and must not take it for one in which nothing was ever written.
TEST_F(JournalMemory, ASubmitWithoutAnAnswerIsNotForgottenByARunThatEndsEarly) {
  service_.loses_submit_answers = true;
  ASSERT_TRUE(run().error);
  service_.loses_submit_answers = false;
  fs::remove_all(path().folder());
  GenerationJob keyless = without_key();
  ASSERT_TRUE(run(keyless).error);
  ASSERT_TRUE(record());
  EXPECT_EQ(unanswered_submits_of(*record()), 1u);
  EXPECT_THAT(run_whole().warnings, ElementsAre(HasSubstr("may be charged twice")));
}

TEST_F(JournalMemory, ATaskThatIsUnknownAfterItsFolderWasRemovedIsWarnedOf) {
  leave_task(job());
  fs::remove_all(path().folder());
  service_.knows_no_task = true;
  const Outcome last = run();
  EXPECT_EQ(service_.submits(), 2u);
  EXPECT_THAT(last.warnings, Contains(HasSubstr("does not know the task task-1")));
}

TEST_F(JournalMemory, AForeignTaskThatIsNamedInARemovedFolderKeepsTheOneBeforeItInMind) {
  leave_task(job());
  fs::remove_all(path().folder());
  GenerationJob named = job();
  named.task_id = "foreign";
  service_.polls = 1000;
  named.timeout = std::chrono::seconds(20);
  ASSERT_TRUE(run(named).error);
  ASSERT_TRUE(record());
  EXPECT_THAT(unfetched_tasks_of(*record()), Contains("task-1"));
}

// ---- A journal that is lost in a folder that stays was taken for a request that was never sent.

class LostJournal : public JournalMemory {
 protected:
  GenerationJob careful() const {
    GenerationJob other = job();
    other.may_submit = MaySubmit::unless_in_doubt;
    return other;
  }
  // A run that dies while its request is on its way.
  void die_amid_the_submit() {
    http_->before_answer([&](const HttpRequest &request) {
      if (request.method == HttpRequest::Method::post) files_.die_at(1);
    });
    service_.loses_submit_answers = true;
    EXPECT_TRUE(run().error);
    http_->before_answer(nullptr);
    service_.loses_submit_answers = false;
    crash(Loss::nothing);
    ASSERT_EQ(record()->state, ClipState::intent);
  }
  void die_before_the_intent() {
    for (size_t at = 1; charges().empty(); ++at) {
      files_.die_at(files_.operations() + at);
      EXPECT_TRUE(run().error);
      crash(Loss::nothing);
    }
    ASSERT_FALSE(record());
    ASSERT_EQ(charges().front().state, ChargeState::reserved);
  }
  std::vector<Charge> charges() {
    const auto reading = Ledger(FileSystem::posix(), clock_, job().store).read_all();
    return reading ? reading->account.charges() : std::vector<Charge>();
  }
  void remove_files(const std::string &prefix) {
    for (const auto &file : fs::directory_iterator(path().folder()))
      if (file.path().filename().string().starts_with(prefix)) fs::remove(file.path());
  }
};

TEST_F(LostJournal, OfARequestOnItsWayIsADoubtWhateverElseIsLeft) {
  const std::vector<std::function<void()>> losses = {[this] { fs::remove(path().record()); },
                                                     [this] { remove_files("task.json"); },
                                                     [this] { remove_files(""); },
                                                     [this] {
                                                       fs::remove_all(path().folder());
                                                       fs::create_directory(path().folder());
                                                     }};
  for (const auto &lose : losses) {
    fs::remove_all(job().store);
    const unsigned before = service_.submits();
    die_amid_the_submit();
    lose();
    EXPECT_THAT(run(careful()).text(), HasSubstr("never learned whether it was accepted"));
    EXPECT_EQ(service_.submits(), before + 1);
    EXPECT_THAT(run_whole().warnings, ElementsAre(HasSubstr("may be charged twice")));
  }
}

TEST_F(LostJournal, IsADoubtForWhoeverLooksAtTheLedger) {
  die_amid_the_submit();
  fs::remove(path().record());
  Ledger ledger(files_, clock_, job().store);
  ASSERT_TRUE(reconcile(files_, ledger, job().store, "", nullptr));
  EXPECT_EQ(charges().front().state, ChargeState::unknown);
}

// Between the ledger's line and the intent nothing is sent.
TEST_F(LostJournal, WasNeverThereIfTheRunDiedBeforeItsIntent) {
  die_before_the_intent();
  EXPECT_THAT(run(careful()).warnings, IsEmpty());
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_EQ(charges().front().state, ChargeState::released);
}

TEST_F(LostJournal, WasNeverThereForWhoeverLooksAtTheLedger) {
  die_before_the_intent();
  Ledger ledger(files_, clock_, job().store);
  ASSERT_TRUE(reconcile(files_, ledger, job().store, "", nullptr));
  EXPECT_EQ(charges().front().state, ChargeState::released);
}

TEST_F(LostJournal, WasNeverThereThoughRoomWasMadeBeforeAnybodyLooked) {
  die_before_the_intent();
  ASSERT_TRUE(prune_store(FileSystem::posix(), job().store, 1, ""));
  Ledger ledger(files_, clock_, job().store);
  ASSERT_TRUE(reconcile(files_, ledger, job().store, "", nullptr));
  EXPECT_EQ(charges().front().state, ChargeState::released);
  ASSERT_TRUE(prune_store(FileSystem::posix(), job().store, 1, ""));
  EXPECT_FALSE(fs::exists(path().folder())) << "it has told what it knew";
}

// A version that does not know the file `unsent` has submitted since, and lost its journal.
TEST_F(LostJournal, IsADoubtIfAnotherVersionHasSubmittedSince) {
  for (const bool looks_first : {false, true}) {
    fs::remove_all(job().store);
    die_before_the_intent();
    ASSERT_TRUE(fs::exists(path().unsent()));
    clock_.advance(std::chrono::seconds(1));
    Ledger ledger(FileSystem::posix(), clock_, job().store);
    LedgerEntry entry(LedgerEvent::release, charges().front());
    ASSERT_TRUE(ledger.append({entry}, nullptr));
    entry.event = LedgerEvent::reserve;
    ASSERT_TRUE(ledger.append({entry}, nullptr));
    if (looks_first) {
      ASSERT_TRUE(reconcile(files_, ledger, job().store, "", nullptr));
      EXPECT_EQ(charges().back().state, ChargeState::unknown);
    }
    EXPECT_THAT(run(careful()).text(), HasSubstr("never learned whether it was accepted")) << looks_first;
  }
  EXPECT_EQ(service_.submits(), 0u);
}

TEST_F(LostJournal, WasNeverThereIfABudgetHasRefused) {
  fs::create_directories(job().store);
  std::ofstream(job().store + "/budget.json") << R"({"tasks_per_day": 1, "per_clip": 0.001})";
  EXPECT_TRUE(run().error);
  EXPECT_FALSE(fs::exists(path().unsent())) << "nothing is reserved";
}

// ---- A task that was completed is paid, whichever process has seen it, and whatever the service says later.

class PaidTask : public JournalMemory {
 protected:
  // A run that sees the task completed and gets no clip. Later the service says that the task failed.
  void complete_task(const GenerationJob &job) {
    service_.polls = 0;
    service_.odd_media = {1000, answer(403, "")};
    const Outcome left = run(job);
    ASSERT_TRUE(left.error);
    EXPECT_THAT(left.error->details, Contains(ErrorDetail{"outcome", "paid-unfetched"}));
    service_.odd_media.clear();
    service_.failure = "storage lost";
  }
  void complete_task() { complete_task(job()); }
  GenerationJob careful() const {
    GenerationJob other = job();
    other.may_submit = MaySubmit::unless_in_doubt;
    return other;
  }
  void expect_paid(const Outcome &ended) {
    ASSERT_TRUE(ended.error);
    EXPECT_THAT(ended.text(), HasSubstr("was completed and is paid for"));
    EXPECT_THAT(ended.error->details, Contains(ErrorDetail{"outcome", "paid-unfetched"}));
    EXPECT_THAT(ended.error->details, Contains(ErrorDetail{"charged", "yes"}));
    EXPECT_THAT(ended.error->details, Contains(ErrorDetail{"retry", false}));
    EXPECT_EQ(ended.error->task_id, "task-1");
    EXPECT_EQ(ended.error->service_message, service_.failure);
    EXPECT_EQ(service_.submits(), 1u);
  }
  // The service fails what was asked for, and no task that is submitted from now on.
  void fail_only_old_tasks() {
    http_->before_answer([this](const HttpRequest &request) {
      if (request.method == HttpRequest::Method::post) service_.failure = "";
    });
  }
};

TEST_F(PaidTask, ThatFailsLaterIsPaidForEveryProcess) {
  complete_task();
  expect_paid(run());
  EXPECT_EQ(record()->state, ClipState::lost);
  expect_paid(run(careful()));
  fail_only_old_tasks();
  const std::vector<std::string> warnings = run_whole().warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("task-1 of this request was completed and is paid for (2.5 credits)"));
  EXPECT_THAT(warnings[0], HasSubstr("failed. It says: storage lost. The request is submitted again"));
  EXPECT_EQ(service_.submits(), 2u);
  wait_until_unused(job());
  EXPECT_THAT(run_whole(anew()).warnings, IsEmpty()) << "the run that paid has said so";
}

TEST_F(PaidTask, ThatFailsLaterIsPaidThoughItsFolderWasRemoved) {
  complete_task();
  fs::remove_all(path().folder());
  expect_paid(run());
  fs::remove_all(path().folder());
  expect_paid(run(careful()));
  expect_paid(run(careful()));
  service_.failure = "";
  EXPECT_EQ(run_whole().state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(PaidTask, ThatFailsLaterIsPaidThoughItsJournalDoesNotSaySo) {
  complete_task();
  ASSERT_TRUE(record());
  ClipRecord old = *record();
  old.completed_tasks.clear();
  {
    ClipFolder folder(FileSystem::posix(), path());
    const auto lock = folder.lock_writer([](const std::string &) {});
    ASSERT_TRUE(lock && *lock);
    ASSERT_TRUE(folder.write_record(old));
  }
  expect_paid(run());
}

TEST_F(PaidTask, OfAStoredClipWhoseFileIsGoneIsPaid) {
  run_whole();
  wait_until_unused(job());
  fs::remove(path().file("clip.mp4"));
  service_.failure = "expired";
  expect_paid(run());
  expect_paid(run(careful()));
}

TEST_F(PaidTask, OfAStoredClipWhoseFileIsGoneIsPaidThoughItsFolderWasRemoved) {
  run_whole();
  wait_until_unused(job());
  fs::remove(path().file("clip.mp4"));
  service_.odd_media = {1000, answer(403, "")};
  ASSERT_TRUE(run().error);
  service_.odd_media.clear();
  fs::remove_all(path().folder());
  EXPECT_EQ(run_whole().state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(PaidTask, ThatTheServiceDoesNotKnowLaterIsPaidForEveryProcess) {
  complete_task();
  service_.failure = "";
  service_.knows_no_task = true;
  for (int restart = 0; restart < 3; ++restart) {
    const Outcome ended = run(careful());
    ASSERT_TRUE(ended.error);
    EXPECT_THAT(ended.text(), HasSubstr("does not know the task task-1"));
    EXPECT_THAT(ended.error->details, Contains(ErrorDetail{"outcome", "paid-unfetched"}));
    EXPECT_THAT(ended.error->details, Contains(ErrorDetail{"charged", "yes"}));
    EXPECT_THAT(ended.error->details, Contains(ErrorDetail{"retry", false}));
  }
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(PaidTask, ThatWasToReplaceAClipAndFailsLaterIsToldOf) {
  run_whole();
  wait_until_unused(job());
  complete_task(anew());
  const Outcome served = run_whole();
  EXPECT_EQ(served.state.task_id, "task-1");
  EXPECT_THAT(served.warnings,
              ElementsAre(HasSubstr("The task task-2 of this request was completed and is paid for")));
  GenerationJob other = anew();
  other.may_submit = MaySubmit::unless_in_doubt;
  const Outcome doubt = run(other);
  ASSERT_TRUE(doubt.error);
  EXPECT_EQ(doubt.error->task_id, "task-2");
  EXPECT_EQ(service_.submits(), 2u);
}

// Its credits count, and whoever pays again is told of them.
TEST_F(PaidTask, ThatHasToldAnAmountAndFailsIsToldOfThoughItsFolderWasRemoved) {
  service_.tells_amount = "processing";
  leave_task(job());
  fs::remove_all(path().folder());
  service_.failure = "moderated";
  fail_only_old_tasks();
  const Outcome again = run_whole();
  EXPECT_EQ(service_.submits(), 2u);
  EXPECT_THAT(again.warnings,
              ElementsAre(HasSubstr("task-1 of this request has failed, and has cost 2.5 credits")));
}

TEST_F(PaidTask, ThatWasToReplaceAClipAndFailsIsToldWithItsCredits) {
  run_whole();
  wait_until_unused(job());
  leave_task(anew());
  service_.tells_amount = "failed";
  service_.failure = "moderated";
  EXPECT_THAT(run_whole().warnings,
              ElementsAre(HasSubstr("has failed, and has cost 2.5 credits. It says: moderated. Its clip")));
}

// ---- What is said of a task that was to replace a clip.

TEST_F(JournalMemory, ATaskThatFailsToReplaceAClipIsNamed) {
  run_whole();
  wait_until_unused(job());
  service_.failure = "moderated";
  const Outcome failed = run(anew());
  ASSERT_TRUE(failed.error);
  EXPECT_EQ(failed.error->task_id, "task-2");
  ASSERT_TRUE(record());
  EXPECT_EQ(record()->task_id, "task-1") << "the journal goes back to the clip that is there";
}

// ---- A1

TEST_F(JournalMemory, WithoutReuseATaskWhoseClipNobodyHasIsAttachedTo) {
  for (int left = 0; left < 3; ++left) leave_task(anew());
  const Outcome last = run_whole(anew());
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_EQ(last.state.task_id, "task-1");
}

TEST_F(JournalMemory, WithoutReuseACutDownloadIsResumed) {
  service_.cuts = {100'000};
  GenerationJob hasty = anew();
  hasty.retries = 0;
  EXPECT_TRUE(run(hasty).error);
  const size_t before = service_.media_bytes();
  run_whole(anew());
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_LT(service_.media_bytes() - before, service_.clip().size()) << "the part was kept";
}

TEST_F(JournalMemory, WithoutReuseALostTaskIsAskedForBeforeAnythingIsPaid) {
  lose_task();
  service_.knows_no_task = false;
  const Outcome again = run_whole(anew());
  EXPECT_EQ(again.state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(JournalMemory, ATaskThatIsToReplaceAClipIsFetchedByAPlainRunOnceItIsDone) {
  run_whole();
  leave_task(anew());
  service_.polls = 1000;
  EXPECT_EQ(run_whole().state.task_id, "task-1") << "until then the stored clip is served";
  service_.polls = 1;
  EXPECT_EQ(run_whole().state.task_id, "task-2");
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(JournalMemory, AClipIsServedWhileItsSuccessorCannotBeFetched) {
  run_whole();
  leave_task(anew());
  for (int i = 0; i < 50; ++i) service_.odd_media.push_back(answer(404, ""));
  const Outcome old = run_whole();
  EXPECT_EQ(old.state.task_id, "task-1");
  EXPECT_THAT(old.warnings, ElementsAre(HasSubstr("The stored one is served")));
  EXPECT_EQ(record()->state, ClipState::submitted);
  service_.odd_media.clear();
  EXPECT_EQ(run_whole(anew()).state.task_id, "task-2");
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(JournalMemory, AClipIsServedWithinSecondsWhateverTheMediaOfItsSuccessorDo) {
  run_whole();
  leave_task(anew());
  for (const unsigned status : {403u, 404u, 503u}) {
    service_.expired = 1000;
    service_.expired_status = status;
    const auto begun = clock_.elapsed();
    EXPECT_EQ(run_whole().state.task_id, "task-1");
    EXPECT_LT(clock_.elapsed() - begun, std::chrono::seconds(10)) << status;
  }
  service_.expired = 0;
  EXPECT_EQ(run_whole().state.task_id, "task-2");
}

// The first query says that it is completed; those behind it bring nothing.
TEST_F(JournalMemory, AClipIsServedWithinSecondsWhateverTheServiceSaysNextOfItsSuccessor) {
  const std::map<std::string, std::function<void(FakeService &)>> turns = {
      {"It continues at the service", [](auto &service) { service.polls = 1000; }},
      {"not available for now", [](auto &service) { service.odd_query = answer(503, ""); }},
      {"does not know this task", [](auto &service) { service.knows_no_task = true; }},
      {"does not have the newer one any more. It says: moderated.",
       [](auto &service) { service.failure = "moderated"; }}};
  for (const auto &[said, turn] : turns) {
    SCOPED_TRACE(said);
    World world;
    world.use(world.service_);
    ASSERT_FALSE(world.run().error);
    GenerationJob left = world.job();
    left.reuse = false;
    left.timeout = std::chrono::seconds(20);
    world.service_.polls = 1000;
    ASSERT_TRUE(world.run(left).error);
    world.service_.polls = 1;
    unsigned queries = 0;
    const auto *change = &turn;
    world.http_->before_answer([&world, &queries, change](const HttpRequest &) {
      if (++queries == 2) (*change)(world.service_);
    });
    const auto begun = world.clock_.elapsed();
    const Outcome old = world.run();
    EXPECT_FALSE(old.error) << old.text();
    EXPECT_EQ(old.state.task_id, "task-1");
    EXPECT_LT(world.clock_.elapsed() - begun, std::chrono::seconds(10));
    EXPECT_THAT(old.warnings,
                Contains(testing::AllOf(HasSubstr("The stored one is served"), HasSubstr(said))));
    world.http_->before_answer(nullptr);
    EXPECT_EQ(world.service_.submits(), 2u);
  }
}

// Then it is all that there is, and is waited for as any other clip.
TEST_F(JournalMemory, ASuccessorOfAClipThatIsGoneIsWaitedFor) {
  run_whole();
  wait_until_unused(job());
  leave_task(anew());
  fs::remove(path().file("clip.mp4"));
  for (int i = 0; i < 12; ++i) service_.odd_media.push_back(answer(404, ""));
  service_.polls = 1000;
  unsigned queries = 0;
  http_->before_answer([&](const HttpRequest &) {
    if (++queries == 2) service_.polls = 1;
  });
  EXPECT_EQ(run_whole().state.task_id, "task-2");
}

TEST_F(JournalMemory, ACompletedSuccessorOfAClipThatIsGoneIsWaitedFor) {
  run_whole();
  wait_until_unused(job());
  leave_task(anew());
  fs::remove(path().file("clip.mp4"));
  for (int i = 0; i < 12; ++i) service_.odd_media.push_back(answer(404, ""));
  service_.polls = 1;
  EXPECT_EQ(run_whole().state.task_id, "task-2");
}

TEST_F(JournalMemory, AClipIsServedWithoutTheNetworkAndWithoutAKeyWhateverItsSuccessorDoes) {
  run_whole();
  leave_task(anew());
  EXPECT_EQ(run_whole(without_key()).state.task_id, "task-1");
  http_->expect(not_sent(), 50);
  const Outcome offline = run_whole();
  EXPECT_EQ(offline.state.task_id, "task-1");
}

TEST_F(JournalMemory, AClipIsServedThoughTheEndOfItsSuccessorCannotBeJournalled) {
  run_whole();
  leave_task(anew());
  service_.failure = "moderated";
  files_.limit_space(0);
  EXPECT_EQ(run_whole().state.task_id, "task-1");
}

// ---- A2

TEST_F(JournalMemory, ALostTaskOutlivesASubmitThatIsRefused) {
  lose_task();
  service_.odd_submits = {answer(404, "")};
  EXPECT_TRUE(run().error);
  EXPECT_EQ(record()->state, ClipState::lost);
  EXPECT_EQ(record()->task_id, "task-1");
  service_.knows_no_task = false;
  EXPECT_EQ(run_whole().state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 1u) << "never paid twice";
}

TEST_F(JournalMemory, ALostTaskOutlivesACrashAmidASubmit) {
  lose_task();
  http_->before_answer([&](const HttpRequest &request) {
    if (request.method == HttpRequest::Method::post) files_.die_at(1);
  });
  service_.odd_submits = {answer(402, "")};
  EXPECT_TRUE(run().error);
  http_->before_answer(nullptr);
  crash(Loss::both);
  ASSERT_EQ(record()->state, ClipState::intent);
  service_.knows_no_task = false;
  EXPECT_EQ(run_whole().state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(JournalMemory, ATaskFromBeforeALostOneIsAskedForWhenTheLaterOneFails) {
  lose_task();
  service_.failure = "moderated";
  http_->before_answer([this](const HttpRequest &request) {
    if (request.method == HttpRequest::Method::post) service_.knows_no_task = false;
  });
  EXPECT_THAT(run().warnings, ElementsAre(HasSubstr("does not know the task task-1")));
  EXPECT_EQ(record()->state, ClipState::failed);
  service_.failure = "";
  EXPECT_EQ(run_whole().state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(JournalMemory, TheRunThatPaysAgainIsTheRunThatWarns) {
  service_.loses_submit_answers = true;
  EXPECT_TRUE(run().error);
  service_.loses_submit_answers = false;
  for (const unsigned status : {401u, 400u}) {
    service_.odd_submits = {answer(status, "")};
    EXPECT_TRUE(run().error);
    EXPECT_EQ(record()->state, ClipState::ambiguous) << "as it was before the refusal";
  }
  EXPECT_THAT(run_whole().warnings, ElementsAre(HasSubstr("An earlier run submitted")));
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(JournalMemory, AWholeClipIsServedThoughTheSubmitOfAnotherWasNotAnswered) {
  run_whole();
  service_.loses_submit_answers = true;
  EXPECT_TRUE(run(anew()).error);
  EXPECT_EQ(record()->state, ClipState::ambiguous);
  EXPECT_EQ(run_whole().state.task_id, "task-1");
  EXPECT_EQ(run_whole(without_key()).state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 2u);
  service_.loses_submit_answers = false;
  EXPECT_THAT(run_whole(anew()).warnings, ElementsAre(HasSubstr("may be charged twice")));
}

TEST_F(JournalMemory, UnansweredSubmitsAreCountedOverARefusalAndAFailure) {
  run_whole();
  service_.loses_submit_answers = true;
  EXPECT_TRUE(run(anew()).error);
  EXPECT_TRUE(run(anew()).error);
  service_.loses_submit_answers = false;
  service_.odd_submits = {answer(402, "")};
  EXPECT_TRUE(run(anew()).error);
  service_.failure = "moderated";
  EXPECT_THAT(run(anew()).warnings, ElementsAre(HasSubstr("2 earlier runs")));
  service_.failure = "";
  EXPECT_EQ(run_whole().state.task_id, "task-1") << "the clip is served meanwhile";
  EXPECT_THAT(run_whole(anew()).warnings, ElementsAre(HasSubstr("2 earlier runs")));
}

TEST_F(JournalMemory, ATaskThatTheUserNamesPutsNoOtherOneOutOfMind) {
  leave_task(job());
  GenerationJob named = job();
  named.task_id = "t-77";
  service_.failure = "moderated";
  EXPECT_TRUE(run(named).error);
  service_.failure = "";
  EXPECT_EQ(run_whole().state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 1u);
}

// Finding: the ending said that nothing was submitted.
TEST_F(JournalMemory, ATaskOfAnotherClipThatTheServiceDoesNotKnowAnyMoreIsKnownFromTheLedger) {
  const auto ending = [&](const std::string &id) {
    GenerationJob named = job();
    named.request = sample_request("another storm");
    named.identity.request = named.request->body();
    named.task_id = id;
    const Outcome outcome = run(named);
    std::string text;
    for (const ErrorDetail &detail : outcome.error.value_or(Error{}).details)
      if (const auto *word = std::get_if<std::string>(&detail.value)) text += *word + " ";
    return text;
  };
  run_whole();
  service_.knows_no_task = true;
  EXPECT_EQ(ending("task-1"), "paid-unfetched yes ");
  EXPECT_EQ(ending("nobodys"), "not-submitted no ");
  fs::remove_all(path().folder());
  EXPECT_EQ(ending("task-1"), "paid-unfetched yes ");
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(JournalMemory, APartThatWasBegunIsKeptUntilAnotherTaskIsAccepted) {
  service_.cuts = {100'000};
  GenerationJob hasty = job();
  hasty.retries = 0;
  EXPECT_TRUE(run(hasty).error);
  service_.knows_no_task = true;
  EXPECT_TRUE(run().error);
  service_.odd_submits = {answer(402, "")};
  EXPECT_TRUE(run().error);
  EXPECT_TRUE(fs::exists(path().part()));
  service_.knows_no_task = false;
  const size_t before = service_.media_bytes();
  run_whole();
  EXPECT_LT(service_.media_bytes() - before, service_.clip().size());
}

// ---- A5

TEST_F(JournalMemory, ANewerJournalIsAnErrorThatChangesAndPaysNothing) {
  run_whole();
  std::ifstream file(path().record());
  std::string text((std::istreambuf_iterator<char>(file)), {});
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 2");
  std::ofstream(path().record()) << text;
  const size_t requests = http_->requests().size();
  const auto names = FileSystem::posix().list(path().folder());
  for (const GenerationJob &any : {job(), anew(), without_key()}) {
    const Outcome newer = run(any);
    ASSERT_TRUE(newer.error);
    EXPECT_EQ(newer.error->kind, ErrorKind::open_read);
    EXPECT_THAT(newer.text(), HasSubstr("newer genclip"));
    EXPECT_THAT(newer.warnings, IsEmpty());
  }
  EXPECT_EQ(http_->requests().size(), requests);
  const auto after = FileSystem::posix().list(path().folder());
  ASSERT_TRUE(names && after);
  EXPECT_EQ(*after, *names);
}

// ---- A12

TEST_F(JournalMemory, ARequestThatCannotBeJournalledIsRefusedBeforeItIsPaid) {
  GenerationJob large = job();
  large.identity.request = Json::Object{{"prompt", std::string(5 << 20, 'x')}};
  for (int time = 0; time < 2; ++time) {
    const Outcome outcome = run(large);
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->kind, ErrorKind::settings);
    EXPECT_THAT(outcome.text(), HasSubstr("too large"));
    EXPECT_THAT(outcome.warnings, IsEmpty()) << "no damaged journal, and nothing that may be charged again";
  }
  EXPECT_EQ(service_.submits(), 0u);
}

TEST_F(JournalMemory, AnEndlessErrorTextFitsTheJournal) {
  service_.failure = std::string(6 << 20, 'x');
  EXPECT_TRUE(run().error);
  ASSERT_TRUE(record());
  EXPECT_EQ(record()->state, ClipState::failed);
}

// ---- B5

TEST_F(JournalMemory, ARunThatEndsWhileTheServiceAsksToWaitLeavesNoDoubt) {
  service_.odd_submits = {answer(429, "", {{"Retry-After", "60"}})};
  const auto generation = std::make_shared<Generation>(job(), services());
  ASSERT_TRUE(generation->join(std::make_shared<KeptWarnings>()));
  http_->before_answer([&](const HttpRequest &) { g_cancellable_cancel(generation->cancellable()); });
  EXPECT_FALSE(ClipWork(*generation).run());
  http_->before_answer(nullptr);
  ASSERT_TRUE(record());
  EXPECT_EQ(record()->state, ClipState::refused);
  EXPECT_THAT(run_whole().warnings, IsEmpty());
}

TEST_F(JournalMemory, AnIntentIsOnDiskBeforeEachTryOfASubmit) {
  service_.odd_submits = {answer(429, "", {{"Retry-After", "60"}}), answer(503, "")};
  std::vector<ClipState> states;
  http_->before_answer([&](const HttpRequest &request) {
    if (request.method == HttpRequest::Method::post) states.push_back(record()->state);
  });
  run_whole();
  EXPECT_THAT(states, ElementsAre(ClipState::intent, ClipState::intent, ClipState::intent));
}

}  // namespace
}  // namespace genclip::test
