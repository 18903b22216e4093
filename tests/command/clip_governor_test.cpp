// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How many clips are made at once: the rules one by one, then random runs of a service with moods.
#include "plugin/command/clip_governor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <utility>

namespace genclip {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Halt = ClipGovernor::Halt;

const Clock::Time kStart = Clock::Time() + seconds(1000);

std::vector<size_t> begin_all(ClipGovernor &governor, Clock::Time now = kStart) {
  std::vector<size_t> begun;
  while (const auto clip = governor.next(now)) begun.push_back(*clip);
  return begun;
}

ClipGovernor governor_of(unsigned jobs, size_t clips, bool fail_fast = false) {
  return {{jobs, fail_fast}, std::vector<bool>(clips)};
}

TEST(ClipGovernor, BeginsAsManyAsThereAreJobsInTheirOrder) {
  ClipGovernor governor = governor_of(2, 4);
  EXPECT_THAT(begin_all(governor), ElementsAre(0, 1));
  governor.made(1);
  EXPECT_THAT(begin_all(governor), ElementsAre(2));
  governor.failed(0);
  EXPECT_THAT(begin_all(governor), ElementsAre(3));
  EXPECT_FALSE(governor.is_over());
  governor.made(2);
  governor.made(3);
  EXPECT_TRUE(governor.is_over());
  EXPECT_THAT(governor.pending(), IsEmpty());
}

TEST(ClipGovernor, BeginsOneAtATimeWithoutJobs) {
  ClipGovernor governor = governor_of(0, 2);
  EXPECT_THAT(begin_all(governor), ElementsAre(0));
}

TEST(ClipGovernor, BeginsWhatIsPaidBeforeTheOthers) {
  ClipGovernor governor({2, false}, {false, true, false, true, true});
  EXPECT_THAT(begin_all(governor), ElementsAre(1, 3));
  governor.made(1);
  EXPECT_THAT(begin_all(governor), ElementsAre(4));
}

TEST(ClipGovernor, HalvesOnceForSeveralRefusalsOfTheSameMoment) {
  ClipGovernor governor = governor_of(8, 20);
  begin_all(governor);
  for (size_t clip = 0; clip < 8; ++clip) governor.refused(clip, kStart, seconds(30));
  EXPECT_EQ(governor.width(), 4u);
  EXPECT_THAT(begin_all(governor, kStart + seconds(30)), ElementsAre(0, 1, 2, 3));
  governor.refused(3, kStart + seconds(31), {});
  EXPECT_EQ(governor.width(), 2u);
}

TEST(ClipGovernor, KeepsAWidthOfOne) {
  ClipGovernor governor = governor_of(1, 2);
  begin_all(governor);
  governor.refused(0, kStart, {});
  EXPECT_EQ(governor.width(), 1u);
}

TEST(ClipGovernor, GrowsByOneWithEachClipUpToTheJobs) {
  ClipGovernor governor = governor_of(4, 20);
  begin_all(governor);
  governor.refused(3, kStart, milliseconds(0));
  EXPECT_EQ(governor.width(), 2u);
  EXPECT_THAT(begin_all(governor), IsEmpty()) << "Three are under way.";
  governor.made(0);
  EXPECT_EQ(governor.width(), 3u);
  EXPECT_THAT(begin_all(governor), ElementsAre(3));
  governor.made(1);
  governor.made(2);
  EXPECT_EQ(governor.width(), 4u);
}

TEST(ClipGovernor, HoldsAllForAsLongAsTheServiceAsks) {
  ClipGovernor governor = governor_of(2, 4);
  begin_all(governor);
  governor.refused(0, kStart, seconds(30));
  governor.refused(1, kStart + seconds(1), seconds(10));
  EXPECT_EQ(governor.wakes_at(), kStart + seconds(30));
  EXPECT_THAT(begin_all(governor, kStart + seconds(30) - milliseconds(1)), IsEmpty());
  EXPECT_THAT(begin_all(governor, kStart + seconds(30)), ElementsAre(0));
}

TEST(ClipGovernor, WaitsLongerAndLongerForAServiceThatTellsNoTime) {
  ClipGovernor governor = governor_of(1, 1);
  Clock::Time now = kStart;
  std::vector<seconds> holds;
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(governor.next(now));
    governor.refused(0, now, {});
    ASSERT_TRUE(governor.wakes_at());
    holds.push_back(std::chrono::duration_cast<seconds>(*governor.wakes_at() - now));
    now = *governor.wakes_at();
  }
  EXPECT_THAT(holds, ElementsAre(seconds(1), seconds(2), seconds(4), seconds(8), seconds(16), seconds(32),
                                 seconds(60), seconds(60)));
  ASSERT_TRUE(governor.next(now));
  governor.accepted();
  governor.refused(0, now, {});
  EXPECT_EQ(governor.wakes_at(), now + seconds(1)) << "It accepted something in between.";
}

TEST(ClipGovernor, PausesWhenTheServiceAcceptsNothingForTenMinutes) {
  ClipGovernor governor = governor_of(1, 2);
  Clock::Time now = kStart;
  while (governor.halt() == Halt::none) {
    ASSERT_TRUE(governor.next(now));
    governor.refused(0, now, seconds(50));
    now += seconds(50);
    ASSERT_LE(now - kStart, minutes(12));
  }
  EXPECT_EQ(governor.halt(), Halt::paused);
  EXPECT_GE(now - kStart, minutes(10));
  EXPECT_TRUE(governor.is_over());
  EXPECT_THAT(governor.pending(), ElementsAre(0, 1));
}

// The service makes one clip of 11 minutes at a time.
TEST(ClipGovernor, HasPatienceWithAServiceThatMakesFewerClipsAtOnceThanThereAreJobs) {
  ClipGovernor governor = governor_of(4, 6);
  Clock::Time now = kStart, ends = kStart;
  std::optional<size_t> at_work;
  size_t made = 0, asked = 0;
  while (!governor.is_over()) {
    while (const auto clip = governor.next(now)) {
      ASSERT_LT(++asked, 100u);
      if (at_work) {
        governor.refused(*clip, now, {});
        continue;
      }
      governor.accepted();
      at_work = clip;
      ends = now + minutes(11);
    }
    ASSERT_EQ(governor.halt(), Halt::none) << made;
    const auto wake = governor.wakes_at();
    if (at_work && !(wake && *wake > now && *wake < ends)) {
      now = ends;
      // Others ask before the slot is free.
      if (made == 2)
        if (const auto clip = governor.next(now)) governor.refused(*clip, now, {});
      governor.made(*std::exchange(at_work, std::nullopt));
      ++made;
    } else {
      ASSERT_TRUE(wake);
      now = *wake;
    }
  }
  EXPECT_EQ(made, 6u);
}

TEST(ClipGovernor, CountsRefusalsFromTheLastClipThatWasMade) {
  ClipGovernor governor = governor_of(2, 3);
  begin_all(governor);
  governor.refused(1, kStart, {});
  governor.made(0);
  const Clock::Time later = kStart + minutes(11);
  EXPECT_THAT(begin_all(governor, later), ElementsAre(1, 2));
  governor.refused(1, later, {});
  governor.refused(2, later, {});
  EXPECT_EQ(governor.halt(), Halt::none);
}

TEST(ClipGovernor, HasPatienceAfterALongClipThatFailed) {
  ClipGovernor governor = governor_of(2, 2);
  begin_all(governor);
  governor.accepted();
  governor.refused(1, kStart, {});
  governor.failed(0);
  EXPECT_THAT(begin_all(governor, kStart + minutes(11)), ElementsAre(1));
  governor.refused(1, kStart + minutes(11), {});
  EXPECT_EQ(governor.halt(), Halt::none) << "Clip 0 was under way when it refused before.";
}

TEST(ClipGovernor, PausesRatherThanWaitForTenMinutes) {
  ClipGovernor governor = governor_of(2, 3);
  begin_all(governor);
  governor.refused(0, kStart, minutes(10));
  EXPECT_EQ(governor.halt(), Halt::paused);
  EXPECT_FALSE(governor.is_over()) << "Another clip is under way.";
  governor.made(1);
  EXPECT_TRUE(governor.is_over());
  EXPECT_THAT(governor.pending(), ElementsAre(0, 2));
}

TEST(ClipGovernor, PausesOnASpentBudgetButGoesOnWithWhatIsPaid) {
  ClipGovernor governor({1, false}, {true, true, false});
  EXPECT_THAT(begin_all(governor), ElementsAre(0));
  governor.spent(0);
  EXPECT_THAT(begin_all(governor, kStart + minutes(60)), ElementsAre(1));
  governor.made(1);
  EXPECT_TRUE(governor.is_over());
  EXPECT_THAT(governor.pending(), ElementsAre(0, 2));
}

TEST(ClipGovernor, AsksTheBudgetAgainWhenWhatIsUnderWayHasEnded) {
  ClipGovernor governor = governor_of(4, 4);
  EXPECT_THAT(begin_all(governor), ElementsAre(0, 1, 2, 3));
  governor.over_budget(1);
  governor.over_budget(2);
  EXPECT_THAT(begin_all(governor, kStart + minutes(60)), IsEmpty()) << "Nothing has given anything back.";
  EXPECT_FALSE(governor.wakes_at());
  EXPECT_FALSE(governor.is_over());
  governor.made(0);
  governor.over_budget(3);
  EXPECT_EQ(governor.halt(), Halt::none) << "Clip 0 was under way when the budget refused clip 3.";
  EXPECT_THAT(begin_all(governor), ElementsAre(1, 2, 3));
  governor.over_budget(3);
  governor.over_budget(2);
  governor.made(1);
  EXPECT_THAT(begin_all(governor), ElementsAre(2, 3));
  governor.over_budget(2);
  governor.over_budget(3);
  EXPECT_EQ(governor.halt(), Halt::paused) << "Nothing else is under way.";
  EXPECT_TRUE(governor.is_over());
  EXPECT_THAT(governor.pending(), ElementsAre(2, 3));
}

TEST(ClipGovernor, BeginsNothingAfterAFailureThatIsToEndIt) {
  ClipGovernor governor({2, true}, {false, true, false, true});
  EXPECT_THAT(begin_all(governor), ElementsAre(1, 3));
  governor.failed(1);
  EXPECT_EQ(governor.halt(), Halt::failed);
  EXPECT_THAT(begin_all(governor), IsEmpty());
  EXPECT_FALSE(governor.is_over()) << "What is under way is paid.";
  governor.made(3);
  EXPECT_TRUE(governor.is_over());
  EXPECT_THAT(governor.pending(), ElementsAre(0, 2));
}

// A service that accepts some, refuses some, fails some; the governor's promises at each step.
class RandomRun {
 public:
  explicit RandomRun(unsigned seed) : random_(seed) {
    jobs_ = 1 + pick(6);
    std::vector<bool> paid;
    for (unsigned i = pick(12); i > 0; --i) paid.push_back(pick(4) == 0);
    clips_ = paid.size();
    for (size_t clip = 0; clip < clips_; ++clip)
      if (!paid[clip]) held_.insert(clip);
    governor_.emplace(GovernorSettings{jobs_, pick(4) == 0}, paid);
  }

  void play() {
    for (unsigned step = 0; !governor_->is_over(); ++step) {
      ASSERT_LT(step, 2000u) << "It does not end.";
      begin();
      if (testing::Test::HasFatalFailure()) return;
      if (under_way_.empty()) {
        const auto wake = governor_->wakes_at();
        ASSERT_TRUE(wake) << "Nothing is under way, and nothing will ever begin.";
        ASSERT_GT(*wake, now_);
        now_ = *wake;
      } else {
        now_ += milliseconds(pick(3000));
        happen();
      }
    }
    ASSERT_THAT(under_way_, IsEmpty());
    const auto pending = governor_->pending();
    ASSERT_EQ(ended_.size() + pending.size(), clips_) << "Each clip has ended, or is pending.";
    for (const size_t clip : pending) ASSERT_FALSE(ended_.contains(clip));
    if (governor_->halt() == Halt::none) {
      ASSERT_THAT(pending, IsEmpty());
    }
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

  void begin() {
    while (const auto clip = governor_->next(now_)) {
      ASSERT_TRUE(under_way_.insert(*clip).second) << "Twice at once: " << *clip;
      ASSERT_FALSE(ended_.contains(*clip)) << "Again after its end: " << *clip;
      ASSERT_LE(under_way_.size(), jobs_);
      ASSERT_TRUE(governor_->halt() == Halt::none || governor_->halt() == Halt::paused);
      if (held_.contains(*clip)) {
        ASSERT_GE(now_, held_until_) << "The service asked to wait.";
      }
    }
    ASSERT_EQ(governor_->under_way(), under_way_.size());
  }

  void happen() {
    auto at = under_way_.begin();
    std::advance(at, pick(static_cast<unsigned>(under_way_.size())));
    const size_t clip = *at;
    under_way_.erase(at);
    const unsigned before = governor_->width();
    switch (pick(12)) {
      case 0:
      case 1: {
        const auto wish = seconds(pick(100) == 0 ? 700 : 1 + pick(20));
        governor_->refused(clip, now_, wish);
        held_until_ = std::max(held_until_, now_ + wish);
        held_.insert(clip);
        ASSERT_GE(governor_->width(), std::max(before / 2, 1u));
        ASSERT_LE(governor_->width(), before);
        return;
      }
      case 2: governor_->failed(clip); break;
      case 3:
        if (pick(10) == 0) {
          governor_->spent(clip);
          ASSERT_NE(governor_->halt(), Halt::none);
          return;
        }
        [[fallthrough]];
      case 4:
        if (pick(3) == 0) {
          governor_->over_budget(clip);
          return;
        }
        [[fallthrough]];
      default:
        governor_->accepted();
        governor_->made(clip);
        ASSERT_EQ(governor_->width(), std::min(before + 1, jobs_));
    }
    ended_.insert(clip);
  }

  std::mt19937 random_;
  unsigned jobs_ = 1;
  size_t clips_ = 0;
  std::optional<ClipGovernor> governor_;
  Clock::Time now_ = kStart, held_until_ = kStart;
  std::set<size_t> under_way_, ended_;
  std::set<size_t> held_;  // The service holds these: they have to be paid.
};

// 500 clips of a minute, with three bursts of refusals for 10 s and a failure in 20.
TEST(ClipGovernor, LosesLittleTimeToRefusals) {
  constexpr size_t kClips = 500, kJobs = 8;
  constexpr seconds kClipTime(60);
  ClipGovernor governor = governor_of(kJobs, kClips);
  std::multimap<Clock::Time, size_t> ends;
  Clock::Time now = kStart;
  Clock::Time burst_ends = kStart;
  size_t accepted = 0, refusals = 0, failures = 0;
  while (!governor.is_over()) {
    while (const auto clip = governor.next(now)) {
      if (now < burst_ends) {
        ++refusals;
        governor.refused(*clip, now, seconds(10));
        continue;
      }
      governor.accepted();
      if (++accepted % 150 == 0) burst_ends = now + seconds(10);
      ends.emplace(now + kClipTime, *clip);
    }
    const auto wake = governor.wakes_at();
    ASSERT_TRUE(wake || !ends.empty());
    if (ends.empty() || (wake && *wake > now && *wake < ends.begin()->first)) {
      now = *wake;
      continue;
    }
    now = ends.begin()->first;
    if (++failures % 20 == 0)
      governor.failed(ends.begin()->second);
    else
      governor.made(ends.begin()->second);
    ends.erase(ends.begin());
  }
  EXPECT_GE(refusals, 3u);
  EXPECT_EQ(governor.halt(), Halt::none);
  const auto ideal = kClipTime * kClips / kJobs;
  EXPECT_LE(std::chrono::duration<double>(now - kStart) / ideal, 1.1);
}

TEST(ClipGovernor, KeepsItsPromisesInRandomRuns) {
  for (unsigned seed = 0; seed < 20000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRun(seed).play();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace genclip
