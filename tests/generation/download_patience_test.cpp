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

constexpr Setback kSetbacks[] = {Setback::broken,  Setback::busy,       Setback::missing, Setback::refused,
                                 Setback::growing, Setback::other_kind, Setback::lasting};
constexpr char kLetters[] = "bBmrgkl";
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

// Only a second answer confirms a clip that ends cut.
TEST(DownloadPatience, ASecondAnswerIsAskedForHoweverLongTheFirstTook) {
  DownloadPatience patience(policy(), kBegin, std::nullopt);
  const Clock::Time late = patience.limit() + minutes(1);
  const NextTry step = patience.after(Setback::growing, true, late, std::nullopt);
  EXPECT_EQ(step.kind, NextTry::fresh_url);
  EXPECT_EQ(step.pause, seconds(5));
  EXPECT_EQ(patience.after(Setback::growing, true, late, std::nullopt).kind, NextTry::give_up);
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
    patience.progressed(1);
  }
}

TEST(DownloadPatience, ALinkThatBringsLittleIsPausedFromTheTwentyFirstTimeOn) {
  DownloadPatience patience(policy(), kBegin, std::nullopt);
  const auto pause_after = [&](uint64_t gained) {
    patience.progressed(gained);
    return patience.after(Setback::broken, true, kBegin, std::nullopt).pause;
  };
  constexpr uint64_t kMuch = 64 * 1024;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(pause_after(kMuch - 1), milliseconds(0)) << i;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(pause_after(1), milliseconds(100)) << i;
    EXPECT_EQ(pause_after(kMuch), milliseconds(0));
  }
}

TEST(DownloadPatience, ALinkThatBringsMuchIsAskedAgainAtOnceAndNoMoreOftenThanRetriesSay) {
  DownloadPatience patience(policy(), kBegin, std::nullopt);
  for (int i = 0; i < 100; ++i) {
    patience.progressed(uint64_t{1} << 20);
    EXPECT_EQ(patience.after(Setback::broken, true, kBegin, std::nullopt).pause, milliseconds(0));
  }
  for (int i = 0; i < 4; ++i)
    EXPECT_GE(patience.after(Setback::broken, true, kBegin, std::nullopt).pause, milliseconds(500)) << i;
  EXPECT_EQ(patience.after(Setback::broken, true, kBegin, std::nullopt).kind, NextTry::give_up);
  patience.progressed(1);
  EXPECT_GT(patience.after(Setback::busy, true, kBegin, std::nullopt).pause, milliseconds(0))
      << "the server says that it is busy";
}

TEST(DownloadPatience, WhatWillFailAgainIsNotTriedAgain) {
  DownloadPatience patience(policy(), kBegin, std::nullopt);
  patience.progressed(1);
  for (const bool has_arrived : {false, true})
    EXPECT_EQ(patience.after(Setback::lasting, has_arrived, kBegin, std::nullopt).kind, NextTry::give_up);
}

TEST(DownloadPatience, KeepsAWishThatEndsInTime) {
  DownloadPatience patience(policy(), kBegin, kBegin + seconds(60));
  EXPECT_EQ(patience.after(Setback::busy, false, kBegin, seconds(20)).pause, seconds(20));
  EXPECT_EQ(patience.after(Setback::busy, false, kBegin + seconds(20), seconds(40)).pause, seconds(40));
}

TEST(DownloadPatience, AsksMeanwhileWhereAWishEndsTooLate) {
  for (const auto &wish : {seconds(301), seconds(86400)}) {
    DownloadPatience patience(policy(), kBegin, std::nullopt);
    Clock::Time now = kBegin;
    int tries = 0;
    for (;; ++tries) {
      const NextTry step = patience.after(Setback::busy, false, now, wish);
      if (step.kind == NextTry::give_up) break;
      EXPECT_EQ(step.kind, NextTry::fresh_url);
      EXPECT_EQ(step.pause, seconds(30));
      now += step.pause;
    }
    EXPECT_EQ(tries, 10);
    EXPECT_EQ(now, patience.limit());
  }
  DownloadPatience brief(policy(), kBegin, kBegin + seconds(10));
  EXPECT_EQ(brief.after(Setback::busy, false, kBegin, seconds(20)).pause, seconds(10));
}

// Of the rest of a clip a day is never waited for.
TEST(DownloadPatience, AWishOfADayAmidAClipIsTenMinutes) {
  DownloadPatience patience(policy(), kBegin, std::nullopt);
  const auto step = patience.after(Setback::busy, true, kBegin, seconds(86400));
  EXPECT_EQ(step.kind, NextTry::again);
  EXPECT_GE(step.pause, minutes(10));
  EXPECT_LE(step.pause, minutes(10) + seconds(1));
}

// ---- How much is compared.

struct Transfer {
  uint64_t exchanges = 0;
  uint64_t bytes = 0;
  unsigned idle = 0;  // The most exchanges in a row that brought nothing new.
  uint64_t last_overlap = 0;
};

// Over a link that breaks after each `cut` bytes.
Transfer transfer(uint64_t size, uint64_t cut, uint64_t have = 0) {
  Transfer done;
  uint64_t overlap = kMostOverlap;
  for (unsigned idle = 0; have < size && done.exchanges < 2 * size;) {
    const uint64_t seam = std::min(have, overlap);
    const uint64_t received = std::min(cut, size - have + seam);
    const uint64_t gained = received - std::min(received, seam);
    overlap = next_overlap(overlap, received, gained);
    have += gained;
    idle = gained > 0 ? 0 : idle + 1;
    done.idle = std::max(done.idle, idle);
    done.bytes += received;
    ++done.exchanges;
  }
  done.last_overlap = have == size ? overlap : 0;
  return done;
}

TEST(Overlap, LetsEveryLinkBringTheClipThatBringsTwoBytes) {
  constexpr uint64_t kSize = 15'000;
  for (uint64_t cut = 2; cut <= kSize; ++cut)
    for (const uint64_t have : {uint64_t{0}, kSize / 2}) {
      const Transfer done = transfer(kSize, cut, have);
      EXPECT_GT(done.last_overlap, 0u) << cut;
      EXPECT_LE(done.idle, 3u) << cut;
      if (cut < 8) continue;
      EXPECT_LE(done.bytes, 2 * kSize + 2 * kMostOverlap) << cut << ": most of the link is for new bytes";
    }
  EXPECT_LE(transfer(kSize, 10).exchanges, 2'600u);
  EXPECT_LE(transfer(kSize, 4'097).exchanges, 7u);
}

TEST(Overlap, IsAsLargeAsTheLinkAllows) {
  EXPECT_EQ(next_overlap(kMostOverlap, 100'000, 95'904), kMostOverlap);
  EXPECT_EQ(next_overlap(kMostOverlap, 8'192, 4'096), kMostOverlap);
  EXPECT_EQ(next_overlap(4, 100'000, 99'996), kMostOverlap) << "the link is good again";
  EXPECT_EQ(next_overlap(kMostOverlap, 4'097, 1), 1'024u);
  EXPECT_EQ(next_overlap(kMostOverlap, 3, 0), 4u) << "one break says little";
  EXPECT_EQ(next_overlap(4, 3, 0), 1u);
  EXPECT_EQ(next_overlap(1, 1, 0), 1u) << "never none";
}

}  // namespace
}  // namespace genclip::test
