// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The behaviour of a run for each state of the store.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "plugin/store/store_listing.h"
#include "tests/generation/work_fixture.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ClipWorkTest : public WorkTest {
 protected:
  GenerationJob job_for(const std::string &prompt) const {
    GenerationJob other = job();
    other.request = sample_request(prompt);
    other.identity.request = other.request->body();
    return other;
  }
  GenerationJob anew() const {
    GenerationJob other = job();
    other.reuse = false;
    return other;
  }
  void write_file(const std::string &name, const std::string &bytes) {
    fs::remove_all(path().file(name));
    std::ofstream(path().file(name), std::ios::binary) << bytes;
  }
  std::vector<std::string> names() const { return taken(FileSystem::posix().list(path().folder())); }
  // A successful run with the service's clip.
  Outcome run_whole(const GenerationJob &job) {
    Outcome outcome = run(job);
    EXPECT_FALSE(outcome.error) << outcome.text();
    EXPECT_TRUE(are_same(outcome.bytes, service_.clip()));
    return outcome;
  }
  Outcome run_whole() { return run_whole(job()); }
};

TEST_F(ClipWorkTest, StoresTheClipWithItsJournal) {
  const Outcome outcome = run_whole();
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_THAT(names(), ElementsAre("clip.mp4", "clip.xmp", "lock", "task.json", "use"));
  const auto stored = record();
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->state, ClipState::complete);
  EXPECT_EQ(stored->task_id, "task-1");
  EXPECT_EQ(stored->amount, 2.5);
  EXPECT_EQ(stored->clip_size, service_.clip().size());
  EXPECT_EQ(stored->media_type, "video/mp4");
  EXPECT_FALSE(outcome.state.reused);
  EXPECT_EQ(outcome.state.clip_location, path().file("clip.mp4"));
  struct stat folder;
  ASSERT_EQ(::stat(path().folder().c_str(), &folder), 0);
  EXPECT_EQ(folder.st_mode & 0777, 0700u);
}

// Nobody else may ever tell that URL.
TEST_F(ClipWorkTest, FetchesWhatTheAnswerToTheSubmitNames) {
  service_.odd_submits.push_back(answer(200, R"({"id":"task-9","status":"completed","amount":7,)"
                                             R"("video_url":"https://media.example/task-9"})"));
  service_.knows_no_task = true;
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(done.state.amount, 7);
  EXPECT_EQ(record()->state, ClipState::complete);
  EXPECT_EQ(record()->task_id, "task-9");
}

// A service that calls the call itself successful may name other URLs in that answer.
TEST_F(ClipWorkTest, BelievesThatATaskFailedWhateverTheAnswerToItsSubmitSaid) {
  service_.odd_submits.push_back(answer(200, R"({"id":"task-9","status":"completed",)"
                                             R"("video_url":"https://media.example/task-9"})"));
  service_.failure = "moderated";
  const Outcome done = run();
  ASSERT_TRUE(done.error);
  EXPECT_THAT(done.text(), HasSubstr("moderated"));
  EXPECT_EQ(record()->state, ClipState::failed);
}

// Readers have its bytes once; whatever is checked at the end must not cost another reading.
TEST_F(ClipWorkTest, ReadsOfANewClipOnlyItsHead) {
  service_.set_clip(sample_mp4(5'000'000));
  const Outcome fresh = run();
  ASSERT_FALSE(fresh.error);
  EXPECT_TRUE(are_same(fresh.bytes, service_.clip()));
  EXPECT_LE(fresh.bytes_read, 64u * 1024);
}

TEST_F(ClipWorkTest, TheIntentIsOnDiskBeforeThePostAndTheIdBeforeTheFirstPoll) {
  http_->before_answer([&](const HttpRequest &request) {
    const auto journal = record();
    ASSERT_TRUE(journal);
    if (request.method == HttpRequest::Method::post) {
      EXPECT_EQ(journal->state, ClipState::intent);
    } else {
      EXPECT_EQ(journal->state, ClipState::submitted);
      EXPECT_EQ(journal->task_id, "task-1");
    }
  });
  run_whole();
}

TEST_F(ClipWorkTest, AnotherRunCanWantItsTaskPolledSooner) {
  GenerationJob slow = job();
  slow.poll_interval = std::chrono::seconds(60);
  service_.polls = 1;
  std::shared_ptr<Generation> generation;
  ActingClock clock(clock_, {{1, [&] { generation->poll_also_for(std::chrono::milliseconds(100)); }}});
  GenerationServices services = this->services();
  services.clock = &clock;
  generation = std::make_shared<Generation>(slow, services);
  const auto done = ClipWork(*generation).run();
  ASSERT_TRUE(done) << done.error().text;
  EXPECT_LT(clock_.elapsed(), std::chrono::seconds(1));
}

TEST_F(ClipWorkTest, TheJournalHoldsNoKey) {
  GenerationJob secret = job();
  secret.endpoint.api_key = {"sk-very-secret"};
  run_whole(secret);
  std::ifstream file(path().record());
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text.find("sk-very-secret"), std::string::npos);
  EXPECT_EQ(text.find("sig="), std::string::npos) << "nor a signed URL";
}

TEST_F(ClipWorkTest, AStoredClipWaitsForNoLockAndAsksNobody) {
  run_whole();
  const size_t requests = http_->requests().size();
  const auto lock = StoreLock::try_lock(path().lock());
  ASSERT_TRUE(lock && *lock);
  const Outcome again = run_whole();
  EXPECT_TRUE(again.state.reused);
  EXPECT_EQ(http_->requests().size(), requests);
  EXPECT_THAT(clock_.pauses().size(), testing::Lt(10u));
}

TEST_F(ClipWorkTest, AttachesToAJournalledTaskInsteadOfSubmittingAgain) {
  service_.polls = 1000;
  GenerationJob hasty = job();
  hasty.timeout = std::chrono::seconds(20);
  const Outcome late = run(hasty);
  ASSERT_TRUE(late.error);
  EXPECT_EQ(late.error->kind, ErrorKind::timed_out);
  EXPECT_EQ(late.error->task_id, "task-1");
  service_.polls = 1;
  const Outcome again = run_whole();
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_TRUE(again.state.reused);
}

TEST_F(ClipWorkTest, ALostAnswerIsAnErrorNowAndAWarningInTheNextRun) {
  service_.loses_submit_answers = true;
  const Outcome lost = run();
  ASSERT_TRUE(lost.error);
  EXPECT_THAT(lost.text(), HasSubstr("unknown"));
  EXPECT_EQ(service_.submits(), 1u) << "never repeated silently";
  EXPECT_EQ(record()->state, ClipState::ambiguous);
  service_.loses_submit_answers = false;
  const Outcome again = run_whole();
  EXPECT_EQ(service_.submits(), 2u);
  EXPECT_THAT(again.warnings, ElementsAre(HasSubstr("charged twice")));
}

TEST_F(ClipWorkTest, EveryLostAnswerIsCountedUntilTheClipIsWhole) {
  service_.loses_submit_answers = true;
  run();
  const std::string clip = "submitted the request of the clip " + path().digest().substr(0, 8);
  EXPECT_THAT(run().warnings, ElementsAre(HasSubstr("An earlier run " + clip + " at 2026-01-01T")));
  EXPECT_EQ(record()->unanswered_submits, 1u);
  EXPECT_THAT(run().warnings,
              ElementsAre(HasSubstr("2 earlier runs " + clip + ", the last one at 2026-01-01T")));
  service_.loses_submit_answers = false;
  EXPECT_THAT(run_whole().warnings, ElementsAre(HasSubstr("charged 4 times")));
  EXPECT_EQ(service_.submits(), 4u);
  EXPECT_EQ(record()->unanswered_submits, 3u) << "what may have been paid stays known";
  run_whole(anew());
  EXPECT_EQ(record()->unanswered_submits, 0u);
}

// ---- Runs that must not submit in doubt, or not at all.

std::string detail_of(const Error &error, const std::string &name) {
  for (const ErrorDetail &detail : error.details)
    if (detail.name == name)
      if (const auto *text = std::get_if<std::string>(&detail.value)) return *text;
  return "";
}

class UnattendedRun : public WorkTest {
 protected:
  GenerationJob job(MaySubmit may_submit = MaySubmit::unless_in_doubt) const {
    GenerationJob job = World::job();
    job.may_submit = may_submit;
    return job;
  }
  void expect_in_doubt(const Outcome &outcome) const {
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(detail_of(*outcome.error, "outcome"), "unknown");
    EXPECT_EQ(detail_of(*outcome.error, "charged"), "maybe");
    EXPECT_THAT(outcome.error->details, testing::Contains(ErrorDetail{"retry", false}));
    EXPECT_THAT(outcome.error->text, HasSubstr("not submitted again"));
    EXPECT_THAT(outcome.error->text, HasSubstr("submit it again")) << "what to do";
  }
};

TEST_F(UnattendedRun, SubmitsWhatNobodyHasSubmitted) {
  EXPECT_FALSE(run(job()).error);
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(UnattendedRun, NeverRepeatsASubmitWhoseAnswerWasLost) {
  service_.loses_submit_answers = true;
  expect_in_doubt(run(job()));
  service_.loses_submit_answers = false;
  for (int restart = 0; restart < 3; ++restart) expect_in_doubt(run(job()));
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_EQ(record()->state, ClipState::ambiguous);
  EXPECT_FALSE(run(World::job()).error) << "a person may";
  EXPECT_FALSE(run(job()).error) << "then it is stored";
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(UnattendedRun, NeverRepeatsASubmitAmidWhichARunDied) {
  ClipRecord intent;
  intent.state = ClipState::intent;
  intent.identity = job().identity;
  intent.model = job().model;
  ClipFolder folder(FileSystem::posix(), path());
  auto lock = folder.lock_writer([](const std::string &) {});
  ASSERT_TRUE(lock && *lock);
  ASSERT_TRUE(folder.write_intent(intent));
  lock->reset();
  expect_in_doubt(run(job()));
  EXPECT_EQ(service_.submits(), 0u);
}

TEST_F(UnattendedRun, AsksForATaskThatWasLostAndPaysNothingWhileItIsUnknown) {
  service_.polls = 1000;
  GenerationJob hasty = job();
  hasty.timeout = std::chrono::seconds(20);
  EXPECT_TRUE(run(hasty).error);
  service_.polls = 1;
  service_.knows_no_task = true;
  for (int restart = 0; restart < 3; ++restart) {
    const Outcome lost = run(job());
    ASSERT_TRUE(lost.error);
    EXPECT_EQ(detail_of(*lost.error, "outcome"), "unknown");
    EXPECT_EQ(lost.error->task_id, "task-1");
  }
  service_.knows_no_task = false;
  EXPECT_FALSE(run(job()).error);
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(UnattendedRun, ThatMustNotSubmitEndsAndLeavesNothing) {
  const Outcome looked = run(job(MaySubmit::never));
  ASSERT_TRUE(looked.error);
  EXPECT_EQ(detail_of(*looked.error, "outcome"), "not-submitted");
  EXPECT_EQ(detail_of(*looked.error, "charged"), "no");
  EXPECT_EQ(service_.submits(), 0u);
  EXPECT_FALSE(std::filesystem::exists(path().folder()));
}

TEST_F(UnattendedRun, ThatMustNotSubmitAttachesToATaskAndServesAClip) {
  service_.polls = 1000;
  GenerationJob hasty = job();
  hasty.timeout = std::chrono::seconds(20);
  EXPECT_TRUE(run(hasty).error);
  service_.polls = 1;
  EXPECT_FALSE(run(job(MaySubmit::never)).error);
  EXPECT_FALSE(run(job(MaySubmit::never)).error);
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(UnattendedRun, ThatMustNotSubmitLeavesAFailedTaskAsItIs) {
  service_.failure = "moderated";
  EXPECT_TRUE(run(job()).error);
  service_.failure.clear();
  const Outcome looked = run(job(MaySubmit::never));
  ASSERT_TRUE(looked.error);
  EXPECT_EQ(detail_of(*looked.error, "outcome"), "not-submitted");
  EXPECT_EQ(record()->state, ClipState::failed);
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(ClipWorkTest, ARefusalIsJournalledAndTheNextRunSubmitsWithoutAWarning) {
  service_.odd_submits = {answer(402, R"({"error":{"message":"no credits"}})")};
  const Outcome refused = run();
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(record()->state, ClipState::refused);
  EXPECT_EQ(record()->http_status, 402u);
  EXPECT_THAT(run_whole().warnings, IsEmpty());
  EXPECT_EQ(service_.submits(), 1u);
}

// Who waits would take a silent service for a long queue.
TEST_F(ClipWorkTest, AServiceThatIsGoneWhileTheTaskIsQueuedIsToldOnceForEachOutage) {
  unsigned fails = 20;
  FakeAnswer failure = not_sent("127.0.0.1:18080 refuses the connection.");
  service_.polls = 4;
  http_->otherwise([&](const HttpRequest &request) -> FakeAnswer {
    const bool is_query = request.method == HttpRequest::Method::get && !request.bearer_key.empty();
    return is_query && fails > 0 ? (--fails, failure) : service_(request);
  });
  const Outcome refused = run_whole();
  EXPECT_THAT(
      refused.warnings,
      ElementsAre("There is no news of the task: 127.0.0.1:18080 refuses the connection. The task stays "
                  "at the service, and genclip asks for it again until the timeout (1800 s)."));

  GenerationJob endless = anew();
  endless.timeout = std::chrono::seconds(0);
  endless.endpoint.api_key = {"sk-very-secret"};
  fails = 20;
  failure = answer(503, R"({"message":"maintenance, sk-very-secret, https://a/b?Signature=s3cr3t"})");
  const Outcome busy = run_whole(endless);
  ASSERT_THAT(busy.warnings, testing::SizeIs(1));
  EXPECT_THAT(busy.warnings[0], HasSubstr("answers with HTTP 503. It says: maintenance"));
  EXPECT_THAT(busy.warnings[0], testing::EndsWith("asks for it again."));
  EXPECT_THAT(busy.warnings[0], Not(HasSubstr("very-secret")));
  EXPECT_THAT(busy.warnings[0], Not(HasSubstr("s3cr3t")));
}

TEST_F(ClipWorkTest, ASubmitThatIsTriedForLongIsTold) {
  service_.odd_submits = std::deque<FakeAnswer>(5, not_sent("127.0.0.1:18080 refuses the connection."));
  EXPECT_THAT(run_whole().warnings,
              ElementsAre("The request is not submitted yet: 127.0.0.1:18080 refuses the connection. genclip "
                          "tries again."));
  service_.odd_submits = {not_sent(), answer(429, "", {{"Retry-After", "1"}})};
  EXPECT_THAT(run_whole(anew()).warnings, IsEmpty()) << "a hiccup";
}

// The token of a task of hours lives for minutes.
TEST_F(ClipWorkTest, GoesOnWithEachKeyThatIsRenewedInItsFile) {
  GenerationJob job = this->job();
  job.endpoint.api_key = {"token-0", folder_.file("key")};
  service_.polls = 6;
  unsigned renewals = 0;
  std::vector<ClipState> at_posts;
  http_->otherwise([&](const HttpRequest &request) -> FakeAnswer {
    if (request.bearer_key.empty()) return service_(request);  // The clip itself.
    if (request.method == HttpRequest::Method::post) at_posts.push_back(record()->state);
    const std::string current = "token-" + std::to_string(renewals);
    if (request.bearer_key != current) ADD_FAILURE() << request.bearer_key << " instead of " << current;
    // Every second call finds that its key has expired meanwhile.
    if (http_->requests().size() % 2 == 0) return service_(request);
    std::ofstream(job.endpoint.api_key.file) << "token-" << ++renewals;
    EXPECT_EQ(::chmod(job.endpoint.api_key.file.c_str(), 0600), 0);
    return answer(401, R"({"error":{"message":"expired"}})");
  });
  const Outcome outcome = run_whole(job);
  EXPECT_THAT(outcome.warnings, IsEmpty());
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_THAT(at_posts, ElementsAre(ClipState::intent, ClipState::intent));
  EXPECT_EQ(record()->unanswered_submits, 0u);
  EXPECT_THAT(record()->earlier_tasks, IsEmpty());
  EXPECT_GE(renewals, 7u);
  std::ifstream file(path().record());
  const std::string journal((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(journal, Not(HasSubstr("token-")));
}

TEST_F(ClipWorkTest, AKeyThatIsNotRenewedIsARefusalLikeAnyOther) {
  GenerationJob job = this->job();
  job.endpoint.api_key = {"sk-1", folder_.file("key")};
  service_.odd_submits = {answer(401, "")};
  EXPECT_THAT(run(job).text(), HasSubstr("does not accept the API key"));
  EXPECT_EQ(http_->requests().size(), 1u);
  EXPECT_EQ(record()->state, ClipState::refused);
  EXPECT_EQ(record()->http_status, 401u);
}

// The journal is that of a refused request while nothing is sent, and the second intent is on disk.
TEST_F(ClipWorkTest, AfterALostAnswerToTheRepeatedSubmitOneRequestIsInDoubt) {
  GenerationJob job = this->job();
  job.endpoint.api_key = {"sk-1", folder_.file("key")};
  std::ofstream(job.endpoint.api_key.file) << "sk-2";
  ASSERT_EQ(::chmod(job.endpoint.api_key.file.c_str(), 0600), 0);
  service_.odd_submits = {answer(401, ""), lost()};
  EXPECT_THAT(run(job).text(), HasSubstr("It is unknown whether the task was created"));
  EXPECT_EQ(record()->state, ClipState::ambiguous);
  EXPECT_EQ(record()->unanswered_submits, 0u) << "but the one of its state";
}

TEST_F(ClipWorkTest, AFailedTaskIsJournalledAndTheNextRunSubmitsAnew) {
  service_.failure = "moderated";
  const Outcome failed = run();
  EXPECT_THAT(failed.text(), HasSubstr("moderated"));
  EXPECT_EQ(record()->state, ClipState::failed);
  service_.failure = "";
  run_whole();
  EXPECT_EQ(service_.submits(), 2u);
  EXPECT_THAT(record()->earlier_tasks, ElementsAre("task-1"));
}

// ---- reuse=false, take, task-id.

TEST_F(ClipWorkTest, WithoutReuseTheClipIsReplacedWhenThereIsANewOne) {
  run_whole();
  service_.set_clip(sample_mp4(150'000, 7));
  run_whole(anew());
  EXPECT_EQ(service_.submits(), 2u);
  EXPECT_EQ(record()->task_id, "task-2");
  EXPECT_THAT(record()->earlier_tasks, ElementsAre("task-1"));
  EXPECT_THAT(run_whole().warnings, IsEmpty());
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(ClipWorkTest, WithoutReuseARefusalOrAFailureLeavesTheOldClip) {
  run_whole();
  service_.odd_submits = {answer(402, "")};
  EXPECT_TRUE(run(anew()).error);
  EXPECT_TRUE(run_whole().state.reused);
  service_.failure = "moderated";
  EXPECT_TRUE(run(anew()).error);
  service_.failure = "";
  EXPECT_TRUE(run_whole().state.reused);
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(ClipWorkTest, WithoutReuseACrashAtAnyOperationServesTheOldOrTheNewClipNeverAMixture) {
  run_whole();
  const std::string old = service_.clip();
  const std::string next = sample_mp4(old.size(), 9);  // Of the same length: only the bytes tell them apart.
  for (const Loss loss : {Loss::nothing, Loss::both}) {
    for (size_t at = 1; at < 150; ++at) {
      SCOPED_TRACE(at);
      World world;
      world.service_.set_clip(old);
      ASSERT_FALSE(world.run().error);
      world.service_.set_clip(next);
      world.crash(Loss::nothing);
      world.files_.die_at(at);
      GenerationJob again = world.job();
      again.reuse = false;
      static_cast<void>(world.run(again));
      world.crash(loss);
      const Outcome last = world.run();
      ASSERT_FALSE(last.error) << last.text();
      EXPECT_TRUE(last.bytes == old || last.bytes == next);
      const bool is_new = last.state.task_id != "task-1";
      EXPECT_TRUE(are_same(last.bytes, is_new ? next : old));
    }
  }
}

TEST_F(ClipWorkTest, AnotherTakeIsAnotherClip) {
  run_whole();
  GenerationJob take = job();
  take.identity.take = 1;
  run_whole(take);
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(ClipWorkTest, ATaskIdIsAttachedToAndNothingIsSubmitted) {
  GenerationJob attach = job();
  attach.request.reset();
  attach.task_id = "t-77";
  attach.identity.request = Json(Json::Object{{"task_id", "t-77"}});
  const Outcome outcome = run_whole(attach);
  EXPECT_EQ(service_.submits(), 0u);
  EXPECT_EQ(outcome.state.task_id, "t-77");
  EXPECT_TRUE(run_whole(attach).state.reused);
}

TEST_F(ClipWorkTest, ATaskIdOtherThanTheStoredOneReplacesItsClipInTheEnd) {
  run_whole();
  GenerationJob attach = job();
  attach.task_id = "t-77";
  service_.failure = "gone";
  EXPECT_TRUE(run(attach).error);
  service_.failure = "";
  EXPECT_EQ(run_whole().state.task_id, "task-1") << "the old clip is still served";
  EXPECT_EQ(run_whole(attach).state.task_id, "t-77");
  EXPECT_EQ(run_whole().state.task_id, "t-77");
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(ClipWorkTest, ATaskIdOtherThanTheRunningOneIsFollowedWithAWarningThatNamesThat) {
  service_.polls = 1000;
  GenerationJob hasty = job();
  hasty.timeout = std::chrono::seconds(20);
  EXPECT_TRUE(run(hasty).error);
  service_.polls = 1;
  GenerationJob attach = job();
  attach.task_id = "t-77";
  const Outcome named = run_whole(attach);
  EXPECT_THAT(named.warnings,
              ElementsAre(testing::AllOf(HasSubstr("The task task-1 of this request"),
                                         HasSubstr("genclip store fetch task-1."),
                                         HasSubstr("attaches to the task that it was given, t-77"))));
  EXPECT_THAT(record()->earlier_tasks, ElementsAre("task-1"));
  EXPECT_THAT(record()->unfetched_tasks, ElementsAre("task-1"));
  EXPECT_THAT(run_whole(attach).warnings, IsEmpty());
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(ClipWorkTest, ATaskThatIsDoneIsNoLongerQueued) {
  GenerationJob attach = job();
  attach.task_id = "t-77";
  service_.polls = 0;    // Done at the first query.
  service_.expired = 1;  // So the task is asked again amid the download.
  std::vector<ClipStatus> statuses;
  for (const GenerationState &state : run_whole(attach).states) {
    EXPECT_FALSE(state.progress == 100 && state.status == ClipStatus::queued);
    if (statuses.empty() || statuses.back() != state.status) statuses.push_back(state.status);
  }
  const auto processed = std::ranges::find(statuses, ClipStatus::processing);
  ASSERT_NE(processed, statuses.end());
  EXPECT_EQ(std::vector(processed, statuses.end()),
            (std::vector{ClipStatus::processing, ClipStatus::downloading, ClipStatus::completed}));
}

TEST_F(ClipWorkTest, ATaskIdThatTheServiceDoesNotKnowLeavesTheJournalAsItWas) {
  GenerationJob attach = job();
  attach.task_id = "t-77";
  service_.knows_no_task = true;
  const Outcome unknown = run(attach);
  ASSERT_TRUE(unknown.error);
  EXPECT_EQ(unknown.error->kind, ErrorKind::not_found);
  EXPECT_THAT(unknown.text(), HasSubstr("does not know the task t-77. It says: no such task."));
  EXPECT_THAT(unknown.text(), HasSubstr("unset task-id"));
  EXPECT_THAT(unknown.text(), Not(HasSubstr("reuse")));
  EXPECT_FALSE(record());

  service_.knows_no_task = false;
  service_.polls = 1000;
  GenerationJob hasty = job();
  hasty.timeout = std::chrono::seconds(20);
  EXPECT_TRUE(run(hasty).error);
  service_.knows_no_task = true;
  EXPECT_TRUE(run(attach).error);
  EXPECT_EQ(record()->state, ClipState::submitted);
  EXPECT_EQ(record()->task_id, "task-1");
  service_.knows_no_task = false;
  service_.polls = 1;
  EXPECT_EQ(run_whole().state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(ClipWorkTest, ATaskByItsIdIsOfTheModelThatTheServiceNames) {
  GenerationJob attach = job();
  attach.request.reset();
  attach.model.clear();
  attach.task_id = "t-77";
  attach.identity.request = Json(Json::Object{{"task_id", "t-77"}});
  EXPECT_EQ(run_whole(attach).state.model, "") << "which it need not";
  fs::remove_all(attach.store);
  service_.model = "horse-1.0-t2v";
  EXPECT_EQ(run_whole(attach).state.model, "horse-1.0-t2v");
  EXPECT_EQ(run_whole(attach).state.model, "horse-1.0-t2v") << "also when it is stored";
  EXPECT_EQ(run_whole().state.model, "dance-2.5") << "a request is of its own model, whatever is said";
}

// ---- A task that the service does not know yet, on the way of queries.

class NewTask : public ClipWorkTest {
 protected:
  // A run that is killed at its first query.
  void SetUp() override {
    const auto killed = std::make_shared<Generation>(job(), services());
    http_->before_answer([&](const HttpRequest &request) {
      if (request.method != HttpRequest::Method::post) g_cancellable_cancel(killed->cancellable());
    });
    EXPECT_FALSE(ClipWork(*killed).run());
    http_->before_answer(nullptr);
    ASSERT_EQ(record()->state, ClipState::submitted);
    service_.knows_no_task = true;
  }
  void know_it_after(std::chrono::seconds time) {
    http_->before_answer([this, known_at = clock_.now() + time](const HttpRequest &) {
      service_.knows_no_task = clock_.now() < known_at;
    });
  }
};

TEST_F(NewTask, IsNotLostToTheNextRunEither) {
  know_it_after(std::chrono::seconds(20));
  EXPECT_EQ(run_whole().state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(NewTask, IsAskedForBeforeAnythingIsPaidWhenAnEarlierRunTookItForLost) {
  ClipFolder folder(FileSystem::posix(), path());
  ClipRecord lost = *record();
  lost.state = ClipState::lost;
  {
    const auto lock = folder.lock_writer([](const std::string &) {});
    ASSERT_TRUE(folder.write_record(lost));
  }
  know_it_after(std::chrono::seconds(20));
  EXPECT_EQ(run_whole().state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(NewTask, IsLostAMinuteAfterItsSubmit) {
  const auto begin = clock_.now();
  EXPECT_TRUE(run().error);
  EXPECT_EQ(record()->state, ClipState::lost);
  EXPECT_GE(clock_.now() - begin, std::chrono::seconds(50));
  EXPECT_LE(clock_.now() - begin, std::chrono::seconds(70));
}

// The wall clock may be set meanwhile.
TEST_F(NewTask, IsNoneWhoseSubmitIsNotOfTheLastMinute) {
  const ClipRecord submitted = *record();
  for (const int seconds : {3600, -61}) {
    ClipRecord told = submitted;
    told.submitted_at += seconds;
    {
      ClipFolder folder(FileSystem::posix(), path());
      const auto lock = folder.lock_writer([](const std::string &) {});
      ASSERT_TRUE(folder.write_record(told));
    }
    const auto begin = clock_.now();
    EXPECT_TRUE(run().error);
    EXPECT_LE(clock_.now() - begin, std::chrono::seconds(10)) << seconds;
  }
}

// ---- A task that the service has forgotten.

class LostTask : public ClipWorkTest {
 protected:
  // A submitted task that no run waited for.
  void SetUp() override {
    service_.polls = 1000;
    GenerationJob hasty = job();
    hasty.timeout = std::chrono::seconds(20);
    EXPECT_TRUE(run(hasty).error);
    service_.polls = 1;
    service_.knows_no_task = true;
  }
  // The service knows tasks that are submitted from now on.
  void know_new_tasks() {
    http_->before_answer([this](const HttpRequest &request) {
      if (request.method == HttpRequest::Method::post) service_.knows_no_task = false;
    });
  }
};

TEST_F(LostTask, IsAnErrorBeforeAnythingIsPaidAnew) {
  const Outcome lost = run();
  ASSERT_TRUE(lost.error);
  EXPECT_EQ(lost.error->kind, ErrorKind::not_found);
  EXPECT_EQ(lost.error->http_status, 404u);
  EXPECT_EQ(lost.error->task_id, "task-1");
  EXPECT_THAT(lost.text(), HasSubstr("does not know the task task-1 of this request any more"));
  EXPECT_THAT(lost.text(), HasSubstr("run again"));
  EXPECT_EQ(record()->state, ClipState::lost);
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(LostTask, IsSubmittedAnewByTheNextRunWithAWarning) {
  EXPECT_TRUE(run().error);
  const unsigned queries = service_.queries();
  know_new_tasks();
  const Outcome again = run_whole();
  EXPECT_THAT(again.warnings, ElementsAre(HasSubstr("task-1 of this request any more")));
  EXPECT_GT(service_.queries(), queries) << "it was asked for once more";
  EXPECT_EQ(service_.submits(), 2u);
  EXPECT_EQ(record()->task_id, "task-2");
  EXPECT_THAT(record()->earlier_tasks, ElementsAre("task-1"));
  EXPECT_THAT(record()->unfetched_tasks, IsEmpty()) << "it was paid again, and that was said";
  EXPECT_THAT(run_whole().warnings, IsEmpty());
}

TEST_F(LostTask, IsAttachedToWhenTheServiceKnowsItAfterAll) {
  EXPECT_TRUE(run().error);
  service_.knows_no_task = false;
  const Outcome again = run_whole();
  EXPECT_THAT(again.warnings, IsEmpty());
  EXPECT_EQ(again.state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_EQ(record()->http_status, 0u);
}

TEST_F(LostTask, CostsNothingWhileTheServiceCannotBeAsked) {
  EXPECT_TRUE(run().error);
  http_->otherwise([](const HttpRequest &) { return answer(500, "{}"); });
  const Outcome again = run();
  ASSERT_TRUE(again.error);
  EXPECT_EQ(again.error->kind, ErrorKind::open_read);
  EXPECT_EQ(record()->state, ClipState::lost);
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(LostTask, OfAClipThatIsStoredLeavesTheClip) {
  service_.knows_no_task = false;
  run_whole();
  service_.polls = 1000;
  GenerationJob hasty = anew();
  hasty.timeout = std::chrono::seconds(20);
  EXPECT_TRUE(run(hasty).error);
  service_.knows_no_task = true;
  clock_.advance(std::chrono::minutes(1));
  const Outcome old = run_whole();
  EXPECT_EQ(old.state.task_id, "task-1");
  EXPECT_THAT(old.warnings, ElementsAre(HasSubstr("does not know the task task-2")));
  EXPECT_THAT(run_whole().warnings, IsEmpty());
  EXPECT_THAT(record()->earlier_tasks, ElementsAre("task-2"));
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(LostTask, AmidTheDownloadIsToldAndCostsNothingEither) {
  service_.knows_no_task = false;
  service_.cuts = {100'000};
  service_.odd_media = {answer(403, ""), answer(403, "")};
  http_->before_answer([this](const HttpRequest &request) {
    service_.knows_no_task = service_.knows_no_task || request.url.find("media.example") != std::string::npos;
  });
  const Outcome lost = run();
  ASSERT_TRUE(lost.error);
  EXPECT_THAT(lost.text(), HasSubstr("does not know the task task-1"));
  EXPECT_EQ(record()->state, ClipState::lost);
  EXPECT_EQ(service_.submits(), 1u);
}

// ---- Without a key.

TEST_F(ClipWorkTest, WithoutAKeyAStoredClipIsServedAndNothingElseIsSent) {
  GenerationJob keyless = job();
  keyless.endpoint.api_key = {};
  keyless.no_key = "There is no API key.";
  const auto refused = [&] {
    const Outcome outcome = run(keyless);
    return outcome.error && outcome.error->kind == ErrorKind::settings &&
           outcome.text() == "This clip is not in the store " + path().root() + ". There is no API key.";
  };
  EXPECT_TRUE(refused());
  EXPECT_THAT(http_->requests(), IsEmpty());
  run_whole();
  const size_t requests = http_->requests().size();
  run_whole(keyless);
  GenerationJob anew = keyless;
  anew.reuse = false;
  EXPECT_EQ(run(anew).text(), keyless.no_key) << "it is in the store";
  fs::remove(path().file("clip.mp4"));
  EXPECT_TRUE(refused()) << "to fetch it again takes a key";
  EXPECT_EQ(http_->requests().size(), requests);
  EXPECT_EQ(record()->state, ClipState::complete);
}

// ---- Damage.

struct Damage {
  std::string what;
  std::function<void(const std::string &path)> harm;
};

void overwrite(const std::string &path, const std::string &bytes) {
  fs::remove_all(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

const std::vector<Damage> kDamage = {
    {"missing", [](const std::string &path) { fs::remove(path); }},
    {"truncated", [](const std::string &path) { fs::resize_file(path, fs::file_size(path) / 2); }},
    {"longer", [](const std::string &path) { fs::resize_file(path, fs::file_size(path) + 1); }},
    {"empty", [](const std::string &path) { fs::resize_file(path, 0); }},
    {"an error page of the same size",
     [](const std::string &path) { overwrite(path, "<html>" + std::string(fs::file_size(path) - 6, ' ')); }},
    {"zeros", [](const std::string &path) { overwrite(path, std::string(fs::file_size(path), '\0')); }},
    {"a folder",
     [](const std::string &path) {
       fs::remove(path);
       fs::create_directories(path + "/inside");
     }},
    {"a symlink",
     [](const std::string &path) {
       fs::rename(path, path + ".elsewhere");
       fs::create_symlink(path + ".elsewhere", path);
     }},
    {"a dangling symlink",
     [](const std::string &path) {
       fs::remove(path);
       fs::create_symlink("/nowhere/at/all", path);
     }},
};

TEST_F(ClipWorkTest, ADamagedClipIsSetAsideSaidSoAndFetchedAgainFromItsTask) {
  unsigned number = 0;
  for (const Damage &damage : kDamage) {
    SCOPED_TRACE(damage.what);
    run_whole();
    damage.harm(path().file("clip.mp4"));
    const Outcome outcome = run_whole();
    EXPECT_THAT(outcome.warnings, Contains(HasSubstr("clip.mp4")));
    EXPECT_EQ(service_.submits(), 1u) << "the task is paid";
    EXPECT_EQ(record()->task_id, "task-1");
    if (damage.what != "missing") {
      EXPECT_THAT(names(), Contains("clip.mp4.damaged-" + std::to_string(++number)));
    }
  }
}

TEST_F(ClipWorkTest, ADamagedJournalThatNamesItsTaskCostsNoSubmit) {
  run_whole();
  std::ifstream file(path().record());
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  unsigned number = 0;
  for (const std::string &bad : {text.substr(0, text.size() / 2), text + "}"}) {
    write_file("task.json", bad);
    const Outcome outcome = run_whole();
    EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("asks for the task that it named, task-1")));
    EXPECT_EQ(service_.submits(), 1u);
    EXPECT_THAT(names(), Contains("task.json.damaged-" + std::to_string(++number)));
  }
}

TEST_F(ClipWorkTest, ADamagedJournalThatNamesNoTaskIsSetAsideAndTheLedgerNamesIt) {
  const std::vector<std::function<void(const std::string &)>> harms = {
      [](const std::string &path) { overwrite(path, ""); },
      [](const std::string &path) { overwrite(path, "{}"); },
      [](const std::string &path) { overwrite(path, std::string("\0\xff\xfe{", 4)); },
      [](const std::string &path) { overwrite(path, R"({"version":1,"state":"dancing"})"); },
      [](const std::string &path) { overwrite(path, std::string(5 << 20, ' ')); },
      [](const std::string &path) {
        fs::remove(path);
        fs::create_directory(path);
      },
      [](const std::string &path) {
        fs::remove(path);
        fs::create_symlink("/etc/passwd", path);
      },
  };
  for (const auto &harm : harms) {
    run_whole();
    harm(path().record());
    const Outcome outcome = run_whole();
    EXPECT_THAT(outcome.warnings, Contains(HasSubstr("set aside")));
    EXPECT_EQ(service_.submits(), 1u) << "the ledger names the task";
  }
  fs::remove(path().record());
  run_whole();
  EXPECT_EQ(service_.submits(), 1u) << "a clip without its journal";
  // The ledger is lost, too.
  fs::remove(job().store + "/ledger.jsonl");
  overwrite(path().record(), "");
  const Outcome outcome = run_whole();
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("may be submitted, and charged, again")));
  EXPECT_EQ(service_.submits(), 2u);
  // Who removes the folder removes the clip.
  fs::remove_all(path().folder());
  run_whole();
  EXPECT_EQ(service_.submits(), 3u);
}

TEST_F(ClipWorkTest, StrangersWithOurNamesAreSetAsideWhereverTheyAre) {
  for (const std::string name :
       {"task.json.tmp", "task.json.spare", "unsent", "clip.part", "lock", "use", "clip.mp4", "clip.png"}) {
    SCOPED_TRACE(name);
    const bool is_link = name == "use";
    fs::remove_all(job().store);
    fs::create_directories(path().folder());
    if (is_link)
      fs::create_symlink("/etc/passwd", path().file(name));
    else
      fs::create_directories(path().file(name) + "/inside");
    const Outcome outcome = run_whole();
    EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr(name + ".damaged-1")));
  }
}

TEST_F(ClipWorkTest, AStrangerInTheFoldersPlaceIsSetAside) {
  for (const bool is_link : {false, true}) {
    fs::remove_all(job().store);
    fs::create_directories(job().store);
    if (is_link)
      fs::create_directory_symlink("/", path().folder());
    else
      std::ofstream(path().folder()) << "a file";
    const Outcome outcome = run_whole();
    EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr(path().folder() + ".damaged-1")));
  }
}

TEST_F(ClipWorkTest, AStoreThatCannotBeIsAnErrorThatSaysWhatToDo) {
  fs::create_directories(folder_.path() + "/stores");
  std::ofstream(job().store) << "a file";
  const Outcome outcome = run();
  ASSERT_TRUE(outcome.error);
  EXPECT_THAT(outcome.text(), HasSubstr(job().store));
  EXPECT_EQ(service_.submits(), 0u);
}

TEST_F(ClipWorkTest, LeftoversInThePartAreNeverTakenForTheClip) {
  fs::create_directories(path().folder());
  write_file("clip.part", sample_mp4(100'000, 99));
  run_whole();
}

// ---- store-max-size.

TEST_F(ClipWorkTest, MakesRoomByRemovingTheLeastRecentlyUsedClip) {
  const auto folder_for = [&](const GenerationJob &job) {
    return ClipPath(job.store, job.identity.digest()).folder();
  };
  std::vector<GenerationJob> jobs;
  for (const std::string prompt : {"one", "two", "three"}) jobs.push_back(job_for(prompt));
  for (size_t i = 0; i < jobs.size(); ++i) {
    run_whole(jobs[i]);
    // Used in that order, hours ago; the journal's time is the fake clock's.
    const auto then = fs::file_time_type::clock::now() + std::chrono::hours(24 + static_cast<int>(i));
    fs::last_write_time(folder_for(jobs[i]) + "/use", then);
  }
  GenerationJob last = job_for("four");
  last.store_max_size = 650'000;  // Three clips and their journals.
  run_whole(last);
  EXPECT_FALSE(fs::exists(folder_for(jobs[0])));
  EXPECT_TRUE(fs::exists(folder_for(jobs[1])));
  EXPECT_TRUE(fs::exists(folder_for(jobs[2])));
  EXPECT_TRUE(fs::exists(folder_for(last)));
}

TEST_F(ClipWorkTest, NeverRemovesAClipInUseNorATaskOnItsWayNorItsOwn) {
  const Outcome held = run_whole(job_for("held"));
  service_.polls = 1000;
  GenerationJob hasty = job_for("on its way");
  hasty.timeout = std::chrono::seconds(20);
  EXPECT_TRUE(run(hasty).error);
  service_.loses_submit_answers = true;
  EXPECT_TRUE(run(job_for("in doubt")).error);
  service_.loses_submit_answers = false;
  service_.polls = 1;
  run_whole(job_for("free"));
  wait_until_unused(job_for("free"));

  GenerationJob tight = job();
  tight.store_max_size = 1;
  run_whole(tight);
  std::vector<std::string> prompts;
  const auto clips = list_store(FileSystem::posix(), job().store);
  ASSERT_TRUE(clips);
  for (const StoredClip &clip : *clips) prompts.push_back(clip.prompt());
  EXPECT_THAT(prompts, testing::UnorderedElementsAre("held", "on its way", "in doubt", "a storm"));
}

}  // namespace
}  // namespace genclip::test
