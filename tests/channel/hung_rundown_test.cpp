// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A channel whose rundown, as-run log or state file is on a disk that does not answer any more.
#include <gtest/gtest.h>

#include <algorithm>
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
    files_.fail("");
    if (stopper_.joinable()) stopper_.join();
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
  // Whether stop() returns. It would wait for a disk for an hour.
  testing::AssertionResult stops_at_once() {
    if (stopper_.joinable()) stopper_.join();
    const auto has_stopped = std::make_shared<std::atomic<bool>>(false);
    stopper_ = std::thread([this, has_stopped] {
      channel_->stop();
      *has_stopped = true;
    });
    return comes([has_stopped] { return has_stopped->load(); });
  }
  // The frame behind what the as-run log tells. No line is missing.
  int64_t end_of_log() const {
    std::ifstream lines(settings_.asrun);
    int64_t end = 0;
    for (std::string line; std::getline(lines, line);) {
      const auto json = Json::parse(line);
      EXPECT_TRUE(json) << line;
      if (!json) return end;
      EXPECT_EQ(*json->find("frame")->integer(), end);
      end = *json->find("frame")->integer() + *json->find("played_frames")->integer();
    }
    return end;
  }
  bool is_state_of_the_end() const {
    const auto state = Json::parse(text_of(settings_.state_file));
    return state && !state->find("shown");
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
  std::thread stopper_;
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

TEST_F(HungRundown, WhoseDiskAnswersWithErrorsIsToldOnceAndWhenItCanBeReadAgain) {
  ASSERT_TRUE(comes([&] { return !text_of(settings_.state_file).empty(); }));
  files_.fail(settings_.rundown);
  const auto has_heard = [&](size_t count) {
    return [this, count] { return listener_.heard().size() >= count; };
  };
  ASSERT_TRUE(comes(has_heard(2)));
  for (int looks = 0; looks < 50; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    clock_.advance(std::chrono::seconds(1));
  }
  files_.fail("");
  ASSERT_TRUE(comes(has_heard(3)));
  EXPECT_EQ(listener_.heard(),
            (std::vector<std::string>{"accepted, 1", "The rundown cannot be read: The server is away.",
                                      "accepted, 1"}));
}

TEST_F(HungRundown, BesideAnAsRunLogThatHangsTheStateIsWritten) {
  ASSERT_NO_FATAL_FAILURE(hang(settings_.asrun));
  for (int looks = 0; looks < 20; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    clock_.advance(std::chrono::milliseconds(250));
  }
  EXPECT_LE(*Json::parse(text_of(settings_.state_file))->find("frame")->integer(), end_of_log())
      << "the line of the piece before comes first, as long as it may";
  ASSERT_TRUE(is_told("asrun", {"asrun"}));
  for (int pieces = 0; pieces < 3; ++pieces) ASSERT_TRUE(goes_on(settings_.state_file));
  files_.hang("");
  ASSERT_TRUE(is_told("asrun", {"asrun", "asrun is over"}));
  EXPECT_TRUE(goes_on(settings_.state_file));
  channel_->stop();
  // stop() waits only a moment for the disk.
  ASSERT_TRUE(comes([&] { return is_state_of_the_end(); })) << "it was stopped";
  // No line is lost, and no older state has replaced a later one.
  EXPECT_LT(*Json::parse(text_of(settings_.state_file))->find("frame")->integer(), end_of_log());
}

TEST_F(HungRundown, BesideAStateFileThatHangsTheAsRunLogIsWritten) {
  ASSERT_NO_FATAL_FAILURE(hang(settings_.state_file));
  ASSERT_TRUE(is_told("state", {"state"}));
  for (int pieces = 0; pieces < 3; ++pieces) ASSERT_TRUE(goes_on(settings_.asrun));
  files_.hang("");
  ASSERT_TRUE(is_told("state", {"state", "state is over"}));
  EXPECT_TRUE(goes_on(settings_.state_file));
}

// For hours, perhaps. When it answers again, a state of hours ago must not be the last one that is written.
TEST_F(HungRundown, AStateFileThatHangsGetsTheNewestStateAlone) {
  ASSERT_NO_FATAL_FAILURE(hang(settings_.state_file));
  const int writes = files_.writes(settings_.state_file);
  for (int pieces = 0; pieces < 4; ++pieces) ASSERT_TRUE(goes_on(settings_.asrun));
  channel_->stop();
  files_.hang("");
  ASSERT_TRUE(comes([&] { return is_state_of_the_end(); }));
  EXPECT_LE(files_.writes(settings_.state_file) - writes, 3)
      << "the one that hung, the newest, and that of the end";
}

TEST_F(HungRundown, AnAsRunLogThatHangsGetsItsLinesAtOnce) {
  ASSERT_NO_FATAL_FAILURE(hang(settings_.asrun));
  const int writes = files_.writes(settings_.asrun);
  ASSERT_TRUE(comes([&] { return channel_->status().asrun_waiting >= 4; }));
  const std::string log = text_of(settings_.asrun);
  channel_->stop();
  files_.hang("");
  ASSERT_TRUE(comes([&] {
    const std::string now = text_of(settings_.asrun);
    return std::count(now.begin(), now.end(), '\n') >= std::count(log.begin(), log.end(), '\n') + 5;
  }));
  EXPECT_LE(files_.writes(settings_.asrun) - writes, 3)
      << "the one that hung, and the others, not each by itself";
}

class HangsAtTheStart : public HungRundown {
 protected:
  HangsAtTheStart() : HungRundown(R"({"program": [{"id": "a", "source": "a.mp4"}]})", false) {}

  // The channel before it was killed, so there is a line to be written.
  void kill_one_before() {
    ChannelState killed;
    killed.run = "run-1";
    killed.shown = Json::Object{{"run", "run-1"}, {"frame", 7}, {"id", "a"}};
    ASSERT_TRUE(write_channel_state(FileSystem::posix(), settings_.state_file, killed));
  }
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

TEST_F(HangsAtTheStart, AnAsRunLogKeepsNoChannelOffTheAir) {
  ASSERT_NO_FATAL_FAILURE(kill_one_before());
  files_.hang(settings_.asrun);
  start();
  ASSERT_TRUE(comes([&] { return listener_.is_on_air.load(); }));
  ASSERT_TRUE(is_told("asrun", {"asrun"}));
  ASSERT_TRUE(comes([&] { return channel_->status().asrun_waiting > 0; }));
  files_.hang("");
  ASSERT_TRUE(is_told("asrun", {"asrun", "asrun is over"}));
  const std::string log = text_of(settings_.asrun);
  EXPECT_NE(log.substr(0, log.find('\n')).find("The channel was killed."), std::string::npos) << log;
}

// An element stops its channel three times on its way to NULL.
TEST_F(HangsAtTheStart, OnlyTheFirstStopWaitsForTheDisks) {
  ASSERT_NO_FATAL_FAILURE(kill_one_before());
  tools_.patience_for_disk = std::chrono::hours(1);
  files_.hang(settings_.rundown);
  start();
  ASSERT_TRUE(comes([&] { return files_.holds_somebody(); }));
  ASSERT_TRUE(stops_at_once());
  files_.hang(settings_.asrun);
  ASSERT_TRUE(comes([&] { return files_.holds_somebody(); })) << "the line of the killed piece";
  EXPECT_TRUE(stops_at_once());
}

TEST_F(HangsAtTheStart, NoStopWaitsForADiskThatHangsForLong) {
  tools_.patience_for_disk = std::chrono::hours(1);
  start();
  ASSERT_NO_FATAL_FAILURE(hang(settings_.asrun));
  ASSERT_TRUE(is_told("asrun", {"asrun"}));
  EXPECT_TRUE(stops_at_once());
  EXPECT_TRUE(is_state_of_the_end()) << "this was waited for";
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
