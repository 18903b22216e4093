// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The preparer over the simulator: real HTTP, real time, faults, and programs that die.
#include <cstdlib>
#include <random>

#include "examples/simulator/simulator.h"
#include "tests/channel/preparer_fixture.h"
#include "tests/support/sample_clip.h"

namespace genclip::test {
namespace {

// After the last two only the service knows whether a submit was accepted.
constexpr const char *kFaults[] = {
    "submit#1:status=503;retry-after=0",
    "query#1-2:status=500",
    "query#1:reset",
    "media#1:cut=4000",
    "media#1-2:status=503",
    "query#1:expire-urls",
    "submit#1:reset",
    "submit#1:lose-answer",
};

class SimulatedChannel : public testing::TestWithParam<unsigned> {
 protected:
  SimulatedChannel()
      : simulator_({.key = "key",
                    .queued = std::chrono::milliseconds(0),
                    .processing = std::chrono::milliseconds(5),
                    .clip_bytes = sample_mp4(30'000)}) {
    const auto started = simulator_.start();
    EXPECT_TRUE(started) << started.error().text;
    settings_.run.base_url = simulator_.base_url();
    settings_.run.api_key = "key";
    settings_.run.store = folder_.path() + "/store";
    settings_.run.poll_interval_ms = 100;
    settings_.run.retries = 1;
  }
  ~SimulatedChannel() override {
    if (preparer_) preparer_->close();
  }

  void restart() {
    if (preparer_) preparer_->close();
    preparer_ = make_preparer(settings_, {}, vetter_, heard_);
  }
  unsigned number() { return static_cast<unsigned>(random_()); }
  void want_some() {
    std::vector<Wish> wishes;
    for (int i = 0; i < kItems; ++i)
      if (number() % 100 < 60) wishes.push_back(clip("p" + std::to_string(i)));
    preparer_->want(wishes, {});
  }

  static constexpr int kItems = 8;
  std::mt19937 random_{GetParam()};
  TemporaryFolder folder_;
  sim::Simulator simulator_;
  std::shared_ptr<FakeVetter> vetter_ = std::make_shared<FakeVetter>();
  Heard heard_;
  PreparerSettings settings_;
  std::shared_ptr<Preparer> preparer_;
};

TEST_P(SimulatedChannel, PaysEachClipOnceWhateverFails) {
  restart();
  for (int i = 0; i < 40; ++i) {
    if (number() % 100 < 40) want_some();
    if (number() % 100 < 10) {
      restart();
      want_some();
    }
    if (number() % 100 < 40) {
      const std::string fault = kFaults[number() % std::size(kFaults)];
      const auto added = simulator_.add_fault(fault);
      ASSERT_TRUE(added) << fault << ": " << added.error().text;
    }
    heard_.wait_for_news(std::chrono::milliseconds(20));
  }
  simulator_.clear_faults();
  restart();
  std::vector<Wish> all;
  for (int i = 0; i < kItems; ++i) all.push_back(clip("p" + std::to_string(i)));
  preparer_->want(all, {});
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto state = [&](const Wish &wish) { return preparer_->status(wish.item.id, 0).state; };
  for (const Wish &wish : all)
    while (state(wish) != ItemState::ready && state(wish) != ItemState::unknown) {
      const ItemStatus now = preparer_->status(wish.item.id, 0);
      ASSERT_LT(std::chrono::steady_clock::now(), limit)
          << wish.item.id << " is " << to_word(now.state) << ": " << now.reason;
      heard_.wait_for_news(std::chrono::milliseconds(20));
    }
  for (const auto &[request, submits] : simulator_.stats().submits_by_request)
    EXPECT_EQ(submits, 1u) << request;
}

unsigned rounds() {
  const char *set = std::getenv("GENCLIP_ROUNDS");
  return set ? static_cast<unsigned>(std::strtoul(set, nullptr, 10)) : 4;
}

INSTANTIATE_TEST_SUITE_P(Seeds, SimulatedChannel, testing::Range(0U, rounds()));

}  // namespace
}  // namespace genclip::test
