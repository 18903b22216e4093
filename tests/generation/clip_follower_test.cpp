// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Another process works on the clip: what the follower reports, and what it does when the other process ends.
#include <deque>
#include <fstream>

#include "tests/generation/work_fixture.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Each sleep lets the other process take one step.
class StepClock final : public Clock {
 public:
  Time now() const override { return now_; }
  WallTime wall_now() const override { return WallTime(std::chrono::seconds(1767225600)); }
  bool sleep_until(Time time, GCancellable *cancellable) override {
    now_ = time;
    if (!steps_.empty()) {
      const auto step = std::move(steps_.front());
      steps_.pop_front();
      step();
    } else if (++idle_sleeps_ > 10'000) {
      ADD_FAILURE() << "waits for ever";
      return false;
    }
    return !g_cancellable_is_cancelled(cancellable);
  }

  void then(std::function<void()> step) { steps_.push_back(std::move(step)); }

 private:
  Time now_{std::chrono::hours(1)};
  std::deque<std::function<void()>> steps_;
  unsigned idle_sleeps_ = 0;
};

TEST(ClipStatus, IsSpelledAsJournalsHaveIt) {
  EXPECT_EQ(words_of<ClipStatus>(),
            (std::vector<std::string>{"idle", "submitting", "queued", "processing", "downloading",
                                      "completed", "failed", "preparing", "waiting"}));
}

class Follower : public WorkTest {
 protected:
  Follower() : other_(FileSystem::posix(), path()) { other_begins(); }

  void other_begins() {
    lock_.reset();
    other_record_ = {};
    other_record_.identity = job().identity;
    other_record_.model = "dance-2.5";
    other_record_.state = ClipState::submitted;
    other_record_.task_id = "task-1";
    other_record_.submitted_at = 1767225000;
    lock_.emplace(*std::move(other_.lock_writer([](const std::string &) {})).value());
  }

  void other_writes() { ASSERT_TRUE(other_.write_record(other_record_)); }
  void other_appends(size_t end, const std::string &clip) {
    std::ofstream part(path().part(), std::ios::binary | std::ios::app);
    const auto have = static_cast<size_t>(part.tellp());
    part.write(clip.data() + have, static_cast<std::streamsize>(end - have));
  }
  void other_announces(uint64_t total) {
    other_record_.status = "downloading";
    other_record_.part.total = total;
    other_record_.part.boot = "boot-1";
    other_writes();
  }
  void other_commits() {
    other_record_.clip_name = "clip.mp4";
    other_record_.clip_size = service_.clip().size();
    auto part = taken(other_.open_part());
    ASSERT_TRUE(other_.commit(*part, other_record_));
  }
  void other_dies() { lock_.reset(); }
  void other_ends(ClipState state, const std::string &error, unsigned http_status);

  Outcome follow(GenerationJob job) {
    GenerationServices services = World::services();
    services.clock = &steps_;
    Outcome outcome;
    const auto observer = std::make_shared<KeptWarnings>();
    generation_ = std::make_shared<Generation>(std::move(job), services);
    static_cast<void>(generation_->join(observer));
    const auto done = ClipWork(*generation_).run();
    if (!done) outcome.error = done.error();
    outcome.state = generation_->state();
    outcome.states = observer->states;
    outcome.warnings = observer->warnings;
    if (done) outcome.bytes = read_all(generation_->clip());
    outcome.generation = generation_;
    return outcome;
  }
  Outcome follow() { return follow(job()); }

  // The bytes that a reader of the follower has now.
  std::string read(size_t offset, size_t count) {
    const Interrupt never;
    if (!generation_->clip().size()) return "";
    const auto ready = generation_->clip().wait(offset, count, true, Interrupt::Watch(never));
    if (!ready) return "error: " + ready.error().text;
    std::string bytes(ready->available, '\0');
    static_cast<void>(generation_->clip().read(offset, std::as_writable_bytes(std::span(bytes))));
    return bytes;
  }

  StepClock steps_;
  ClipFolder other_;
  ClipRecord other_record_;
  std::optional<StoreLock> lock_;
  std::shared_ptr<Generation> generation_;
};

TEST_F(Follower, ShowsProgressAndBytesAsTheyComeAndAsksTheServiceNothing) {
  const std::string clip = service_.clip();
  other_record_.status = "processing";
  other_record_.progress = 40;
  other_writes();
  steps_.then([&] {
    EXPECT_EQ(generation_->state().status, ClipStatus::processing);
    EXPECT_EQ(generation_->state().progress, 40);
    EXPECT_EQ(generation_->state().task_id, "task-1");
    EXPECT_TRUE(generation_->state().reused);
    other_announces(clip.size());
    other_appends(50'000, clip);
  });
  steps_.then([&] {
    EXPECT_EQ(generation_->state().status, ClipStatus::downloading);
    EXPECT_EQ(generation_->clip().size(), clip.size());
    EXPECT_TRUE(are_same(read(0, 50'000), clip.substr(0, 50'000)));
    other_appends(120'000, clip);
  });
  steps_.then([&] {
    EXPECT_TRUE(are_same(read(50'000, 70'000), clip.substr(50'000, 70'000)));
    other_appends(clip.size(), clip);
  });
  steps_.then([&] {
    other_commits();
    other_dies();
  });
  const Outcome outcome = follow();
  ASSERT_FALSE(outcome.error) << outcome.text();
  EXPECT_TRUE(are_same(outcome.bytes, clip));
  EXPECT_EQ(outcome.state.clip_location, path().file("clip.mp4"));
  EXPECT_THAT(http_->requests(), IsEmpty());
}

TEST_F(Follower, ServesTheClipWhileTheOtherStillHoldsTheLock) {
  other_announces(service_.clip().size());
  other_appends(service_.clip().size(), service_.clip());
  steps_.then([&] { other_commits(); });
  const Outcome outcome = follow();
  ASSERT_FALSE(outcome.error) << outcome.text();
  EXPECT_TRUE(are_same(outcome.bytes, service_.clip()));
}

TEST_F(Follower, TakesOverWhereTheOtherDied) {
  const std::string clip = service_.clip();
  other_announces(clip.size());
  other_appends(50'000, clip);
  steps_.then([&] {
    EXPECT_EQ(read(0, 50'000).size(), 50'000u);
    other_dies();
  });
  const Outcome outcome = follow();
  ASSERT_FALSE(outcome.error) << outcome.text();
  EXPECT_TRUE(are_same(outcome.bytes, clip));
  EXPECT_EQ(service_.submits(), 0u);
  EXPECT_EQ(service_.media_bytes(), clip.size() - 50'000 + 4096) << "only the rest, and a seam to compare";
}

// Bytes that a reader already has stay the same, whatever the boot ID.
TEST_F(Follower, TakesOverFromAnotherMachineWithoutGoingBack) {
  const std::string clip = service_.clip();
  other_announces(clip.size());
  other_record_.part.boot = "another machine";
  other_record_.part.synced = 10'000;
  other_writes();
  other_appends(50'000, clip);
  steps_.then([&] {
    EXPECT_EQ(read(0, 50'000).size(), 50'000u);
    other_dies();
  });
  const Outcome outcome = follow();
  ASSERT_FALSE(outcome.error) << outcome.text();
  EXPECT_TRUE(are_same(outcome.bytes, clip));
  EXPECT_EQ(service_.ranges().at(0), "bytes=" + std::to_string(50'000 - 4096) + "-");
}

TEST_F(Follower, TakesOverAQueuedTaskWithoutSubmitting) {
  other_writes();
  steps_.then([&] { other_dies(); });
  const Outcome outcome = follow();
  ASSERT_FALSE(outcome.error) << outcome.text();
  EXPECT_EQ(service_.submits(), 0u);
  EXPECT_EQ(outcome.state.task_id, "task-1");
}

TEST_F(Follower, ForgetsBytesThatNobodyReadWhenTheOtherBeginsAnew) {
  const std::string old = sample_mp4(200'000, 2);
  other_announces(old.size());
  other_appends(50'000, old);
  steps_.then([&] {
    ASSERT_TRUE(other_.discard_part());
    ++other_record_.part.restarts;
    other_writes();
    other_appends(service_.clip().size(), service_.clip());
  });
  steps_.then([&] {
    other_commits();
    other_dies();
  });
  const Outcome outcome = follow();
  ASSERT_FALSE(outcome.error) << outcome.text();
  EXPECT_TRUE(are_same(outcome.bytes, service_.clip()));
}

TEST_F(Follower, FailsWhenTheOtherBeginsAnewAfterBytesWereRead) {
  const std::string old = sample_mp4(200'000, 2);
  other_announces(old.size());
  other_appends(50'000, old);
  steps_.then([&] {
    EXPECT_TRUE(are_same(read(0, 1000), old.substr(0, 1000)));
    ASSERT_TRUE(other_.discard_part());
    ++other_record_.part.restarts;
    other_writes();
    EXPECT_TRUE(are_same(read(0, 1000), old.substr(0, 1000))) << "an open part never changes";
  });
  const Outcome outcome = follow();
  EXPECT_THAT(outcome.text(), HasSubstr("changed on the server while it was being read"));
}

TEST_F(Follower, FailsWhenAnotherClipWasCommittedAfterBytesWereRead) {
  const std::string old = sample_mp4(200'000, 2);
  other_announces(old.size());
  other_appends(50'000, old);
  steps_.then([&] {
    EXPECT_EQ(read(0, 1000).size(), 1000u);
    ASSERT_TRUE(other_.discard_part());
    ++other_record_.part.restarts;
    other_appends(service_.clip().size(), service_.clip());
    other_commits();
    other_dies();
  });
  const Outcome outcome = follow();
  EXPECT_THAT(outcome.text(), HasSubstr("changed on the server while it was being read"));
}

// ---- The follower ends like the other process.

// Writes the outcome of the submit or of the task, and dies.
void Follower::other_ends(ClipState state, const std::string &error, unsigned http_status) {
  other_record_.state = state;
  if (state == ClipState::refused || state == ClipState::ambiguous) other_record_.task_id.clear();
  other_record_.http_status = http_status;
  other_record_.error = error;
  other_writes();
  other_dies();
}

struct SharedEnd {
  ClipState state;
  unsigned http_status;
  const char *error;
  ErrorKind kind;
  const char *text;
};

TEST_F(Follower, SharesTheEndThatItSaw) {
  const SharedEnd ends[] = {
      {ClipState::refused, 400, "The service refuses the prompt.", ErrorKind::settings,
       "The service refuses the prompt."},
      {ClipState::failed, 0, "moderated", ErrorKind::failed,
       "The service could not generate the clip. It says: moderated. Change the request: running it "
       "again submits a new task, which may be charged."},
      {ClipState::ambiguous, 0, "Whether the task was created is unknown.", ErrorKind::read,
       "Whether the task was created is unknown."},
  };
  for (const SharedEnd &end : ends) {
    SCOPED_TRACE(end.error);
    other_begins();
    steps_.then([&] { other_ends(end.state, end.error, end.http_status); });
    const Outcome outcome = follow();
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->kind, end.kind);
    EXPECT_EQ(outcome.error->http_status, end.http_status);
    EXPECT_EQ(outcome.text(), end.text);
    EXPECT_EQ(service_.submits(), 0u);
  }
}

// B2: a wrong key, an empty account or a busy service affects only the other run.
TEST_F(Follower, TriesItselfWhatTheOthersKeyOrAccountWasRefusedFor) {
  for (const unsigned status : {401u, 402u, 403u, 407u, 429u}) {
    SCOPED_TRACE(status);
    std::filesystem::remove_all(path().folder());
    other_begins();
    const unsigned before = service_.submits();
    steps_.then([&] { other_ends(ClipState::refused, "The key was refused.", status); });
    const Outcome outcome = follow();
    ASSERT_FALSE(outcome.error) << outcome.text();
    EXPECT_EQ(service_.submits(), before + 1);
  }
}

// B2: the other's key may be another account's.
TEST_F(Follower, AsksItselfForATaskThatTheOtherLost) {
  other_begins();
  steps_.then([&] { other_ends(ClipState::lost, "The service does not know the task.", 404); });
  const Outcome outcome = follow();
  ASSERT_FALSE(outcome.error) << outcome.text();
  EXPECT_EQ(service_.submits(), 0u);
}

TEST_F(Follower, PaysNothingForATaskThatWasLostWhileItWaited) {
  service_.knows_no_task = true;
  other_begins();
  steps_.then([&] { other_ends(ClipState::lost, "The service does not know the task.", 404); });
  const Outcome outcome = follow();
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->kind, ErrorKind::not_found);
  EXPECT_EQ(service_.submits(), 0u);
}

TEST_F(Follower, SubmitsWhatTheOtherSurelyDidNotSend) {
  steps_.then([&] { other_ends(ClipState::refused, "Could not connect.", 0); });
  const Outcome outcome = follow();
  ASSERT_FALSE(outcome.error) << outcome.text();
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(Follower, DoesNotTakeYesterdaysFailureForNews) {
  other_record_.state = ClipState::failed;
  other_record_.error = "moderated";
  other_writes();
  steps_.then([&] { other_dies(); });
  const Outcome outcome = follow();
  ASSERT_FALSE(outcome.error) << outcome.text();
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(Follower, WithoutReuseTakesWhatIsMadeMeanwhileButNotWhatWasThere) {
  GenerationJob anew = job();
  anew.reuse = false;
  other_announces(service_.clip().size());
  other_appends(service_.clip().size(), service_.clip());
  steps_.then([&] {
    other_commits();
    other_dies();
  });
  EXPECT_FALSE(follow(anew).error);
  EXPECT_EQ(service_.submits(), 0u) << "it was made while this one waited";
  EXPECT_FALSE(follow(anew).error);
  EXPECT_EQ(service_.submits(), 1u) << "it was there already";
}

TEST_F(Follower, WaitsNoLongerThanItsTimeout) {
  GenerationJob hasty = job();
  hasty.timeout = std::chrono::seconds(3);
  other_writes();
  const Outcome outcome = follow(hasty);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->kind, ErrorKind::busy);
  EXPECT_THAT(outcome.text(), HasSubstr("3 s"));
  EXPECT_EQ(outcome.error->task_id, "task-1");
}

// The other one's journal may be unreadable at the last look.
TEST_F(Follower, NamesNoTaskOfAJournalThatIsGone) {
  GenerationJob hasty = job();
  hasty.timeout = std::chrono::seconds(3);
  other_writes();
  steps_.then([&] { std::ofstream(path().record()) << "{ half"; });
  const Outcome outcome = follow(hasty);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->kind, ErrorKind::busy);
  EXPECT_EQ(outcome.error->task_id, "");
}

TEST_F(Follower, LeavesAtOnceWhenCancelled) {
  other_writes();
  steps_.then([&] { g_cancellable_cancel(generation_->cancellable()); });
  const Outcome outcome = follow();
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->kind, ErrorKind::cancelled);
}

TEST_F(Follower, SurvivesAJournalThatIsNoneAndLeavesItToTheWriter) {
  std::ofstream(path().record()) << "{ half";
  steps_.then([&] {
    EXPECT_TRUE(std::filesystem::exists(path().record())) << "only the writer sets aside";
    other_writes();
  });
  steps_.then([&] { other_dies(); });
  const Outcome outcome = follow();
  ASSERT_FALSE(outcome.error) << outcome.text();
  EXPECT_EQ(service_.submits(), 0u);
}

}  // namespace
}  // namespace genclip::test
