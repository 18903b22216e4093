// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every order of setbacks that a download can meet: it ends in time, and asks for no URL in vain.
#include "plugin/generation/download_patience.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace genclip::test {
namespace {

using NextTry = DownloadPatience::Step;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Setback kSetbacks[] = {Setback::broken, Setback::busy, Setback::missing, Setback::refused,
                                 Setback::other_kind};
constexpr char kLetters[] = "bBmrk";
constexpr Clock::Time kBegin{seconds(1000)};

const RetryPolicy &policy() {
  static const RetryPolicy five(5, [] { return 0.999; });
  return five;
}

// Explores every sequence of setbacks to this length, before and after the first byte.
void explore(DownloadPatience patience, Clock::Time now, bool has_arrived, const std::string &path, int left,
             size_t &sequences) {
  if (left == 0) return;
  for (const Setback setback : kSetbacks) {
    ++sequences;
    DownloadPatience next = patience;
    const std::string here = path + kLetters[static_cast<int>(setback)];
    const NextTry step = next.after(setback, has_arrived, now, std::nullopt);
    if (step.kind == NextTry::give_up) continue;
    EXPECT_GE(step.pause.count(), 0) << here;
    EXPECT_LE(step.pause, milliseconds(37'500)) << here;
    const bool asks = setback != Setback::broken && (!has_arrived || setback != Setback::busy);
    EXPECT_EQ(step.kind, asks ? NextTry::fresh_url : NextTry::again) << here;
    if (!has_arrived && (setback == Setback::busy || setback == Setback::missing)) {
      EXPECT_LE(now + step.pause, next.limit()) << here;
      EXPECT_LE(step.pause, seconds(30)) << here;
    }
    // Only media that were never served may take long.
    if (now - kBegin > minutes(10)) {
      ADD_FAILURE() << here << " lasts for " << (now - kBegin).count();
      return;
    }
    explore(next, now + step.pause, has_arrived, here, left - 1, sequences);
  }
}

TEST(DownloadPatience, EndsOverEverySequenceOfSetbacks) {
  size_t sequences = 0;
  for (const bool has_arrived : {false, true})
    for (const auto timeout : {seconds(0), seconds(8), seconds(1800)})
      explore(DownloadPatience(policy(), kBegin, kBegin + timeout), kBegin, has_arrived,
              has_arrived ? "+" : "-", 6, sequences);
  EXPECT_GT(sequences, 20'000u);
  RecordProperty("sequences", static_cast<int>(sequences));
}

// With one kind alone, and with any two in turn, the end comes.
TEST(DownloadPatience, EndsWhenSetbacksGoOnForEver) {
  for (const Setback first : kSetbacks)
    for (const Setback second : kSetbacks)
      for (const bool has_arrived : {false, true}) {
        DownloadPatience patience(policy(), kBegin, std::nullopt);
        Clock::Time now = kBegin;
        int tries = 0;
        for (; tries < 200; ++tries) {
          const NextTry step = patience.after(tries % 2 ? second : first, has_arrived, now, std::nullopt);
          if (step.kind == NextTry::give_up) break;
          now += step.pause;
        }
        EXPECT_LT(tries, 50) << static_cast<int>(first) << static_cast<int>(second);
        EXPECT_LE(now - kBegin, minutes(6));
      }
}

TEST(DownloadPatience, ProgressForgetsTheSetbacksBeforeIt) {
  DownloadPatience patience(policy(), kBegin, std::nullopt);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(patience.after(Setback::broken, true, kBegin, std::nullopt).kind, NextTry::again);
    EXPECT_EQ(patience.after(Setback::refused, true, kBegin, std::nullopt).kind, NextTry::fresh_url);
    patience.progressed();
  }
}

TEST(DownloadPatience, KeepsAWishOrEnds) {
  DownloadPatience patience(policy(), kBegin, kBegin + seconds(60));
  EXPECT_EQ(patience.after(Setback::busy, false, kBegin, seconds(20)).pause, seconds(20));
  EXPECT_EQ(patience.after(Setback::busy, false, kBegin + seconds(50), seconds(20)).kind, NextTry::give_up);
}

}  // namespace
}  // namespace genclip::test
