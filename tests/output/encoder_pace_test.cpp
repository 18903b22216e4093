// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/encoder_pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace genclip {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// A source that makes pictures and waits where the queue has no room, and an encoder.
class Encoding {
 public:
  explicit Encoding(milliseconds frame = 40ms)
      : frame_(frame), room_(std::max<size_t>(EncoderPace::kWaiting + 1, 1000ms / frame)) {}

  // `cost`: what a picture takes, of which each one in `period` takes `peak`.
  void run(milliseconds time, milliseconds cost, milliseconds peak = 0ms, uint64_t period = UINT64_MAX) {
    for (const auto end = now_ + time; now_ < end; now_ += 1ms) {
      if (!queue_.empty() && now_ >= free_at_) {
        behind_ = now_ - queue_.front();
        queue_.pop_front();
        free_at_ = now_ + (encoded_ % period == 0 && peak > 0ms ? peak : cost);
        ++encoded_;
      }
      while (next_ <= now_) {
        const bool full = queue_.size() >= room_;
        if (!asked_ || *asked_ != next_) {
          asked_ = next_;
          lag_ = now_ - next_;
          skip_ = pace_.skips(now_ - next_, static_cast<unsigned>(queue_.size()), Clock::Time(now_));
        }
        if (!skip_ && full) break;
        if (skip_) ++skipped_;
        if (!skip_) queue_.push_back(next_);
        next_ += frame_;
      }
    }
  }
  // The encoder hangs.
  void hang_for(milliseconds time) { free_at_ = now_ + time; }
  // Nothing runs, the clock does.
  void stop_for(milliseconds time) { now_ += time; }

  const milliseconds frame_;
  const size_t room_;  // The queue: one second.
  milliseconds now_{100000}, next_{100000}, free_at_{0};
  milliseconds lag_{};     // Of the source behind the clock.
  milliseconds behind_{};  // Of what is encoded.
  uint64_t encoded_ = 0, skipped_ = 0;

 private:
  std::deque<milliseconds> queue_;
  EncoderPace pace_;
  std::optional<milliseconds> asked_;
  bool skip_ = false;
};

TEST(EncoderPace, LeavesNothingOutOfAnEncoderThatKeepsUp) {
  Encoding encoding;
  encoding.run(60s, 39ms);
  EXPECT_EQ(encoding.skipped_, 0u);
  EXPECT_NEAR(static_cast<double>(encoding.encoded_), 1500, 3);
}

TEST(EncoderPace, LeavesNothingOutAfterAHiccup) {
  for (const auto time : {2000ms, 3000ms, 4000ms, 4500ms, 4900ms, 5100ms, 10000ms})
    for (const auto cost : {20ms, 33ms}) {
      SCOPED_TRACE(std::to_string(time.count()) + " " + std::to_string(cost.count()));
      Encoding encoding;
      encoding.run(10s, 20ms);
      encoding.stop_for(time);
      encoding.run(80s, cost);
      encoding.hang_for(time);
      encoding.run(80s, cost);
      encoding.run(5s, 60ms);
      encoding.run(80s, cost);
      EXPECT_EQ(encoding.skipped_, 0u);
      EXPECT_LT(encoding.lag_, 1s);
    }
}

// Once it is known, what leaves is a few pictures late, and the encoder never rests.
TEST(EncoderPace, KeepsASlowEncoderAtTheClock) {
  struct Case {
    milliseconds frame, cost;
  };
  for (const auto &[frame, cost] : {Case{40ms, 41ms},
                                    {40ms, 60ms},
                                    {40ms, 100ms},
                                    {40ms, 400ms},
                                    {40ms, 1500ms},
                                    {16ms, 20ms},
                                    {200ms, 300ms},
                                    {1000ms, 1500ms},
                                    {1000ms, 4000ms}}) {
    SCOPED_TRACE(std::to_string(frame.count()) + " " + std::to_string(cost.count()));
    Encoding encoding(frame);
    // A picture in 40 of 41 ms needs a while until it is half a second behind.
    encoding.run(90s, cost);
    EXPECT_GT(encoding.skipped_, 0u);
    const uint64_t encoded = encoding.encoded_, skipped = encoding.skipped_;
    milliseconds worst{};
    for (int look = 0; look < 100; ++look) {
      encoding.run(600ms, cost);
      worst = std::max(worst, encoding.lag_);
    }
    EXPECT_LT(worst, frame);
    EXPECT_LE(encoding.behind_, frame + cost * (EncoderPace::kWaiting + 1));
    const auto made = static_cast<double>(encoding.encoded_ - encoded);
    EXPECT_NEAR(made, 60000.0 / static_cast<double>(cost.count()), 3);
    // What is in the queue is neither.
    EXPECT_NEAR(made + static_cast<double>(encoding.skipped_ - skipped),
                60000.0 / static_cast<double>(frame.count()), 1 + static_cast<double>(encoding.room_));
  }
}

TEST(EncoderPace, EndsWithTheLoad) {
  Encoding encoding;
  encoding.run(60s, 60ms);
  encoding.run(20s, 20ms);
  const uint64_t skipped = encoding.skipped_;
  EXPECT_GT(skipped, 0u);
  // As at the start: a hiccup costs nothing.
  encoding.run(5s, 60ms);
  encoding.run(20s, 20ms);
  EXPECT_EQ(encoding.skipped_, skipped);
}

// The key frame of each two seconds takes longer.
TEST(EncoderPace, EndsWithTheLoadOfAnEncoderThatIsUneven) {
  for (const auto frame : {40ms, 20ms, 16ms})
    for (const auto peak : {60ms, 100ms, 150ms, 200ms}) {
      SCOPED_TRACE(std::to_string(frame.count()) + " " + std::to_string(peak.count()));
      Encoding encoding(frame);
      const auto period = static_cast<uint64_t>(2000ms / frame);
      encoding.run(60s, frame * 2 / 5, peak, period);
      EXPECT_EQ(encoding.skipped_, 0u);
      encoding.run(20s, frame * 2);
      encoding.run(30s, frame * 2 / 5, peak, period);
      const uint64_t skipped = encoding.skipped_;
      EXPECT_GT(skipped, 0u);
      encoding.run(100s, frame * 2 / 5, peak, period);
      EXPECT_EQ(encoding.skipped_, skipped);
    }
}

}  // namespace
}  // namespace genclip
