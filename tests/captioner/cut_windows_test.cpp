// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where windows end that also end with cuts, and which of their pictures become stills.
#include "elements/captioner/cut_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "elements/captioner/still_choice.h"

namespace genclip {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kS = 1000 * kMs;

// A film as the number of the scene of each picture.
struct Film {
  uint64_t spacing = 40 * kMs;
  std::vector<unsigned> scenes;

  uint64_t time(size_t at) const { return at * spacing; }
};

struct Window {
  uint64_t start = 0;
  uint64_t end = 0;  // as known when the next one begins
  friend bool operator==(const Window &, const Window &) = default;
  friend std::ostream &operator<<(std::ostream &out, const Window &window) {
    return out << window.start / kMs << "-" << window.end / kMs;
  }
};

std::vector<Window> windows_of(const Film &film, const CutWindows::Rules &rules, uint64_t lasts = 0) {
  CutWindows cuts(rules);
  cuts.reset(0);
  std::vector<Window> windows;
  for (size_t i = 0; i < film.scenes.size(); ++i) {
    const unsigned scene = film.scenes[i];
    const auto decision =
        cuts.on_picture({film.time(i), lasts, i > 0 && scene != film.scenes[i - 1] ? 0.5 : 0.02});
    if (!decision.begins) continue;
    EXPECT_TRUE(decision.keep);
    EXPECT_EQ(decision.last.has_value(), !windows.empty());
    if (!windows.empty() && decision.last) windows.back().end = *decision.last;
    windows.push_back({decision.start, decision.end});
  }
  return windows;
}

// Scenes of these lengths, in pictures.
Film film_of(const std::vector<unsigned> &lengths) {
  Film film;
  for (unsigned scene = 0; scene < lengths.size(); ++scene)
    film.scenes.insert(film.scenes.end(), lengths[scene], scene);
  return film;
}

const CutWindows::Rules kRules{5 * kS, kS, 5 * kS, 0.1};

TEST(CutWindows, WithoutACutLastAnInterval) {
  EXPECT_THAT(windows_of(film_of({300}), kRules),
              ElementsAre(Window{0, 5 * kS}, Window{5 * kS, 10 * kS}, Window{10 * kS, 15 * kS}));
}

TEST(CutWindows, EndWithTheFirstPictureBehindACut) {
  EXPECT_THAT(windows_of(film_of({50, 50, 150}), kRules),
              ElementsAre(Window{0, 2 * kS}, Window{2 * kS, 4 * kS}, Window{4 * kS, 9 * kS},
                          Window{9 * kS, 14 * kS}));
}

TEST(CutWindows, DoNotEndWithACutBeforeTheMinimum) {
  EXPECT_THAT(windows_of(film_of({10, 140}), kRules),
              ElementsAre(Window{0, 5 * kS}, Window{5 * kS, 10 * kS}));
  EXPECT_THAT(windows_of(film_of({24, 1, 125}), kRules), ElementsAre(Window{0, kS}, Window{kS, 6 * kS}));
}

TEST(CutWindows, DoNotEndWithAFlash) {
  Film film = film_of({120});
  film.scenes[7] = 1;
  EXPECT_THAT(windows_of(film, kRules), ElementsAre(Window{0, 5 * kS}));
}

TEST(CutWindows, DoNotEndWhenAPictureMovesAwayFromTheFirstOne) {
  CutWindows cuts(kRules);
  cuts.reset(0);
  for (unsigned i = 0; i < 120; ++i) EXPECT_EQ(cuts.on_picture({i * 40 * kMs, 0, 0.05}).begins, i == 0) << i;
}

TEST(CutWindows, LastAsLongAsAPictureDoes) {
  CutWindows cuts(kRules);
  cuts.reset(0);
  EXPECT_EQ(cuts.on_picture({0, 32 * kS, 0}).end, 32 * kS);
  const auto next = cuts.on_picture({32 * kS, 2 * kS, 0.5});
  EXPECT_EQ(next.last, 32 * kS);
  EXPECT_EQ(next.start, 32 * kS);
}

TEST(CutWindows, StartWithThePictureBehindAJump) {
  CutWindows cuts(kRules);
  cuts.reset(0);
  EXPECT_EQ(cuts.on_picture({100 * kMs, 0, 0}).start, 0u) << "the stream begins with it";
  const auto jump = cuts.on_picture({60 * kS, 0, 0});
  EXPECT_EQ(jump.last, 5 * kS);
  EXPECT_EQ(jump.start, 60 * kS);
  EXPECT_FALSE(cuts.on_picture({30 * kS, 0, 0.5}).begins) << "a repetition";
  EXPECT_FALSE(cuts.on_picture({30 * kS, 0, 0.5}).keep);
  cuts.reset(20 * kS);
  const auto sought = cuts.on_picture({30 * kS, 0, 0.5});
  EXPECT_TRUE(sought.begins);
  EXPECT_EQ(sought.start, 30 * kS);
  EXPECT_EQ(sought.last, std::nullopt);
}

TEST(CutWindows, KeepAPictureEachStep) {
  CutWindows cuts({5 * kS, kS, kS, 0.1});
  cuts.reset(0);
  unsigned kept = 0;
  for (unsigned i = 0; i < 125; ++i) kept += cuts.on_picture({i * 40 * kMs, 0, 0}).keep;
  EXPECT_EQ(kept, 5u);
}

TEST(CutWindows, SurviveTheEndOfTime) {
  CutWindows cuts(kRules);
  cuts.reset(0);
  EXPECT_EQ(cuts.on_picture({UINT64_MAX - 2, UINT64_MAX, 0}).end, UINT64_MAX - 1);
  CutWindows none({0, 0, 0, 0});
  EXPECT_TRUE(none.on_picture({0, 0, 0}).begins);
}

// Whatever the film: the claims of the class.
TEST(CutWindows, HoldTheirRulesOverRandomFilms) {
  std::mt19937 engine(7);
  const auto random = [&engine](unsigned below) { return static_cast<unsigned>(engine() % below); };
  for (unsigned round = 0; round < 2000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    std::vector<unsigned> lengths;
    for (unsigned scenes = 1 + random(12); scenes > 0; --scenes) lengths.push_back(1 + random(200));
    Film film = film_of(lengths);
    film.spacing = (1 + random(100)) * 7 * kMs;
    const CutWindows::Rules rules{(1 + random(80)) * 100 * kMs, (1 + random(40)) * 100 * kMs, kS, 0.1};
    const auto windows = windows_of(film, rules);
    const uint64_t least = std::min(rules.min_interval, rules.interval);
    ASSERT_FALSE(windows.empty());
    EXPECT_EQ(windows.front().start, 0u);
    for (size_t i = 0; i < windows.size(); ++i) {
      const Window &window = windows[i];
      EXPECT_LE(window.end - window.start, rules.interval) << window;
      if (i + 1 == windows.size()) continue;
      EXPECT_GE(window.end - window.start, least) << window;
      const Window &next = windows[i + 1];
      EXPECT_GE(next.start, window.end) << window << " " << next;
      if (next.start != window.end) {
        EXPECT_GE(film.spacing, least) << "only pictures further apart than that leave a gap: " << window;
      }
      // Shorter than an interval: it ends with a cut.
      if (window.end - window.start < rules.interval) {
        const size_t last = window.end / film.spacing;
        EXPECT_EQ(window.end % film.spacing, 0u) << window;
        EXPECT_NE(film.scenes.at(last - 1), film.scenes.at(last)) << window;
      }
    }
    // Each cut is an end, or its window was too short.
    for (size_t i = 1; i < film.scenes.size(); ++i) {
      if (film.scenes[i] == film.scenes[i - 1]) continue;
      const uint64_t cut = film.time(i);
      const auto of = std::find_if(windows.rbegin(), windows.rend(),
                                   [cut](const Window &window) { return window.start <= cut; });
      EXPECT_TRUE(cut == of->start || cut - of->start < least) << "a cut at " << cut / kMs << " in " << *of;
    }
  }
}

TEST(SpreadStills, TakesTheMiddleOrAllEvenly) {
  EXPECT_THAT(spread_stills({}, 3), IsEmpty());
  EXPECT_THAT(spread_stills({4}, 3), ElementsAre(0));
  EXPECT_THAT(spread_stills({0, 1, 2, 3, 4}, 1), ElementsAre(2));
  EXPECT_THAT(spread_stills({0, 1, 2, 3, 4, 5, 6, 7}, 2), ElementsAre(2, 6));
  EXPECT_THAT(spread_stills({7, 6, 5, 4, 3, 2, 1, 0}, 2), ElementsAre(2, 6)) << "in reverse";
  EXPECT_THAT(spread_stills({0, 15}, 1), ElementsAre(1)) << "the middle of 0 to 30";
  EXPECT_THAT(spread_stills({0, 1, 2}, 9), ElementsAre(0, 1, 2));
  EXPECT_THAT(spread_stills({0, 0, 0, 9}, 4), ElementsAre(0, 1, 2, 3));
}

TEST(SpreadStills, ChoosesEachOnceInOrder) {
  std::mt19937 random(3);
  for (unsigned round = 0; round < 2000; ++round) {
    std::vector<uint64_t> times(random() % 40);
    for (uint64_t &time : times) time = random() % 1000;
    std::sort(times.begin(), times.end());
    const size_t count = random() % 20;
    const auto chosen = spread_stills(times, count);
    EXPECT_EQ(chosen.size(), std::min(count, times.size()));
    for (size_t i = 0; i < chosen.size(); ++i) {
      EXPECT_LT(chosen[i], times.size());
      if (i > 0) {
        EXPECT_GT(chosen[i], chosen[i - 1]);
      }
    }
  }
}

}  // namespace
}  // namespace genclip
