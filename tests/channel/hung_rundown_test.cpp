// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A channel whose rundown, as-run log or state file is on a disk that does not answer any more.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "plugin/base/json.h"
#include "plugin/catalog/catalog.h"
#include "plugin/channel/channel.h"
#include "tests/channel/hanging_files.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

// Shows the slate; a frame leaves at each look.
class SlateStage final : public Stage {
 public:
  CueId cue(const ReadyMedia &, uint64_t) override { return 1; }
  CueState state(CueId) override { return CueState::failed; }
  std::string failure(CueId) override { return "It has no clips."; }
  uint64_t failure_frame(CueId) override { return 0; }
  bool take(CueId, uint64_t, uint64_t) override { return true; }
  void drop(CueId) override {}
  void end(uint64_t) override {}
  uint64_t frame() override { return ++frame_; }
  FrameTime clock() override { return {frame_, Clock::system().wall_now()}; }
  uint64_t earliest_frame() override { return frame_ + 10; }
  StageCounts counts() override { return {frame_}; }

 private:
  std::atomic<uint64_t> frame_ = 0;
};

class NothingReady final : public Preparer {
 public:
  ItemStatus status(const std::string &, uint64_t) const override { return {}; }
  void want(std::vector<Wish>, std::vector<std::string>) override {}
  void set_bound(bool) override {}
  void reload() override {}
  void close() override {}
  double spent() const override { return 0; }
};

class HearsOfRundowns final : public ChannelListener {
 public:
  std::vector<std::string> heard() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return heard_;
  }

  std::vector<std::string> alarms() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return alarms_;
  }

  void on_item(const std::string &, const ItemStatus &) override {}
  void on_air(const Piece &, Clock::WallTime) override { is_on_air = true; }
  void on_next() override {}
  void on_rundown(const RundownNotice &notice) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    heard_.push_back(notice.accepted ? "accepted, " + std::to_string(notice.items) : notice.text);
  }
  void on_budget(const std::optional<BudgetNotice> &) override {}
  void on_alarm(const std::string &kind, const std::string &, bool is_active) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    alarms_.push_back(is_active ? kind : kind + " is over");
  }
  void on_warning(const Error &) override {}
  void on_error(const Error &) override {}

  std::atomic<bool> is_on_air = false;

 private:
  Mutex mutex_;
  std::vector<std::string> heard_ GUARDED_BY(mutex_);
  std::vector<std::string> alarms_ GUARDED_BY(mutex_);
};

std::string text_of(const std::string &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class HungRundown : public testing::Test {
 protected:
  explicit HungRundown(const char *text = R"({"program": [{"id": "a", "source": "a.mp4"}]})",
                       bool is_to_start = true) {
    Catalog::shared();  // Else the first look takes as long as that.
    std::ofstream(folder_.file("day.json")) << text;
    tools_.files = &files_;
    tools_.clock = &clock_;
    tools_.make_preparer = [](PreparerListener &) { return std::make_shared<NothingReady>(); };
    settings_.rundown = folder_.file("day.json");
    settings_.asrun = folder_.file("asrun");
    settings_.state_file = folder_.file("state");
    if (is_to_start) start();
  }
  ~HungRundown() override {
    files_.hang("");
    channel_->stop();
  }

  void start() {
    channel_.emplace(settings_, tools_, listener_);
    channel_->start(stage_);
  }

  // Moves the clock on until that holds.
  template <typename Holds>
  testing::AssertionResult comes(const Holds &holds) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > limit) return testing::AssertionFailure() << "it does not come";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      clock_.advance(std::chrono::milliseconds(250));
    }
    return testing::AssertionSuccess();
  }
  void hang() { hang(settings_.rundown); }
  void hang(const std::string &path) {
    ASSERT_TRUE(comes([&] { return !text_of(settings_.state_file).empty(); }));
    files_.hang(path);
    ASSERT_TRUE(comes([&] { return files_.holds_somebody(); }));
  }
  // Of that kind of alarm. A slow disk may raise others.
  testing::AssertionResult is_told(const std::string &kind, const std::vector<std::string> &alarms) {
    const auto told = [&] {
      auto all = listener_.alarms();
      std::erase_if(all, [&](const auto &each) { return each != kind && each != kind + " is over"; });
      return all;
    };
    const auto came = comes([&] { return told() == alarms; });
    if (came) return came;
    return testing::AssertionFailure() << testing::PrintToString(listener_.alarms());
  }
  testing::AssertionResult goes_on(const std::string &path) {
    return comes([path, before = text_of(path)] { return text_of(path) != before; });
  }

  const TemporaryFolder folder_;
  HangingFiles &files_ = HangingFiles::shared();
  FakeClock clock_;
  SlateStage stage_;
  HearsOfRundowns listener_;
  ChannelTools tools_;
  ChannelSettings settings_;
  std::optional<Channel> channel_;
};

TEST_F(HungRundown, HoldsUpNeitherTheAsRunLogNorTheState) {
  ASSERT_NO_FATAL_FAILURE(hang());
  const std::string asrun = text_of(settings_.asrun), state = text_of(settings_.state_file);
  channel_->skip();
  EXPECT_TRUE(comes([&] { return text_of(settings_.asrun).size() > asrun.size(); }));
  EXPECT_TRUE(comes([&] { return text_of(settings_.state_file) != state; }));
}

TEST_F(HungRundown, IsToldOnceAndWhenItAnswersAgain) {
  ASSERT_NO_FATAL_FAILURE(hang());
  const std::string hangs =
      "Its file does not answer, so changes are not seen. The channel plays on with the rundown that it has.";
  const auto has_heard = [&](size_t count) {
    return [this, count] { return listener_.heard().size() >= count; };
  };
  ASSERT_TRUE(comes(has_heard(2)));
  EXPECT_EQ(listener_.heard(), (std::vector<std::string>{"accepted, 1", hangs}));
  for (int looks = 0; looks < 100; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    clock_.advance(std::chrono::seconds(1));
  }
  files_.hang("");
  ASSERT_TRUE(comes(has_heard(3)));
  EXPECT_EQ(listener_.heard(), (std::vector<std::string>{"accepted, 1", hangs, "accepted, 1"}));
}

TEST_F(HungRundown, BesideAnAsRunLogThatHangsTheStateIsWritten) {
  ASSERT_NO_FATAL_FAILURE(hang(settings_.asrun));
  const std::string state = text_of(settings_.state_file);
  for (int looks = 0; looks < 20; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    clock_.advance(std::chrono::milliseconds(250));
  }
  EXPECT_EQ(text_of(settings_.state_file), state)
      << "the line of the piece before comes first, as long as it may";
  ASSERT_TRUE(is_told("asrun", {"asrun"}));
  for (int pieces = 0; pieces < 3; ++pieces) ASSERT_TRUE(goes_on(settings_.state_file));
  files_.hang("");
  ASSERT_TRUE(is_told("asrun", {"asrun", "asrun is over"}));
  EXPECT_TRUE(goes_on(settings_.state_file));
  channel_->stop();
  // stop() waits only a moment for the disk.
  const auto last_state = [&] { return Json::parse(text_of(settings_.state_file)); };
  ASSERT_TRUE(comes([&] {
    const auto state = last_state();
    return state && !state->find("shown");
  })) << "it was stopped";
  // No line is lost, and no older state has replaced a later one.
  std::ifstream lines(settings_.asrun);
  int64_t end = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto json = Json::parse(line);
    ASSERT_TRUE(json) << line;
    EXPECT_EQ(*json->find("frame")->integer(), end);
    end = *json->find("frame")->integer() + *json->find("played_frames")->integer();
  }
  EXPECT_LT(*last_state()->find("frame")->integer(), end);
}

TEST_F(HungRundown, BesideAStateFileThatHangsTheAsRunLogIsWritten) {
  ASSERT_NO_FATAL_FAILURE(hang(settings_.state_file));
  ASSERT_TRUE(is_told("state", {"state"}));
  for (int pieces = 0; pieces < 3; ++pieces) ASSERT_TRUE(goes_on(settings_.asrun));
  files_.hang("");
  ASSERT_TRUE(is_told("state", {"state", "state is over"}));
  EXPECT_TRUE(goes_on(settings_.state_file));
}

class HangsAtTheStart : public HungRundown {
 protected:
  HangsAtTheStart() : HungRundown(R"({"program": [{"id": "a", "source": "a.mp4"}]})", false) {}
};

TEST_F(HangsAtTheStart, ARundownIsToldAndWaitedFor) {
  files_.hang(settings_.rundown);
  start();
  ASSERT_TRUE(comes([&] { return !listener_.heard().empty(); }));
  EXPECT_GE(clock_.elapsed(), std::chrono::seconds(10));
  const std::string hangs =
      "Its file or the state file does not answer, so the channel shows the slate. It begins when they do.";
  EXPECT_EQ(listener_.heard(), std::vector<std::string>{hangs});
  files_.hang("");
  ASSERT_TRUE(comes([&] { return listener_.is_on_air.load(); }));
  EXPECT_EQ(listener_.heard(), (std::vector<std::string>{hangs, "accepted, 1"}));
}

// The channel before it was killed, so there is a line to be written.
TEST_F(HangsAtTheStart, AnAsRunLogKeepsNoChannelOffTheAir) {
  ChannelState killed;
  killed.run = "run-1";
  killed.shown = Json::Object{{"run", "run-1"}, {"frame", 7}, {"id", "a"}};
  ASSERT_TRUE(write_channel_state(FileSystem::posix(), settings_.state_file, killed));
  files_.hang(settings_.asrun);
  start();
  ASSERT_TRUE(comes([&] { return listener_.is_on_air.load(); }));
  ASSERT_TRUE(is_told("asrun", {"asrun"}));
  files_.hang("");
  ASSERT_TRUE(is_told("asrun", {"asrun", "asrun is over"}));
  EXPECT_NE(text_of(settings_.asrun).find("The channel was killed."), std::string::npos);
}

class UnfinishedRundown : public HungRundown {
 protected:
  UnfinishedRundown() : HungRundown("file:///a.mp4") {}
};

TEST_F(UnfinishedRundown, IsWaitedForAtTheStart) {
  ASSERT_TRUE(comes([&] { return !listener_.heard().empty(); }));
  EXPECT_GE(clock_.elapsed(), std::chrono::seconds(10));
  EXPECT_EQ(listener_.heard(), std::vector<std::string>{"accepted, 1"});
}

}  // namespace
}  // namespace genclip::test
