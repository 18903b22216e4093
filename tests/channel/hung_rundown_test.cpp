// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A channel whose rundown is on a disk that does not answer any more.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <sstream>
#include <thread>

#include "plugin/channel/channel.h"
#include "tests/channel/hanging_files.h"
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
  void reload() override {}
  void close() override {}
  double spent() const override { return 0; }
};

class Deaf final : public ChannelListener {
 public:
  void on_item(const std::string &, const ItemStatus &) override {}
  void on_air(const Piece &, Clock::WallTime) override {}
  void on_next() override {}
  void on_rundown(const RundownNotice &) override {}
  void on_budget(const std::optional<BudgetNotice> &) override {}
  void on_alarm(const std::string &, const std::string &, bool) override {}
  void on_warning(const Error &) override {}
  void on_error(const Error &) override {}
};

std::string text_of(const std::string &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

template <typename Holds>
testing::AssertionResult comes(const Holds &holds) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > limit) return testing::AssertionFailure() << "it does not come";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return testing::AssertionSuccess();
}

TEST(HungRundown, HoldsUpNeitherTheAsRunLogNorTheState) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("day.json")) << R"({"program": [{"id": "a", "source": "a.mp4"}]})";
  auto &files = HangingFiles::shared();
  SlateStage stage;
  Deaf listener;
  ChannelTools tools;
  tools.files = &files;
  tools.make_preparer = [](PreparerListener &) { return std::make_shared<NothingReady>(); };
  ChannelSettings settings;
  settings.rundown = folder.file("day.json");
  settings.asrun = folder.file("asrun");
  settings.state_file = folder.file("state");
  Channel channel(settings, tools, listener);
  channel.start(stage);
  ASSERT_TRUE(comes([&] { return !text_of(settings.state_file).empty(); }));
  files.hang(settings.rundown);
  ASSERT_TRUE(comes([&] { return files.holds_somebody(); }));
  const std::string asrun = text_of(settings.asrun), state = text_of(settings.state_file);
  channel.skip();
  EXPECT_TRUE(comes([&] { return text_of(settings.asrun).size() > asrun.size(); }));
  EXPECT_TRUE(comes([&] { return text_of(settings.state_file) != state; }));
  channel.stop();
  files.hang("");
}

}  // namespace
}  // namespace genclip::test
