// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A channel's commands: what they change at once, before the rundown is there, and when the channel ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plugin/catalog/catalog.h"
#include "plugin/channel/channel.h"
#include "plugin/channel/item_source.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Ids = std::vector<std::string>;

// Opens everything at once. Frames leave when the test says so.
class HandStage final : public Stage {
 public:
  CueId cue(const ReadyMedia &, uint64_t) override { return ++cues_; }
  CueState state(CueId) override { return CueState::ready; }
  std::string failure(CueId) override { return ""; }
  uint64_t failure_frame(CueId) override { return 0; }
  bool take(CueId, uint64_t, uint64_t) override { return true; }
  void drop(CueId) override {}
  void end(uint64_t) override { is_ended = true; }
  uint64_t frame() override { return frame_; }
  FrameTime clock() override { return {frame_, wall_at({}, {0, kBegin}, frame_)}; }
  uint64_t earliest_frame() override { return frame_ + 10; }
  StageCounts counts() override {
    is_seen_ = true;
    return {frame_};
  }

  // If the channel has made a step since: it never sees that more than `frames` have left at once.
  void advance(uint64_t frames) {
    if (is_seen_.exchange(false)) frame_ += frames;
  }

  std::atomic<bool> is_ended = false;

 private:
  static constexpr Clock::WallTime kBegin{std::chrono::seconds(1800000000)};
  std::atomic<uint64_t> frame_ = 0;
  std::atomic<bool> is_seen_ = false;
  std::atomic<CueId> cues_ = 0;
};

// Has every item at once, but for those that wait for money, and remembers what it was asked for.
class AllReady final : public Preparer {
 public:
  explicit AllReady(std::chrono::seconds length) : length_(length) {}

  ItemStatus status(const std::string &id, uint64_t) const override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (without_money_.contains(id)) return {ItemState::budget, "", nullptr};
    auto &media = media_[id];
    if (!media) {
      auto made = std::make_shared<ReadyMedia>();
      made->uri = made->source = "file:///" + id;
      made->length = length_;
      media = std::move(made);
    }
    return {ItemState::ready, "", media};
  }
  void want(std::vector<Wish> wishes, std::vector<std::string> fallback) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++times_;
    wanted_.clear();
    for (const Wish &wish : wishes) wanted_.push_back(wish.item.id);
    wanted_.insert(wanted_.end(), fallback.begin(), fallback.end());
  }
  void set_bound(bool) override {}
  void reload() override { ++reloads; }
  void close() override {}
  double spent() const override { return 0; }

  Ids wanted() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return wanted_;
  }
  void set_without_money(const std::set<std::string> &ids) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    without_money_ = ids;
  }
  size_t times() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return times_;
  }

  std::atomic<unsigned> reloads = 0;

 private:
  const std::chrono::seconds length_;
  mutable Mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const ReadyMedia>> media_ GUARDED_BY(mutex_);
  std::set<std::string> without_money_ GUARDED_BY(mutex_);
  Ids wanted_ GUARDED_BY(mutex_);
  size_t times_ GUARDED_BY(mutex_) = 0;
};

std::string told(const RundownNotice &notice) {
  return std::to_string(notice.items) + (notice.accepted ? " accepted" : " refused") +
         (notice.is_edited ? ", edited" : "") + (notice.text.empty() ? "" : ": " + notice.text);
}

class HearsOfItems final : public ChannelListener {
 public:
  void on_item(const std::string &, const ItemStatus &) override {}
  void on_air(const Piece &, Clock::WallTime) override {}
  void on_next() override {}
  void on_rundown(const RundownNotice &notice) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    items_.push_back(notice.items);
    told_.push_back(told(notice));
  }
  void on_budget(const std::optional<BudgetNotice> &) override {}
  void on_alarm(const std::string &, const std::string &, bool) override {}
  void on_warning(const Error &warning) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    told_.push_back("warning: " + warning.text);
  }
  void on_error(const Error &) override {}

  // Rundowns and warnings.
  std::vector<std::string> all_told() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return told_;
  }
  // Of each rundown that was told.
  std::vector<size_t> items() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return items_;
  }

 private:
  mutable Mutex mutex_;
  std::vector<size_t> items_ GUARDED_BY(mutex_);
  std::vector<std::string> told_ GUARDED_BY(mutex_);
};

std::string file_text(const std::string &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string item(const std::string &id) {
  return R"({"id": ")" + id + R"(", "source": "file:///)" + id + R"("})";
}

class CommandedChannel : public testing::Test {
 protected:
  CommandedChannel() {
    Catalog::shared();  // Else the first look takes as long as that.
    settings_.rundown = folder_.file("day.json");
    settings_.state_file = folder_.file("state");
    settings_.ahead_time = std::chrono::seconds(0);
    tools_.clock = &clock_;
  }
  ~CommandedChannel() override {
    if (channel_) channel_->stop();
  }

  void write(const Ids &ids, const std::string &behind = "") {
    std::string program;
    for (const std::string &id : ids) program += (program.empty() ? "" : ", ") + item(id);
    std::ofstream(settings_.rundown) << R"({"program": [)" << program << "]" << behind << "}\n";
  }
  // Each item lasts that long.
  void start(std::chrono::seconds length) {
    preparer_ = std::make_shared<AllReady>(length);
    tools_.make_preparer = [this](PreparerListener &) { return preparer_; };
    channel_.emplace(settings_, tools_, listener_);
    channel_->start(stage_);
  }
  // Moves the clock on until that holds, and `frames` frames each time.
  template <typename Holds>
  testing::AssertionResult comes(const Holds &holds, uint64_t frames = 0) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > limit)
        return testing::AssertionFailure()
               << "it does not come; wanted: " << testing::PrintToString(preparer_->wanted());
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      clock_.advance(std::chrono::milliseconds(250));
      stage_.advance(frames);
    }
    return testing::AssertionSuccess();
  }
  testing::AssertionResult comes_on_air(const std::string &id) {
    return comes([&] { return is_on_air(id); }, 5);
  }
  bool is_on_air(const std::string &id) {
    const auto now = channel_->status().now;
    return now && now->kind == PieceKind::clip && now->id == id;
  }
  // What is asked for when all that was done before has been seen.
  Ids wanted_now() {
    const size_t times = preparer_->times();
    EXPECT_TRUE(comes([&] { return preparer_->times() > times + 1; }));
    return preparer_->wanted();
  }
  Ids ahead() {
    Ids ids;
    for (const ChannelAhead &item : channel_->status().ahead) ids.push_back(item.id);
    return ids;
  }

  const TemporaryFolder folder_;
  FakeClock clock_;
  HandStage stage_;
  HearsOfItems listener_;
  ChannelTools tools_;
  ChannelSettings settings_;
  std::shared_ptr<AllReady> preparer_;
  std::optional<Channel> channel_;
};

TEST_F(CommandedChannel, AHoldIsInTheStateFileAtOnce) {
  write({"a", "b"});
  start(std::chrono::hours(1));
  ASSERT_TRUE(comes_on_air("a"));
  const auto is_written = [&](const char *text) {
    return comes([&] { return file_text(settings_.state_file).find(text) != std::string::npos; });
  };
  ASSERT_TRUE(is_written(R"("on_air":"a")"));
  // No frame leaves.
  for (const bool hold : {true, false}) {
    channel_->hold(hold);
    ASSERT_TRUE(is_written(hold ? R"("hold":true)" : R"("hold":false)"));
    EXPECT_THAT(file_text(settings_.state_file), HasSubstr(R"("on_air":"a")"));
  }
  EXPECT_TRUE(is_on_air("a"));
}

TEST_F(CommandedChannel, WhatIsCommandedBeforeTheRundownIsThereIsDoneThen) {
  std::ofstream(settings_.rundown) << "file:///a.mp4\nfile:///b.mp4";  // Somebody may still be writing it.
  start(std::chrono::hours(1));
  channel_->hold(true);
  channel_->remove(name_of_source("file:///a.mp4"));
  ASSERT_TRUE(comes([&] { return channel_->status().hold; }));
  ASSERT_TRUE(comes([&] { return listener_.items().size() == 2; }));
  EXPECT_THAT(listener_.items(), ElementsAre(2, 1));
  EXPECT_TRUE(
      comes([&] { return file_text(settings_.state_file).find(R"("hold":true)") != std::string::npos; }));
}

TEST_F(CommandedChannel, ThatWasEndedBeforeItHadARundownPaysForNone) {
  std::ofstream(settings_.rundown) << "file:///a.mp4";
  start(std::chrono::hours(1));
  channel_->end(Automation::End::at_once);
  ASSERT_TRUE(comes([&] { return stage_.is_ended.load(); }));
  ASSERT_TRUE(comes([&] { return listener_.items().size() == 1; }));
  channel_->stop();
  EXPECT_EQ(preparer_->times(), 0u);
}

TEST_F(CommandedChannel, OnceItsEndIsAskedForNothingMoreIsMadeReady) {
  write({"a", "b", "c"}, R"(, "fallback": ["file:///hole"])");
  start(std::chrono::hours(1));
  ASSERT_TRUE(comes_on_air("a"));
  ASSERT_TRUE(comes([&] { return ahead() == Ids{"b", "c", "a", "b"}; }));
  EXPECT_THAT(preparer_->wanted(), Contains("file:///hole"));
  channel_->end(Automation::End::behind_clip);
  const auto refused = channel_->insert(item("late"), "");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("ends"));
  ASSERT_TRUE(comes([&] { return preparer_->wanted() == Ids{"a"}; })) << "it is on the air";
  ASSERT_TRUE(comes([&] { return ahead().empty(); }));
  write({"a", "b", "c", "d"});
  ASSERT_TRUE(comes([&] { return listener_.items() == std::vector<size_t>{3, 4}; }));
  EXPECT_THAT(wanted_now(), ElementsAre("a"));
}

TEST_F(CommandedChannel, BehindTheEndOfARundownNothingMoreIsMadeReady) {
  settings_.schedule.loop = false;
  write({"a"});
  start(std::chrono::seconds(1));
  ASSERT_TRUE(comes_on_air("a"));
  ASSERT_TRUE(comes([&] { return stage_.is_ended.load(); }, 5));
  write({"a", "b"});
  ASSERT_TRUE(comes([&] { return listener_.items() == std::vector<size_t>{1, 2}; }));
  EXPECT_THAT(wanted_now(), Not(Contains("b")));
  const auto refused = channel_->insert(item("c"), "a");
  ASSERT_FALSE(refused) << "it would not be shown";
  EXPECT_THAT(refused.error().text, HasSubstr("ends"));
}

TEST_F(CommandedChannel, WhatIsInsertedDuringTheLastItemComesNext) {
  settings_.schedule.loop = false;
  write({"a", "b"});
  start(std::chrono::seconds(10));
  ASSERT_TRUE(comes_on_air("b"));
  ASSERT_TRUE(channel_->insert(item("c"), ""));
  ASSERT_TRUE(comes([&] { return ahead() == Ids{"c"}; }));
  ASSERT_TRUE(comes_on_air("c"));
}

TEST_F(CommandedChannel, WhatIsInsertedComesNextAlsoIfTheRundownHasIt) {
  write({"a", "b", "c", "d"});
  start(std::chrono::hours(1));
  ASSERT_TRUE(comes_on_air("a"));
  ASSERT_TRUE(channel_->insert(item("d"), ""));
  EXPECT_TRUE(comes([&] { return ahead() == Ids{"d", "b", "c", "a"}; })) << testing::PrintToString(ahead());
  ASSERT_TRUE(channel_->insert(item("c"), "d"));
  EXPECT_TRUE(comes([&] { return ahead() == Ids{"d", "c", "b", "a"}; })) << testing::PrintToString(ahead());
  ASSERT_TRUE(channel_->insert(item("c"), "a"));
  EXPECT_TRUE(comes([&] { return ahead() == Ids{"c", "d", "b", "a"}; })) << testing::PrintToString(ahead());
  ASSERT_TRUE(channel_->insert(item("b"), "b"));
  ASSERT_TRUE(channel_->insert(item("a"), ""));
  EXPECT_TRUE(comes([&] { return ahead() == Ids{"a", "c", "d", "b"}; })) << testing::PrintToString(ahead());
}

TEST_F(CommandedChannel, WhatIsOnTheAirAsTheLastItemMayBeInsertedOnceMore) {
  settings_.schedule.loop = false;
  write({"a", "b"});
  start(std::chrono::seconds(10));
  ASSERT_TRUE(comes_on_air("b"));
  ASSERT_TRUE(channel_->insert(item("b"), ""));
  EXPECT_TRUE(comes([&] { return ahead() == Ids{"b"}; })) << testing::PrintToString(ahead());
}

TEST_F(CommandedChannel, WhatWaitsForMoneyIsNotCountedAsComingAndIsAskedForAllTheSame) {
  write({"a", "b", "c", "d", "e"});
  start(std::chrono::hours(1));
  ASSERT_TRUE(comes_on_air("a"));
  ASSERT_TRUE(comes([&] { return ahead() == Ids{"b", "c", "d", "e"}; }));
  preparer_->set_without_money({"b", "c", "d"});
  EXPECT_TRUE(comes([&] { return ahead() == Ids{"e", "a", "e", "a"}; })) << testing::PrintToString(ahead());
  EXPECT_THAT(wanted_now(), testing::SizeIs(5));
  preparer_->set_without_money({"a", "b", "c", "d", "e"});
  EXPECT_TRUE(comes([&] { return ahead().empty(); })) << testing::PrintToString(ahead());
  EXPECT_THAT(wanted_now(), testing::SizeIs(5));
  preparer_->set_without_money({});
  EXPECT_TRUE(comes([&] { return ahead() == Ids{"b", "c", "d", "e"}; })) << testing::PrintToString(ahead());
}

TEST_F(CommandedChannel, AReloadUndoesNothingThoughAnItemIsRefused) {
  std::ofstream(settings_.rundown) << R"({"program": [)" << item("a") << ", " << item("b")
                                   << R"(, {"id": "bad", "source": "genclip://dance-2.5"}]})"
                                   << "\n";
  start(std::chrono::hours(1));
  ASSERT_TRUE(comes_on_air("a"));
  ASSERT_TRUE(channel_->insert(item("c"), ""));
  channel_->remove("b");
  ASSERT_TRUE(comes([&] { return ahead() == Ids{"c", "a", "c", "a"}; })) << testing::PrintToString(ahead());
  const size_t told = listener_.items().size();
  channel_->reload();
  ASSERT_TRUE(comes([&] { return listener_.items().size() > told; }));
  EXPECT_EQ(listener_.items().back(), 3u);
  EXPECT_THAT(wanted_now(), ElementsAre("a", "c"));
}

// Else the alarm would be over while the file is still refused, and each command would repeat its warnings.
TEST_F(CommandedChannel, ACommandTellsNothingAgainOfTheFile) {
  std::ofstream(settings_.rundown)
      << R"({"program": [{"id": "a", "source": "file:///a", "fresh": "each-turn"}, {"id": "b", "source": "file:///b"}]})"
      << "\n";
  start(std::chrono::hours(1));
  ASSERT_TRUE(comes_on_air("a"));
  ASSERT_TRUE(channel_->insert(item("c"), ""));
  std::ofstream(settings_.rundown) << R"({"program": [{"id": "a"}]})"
                                   << "\n";
  ASSERT_TRUE(comes([&] { return listener_.items().size() == 3; }));
  ASSERT_TRUE(channel_->insert(R"({"id": "d", "source": "file:///d", "fresh": "each-turn"})", ""));
  channel_->remove("b");
  ASSERT_TRUE(comes([&] { return listener_.items().size() == 5; }));
  const auto all = listener_.all_told();
  ASSERT_EQ(all.size(), 6u);
  EXPECT_THAT(all[0], HasSubstr("2 accepted: "));
  EXPECT_THAT(all[1], testing::StartsWith("3 accepted, edited"));
  EXPECT_THAT(all[2], testing::StartsWith("0 refused: "));
  EXPECT_THAT(all[3], testing::AllOf(testing::StartsWith("warning: "), HasSubstr("file:///d")));
  EXPECT_THAT(all[4], testing::StartsWith("4 refused, edited: "));
  EXPECT_THAT(all[5], testing::StartsWith("3 refused, edited: "));
}

TEST_F(CommandedChannel, WhatIsInsertedWithAMemberThatIsNotKnownIsShownAndTheMemberIsTold) {
  write({"a"});
  start(std::chrono::hours(1));
  ASSERT_TRUE(comes_on_air("a"));
  ASSERT_TRUE(channel_->insert(R"({"id": "b", "source": "file:///b", "category": "x"})", ""));
  ASSERT_TRUE(comes([&] { return listener_.items() == std::vector<size_t>{1, 2}; }));
  EXPECT_THAT(listener_.all_told(),
              Contains("warning: The member \"category\" is not known; it is ignored."));
}

TEST_F(CommandedChannel, AReloadOfTheSameRundownKeepsWhatWasInsertedAndRemoved) {
  write({"a", "b"});
  start(std::chrono::hours(1));
  ASSERT_TRUE(comes_on_air("a"));
  for (const char *id : {"c", "d"}) ASSERT_TRUE(channel_->insert(item(id), ""));
  channel_->remove("b");
  ASSERT_TRUE(comes([&] { return ahead() == Ids{"d", "c", "a", "d"}; })) << testing::PrintToString(ahead());
  const size_t told = listener_.items().size();
  channel_->reload();
  ASSERT_TRUE(comes([&] { return listener_.items().size() > told; }));
  EXPECT_EQ(listener_.items().back(), 3u);
  EXPECT_EQ(preparer_->reloads, 1u);
  EXPECT_THAT(wanted_now(), ElementsAre("a", "d", "c"));
  // Another file replaces it.
  write({"a", "e"});
  ASSERT_TRUE(comes([&] { return ahead() == Ids{"e", "a", "e", "a"}; })) << testing::PrintToString(ahead());
}

}  // namespace
}  // namespace genclip::test
