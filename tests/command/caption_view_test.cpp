// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/caption_view.h"

#include <gtest/gtest.h>

#include "plugin/command/console.h"

namespace genclip {
namespace {

using namespace std::chrono_literals;

FilmView half_of_a_film() {
  FilmView view{"storm.mp4", 2, 3, {}, 40};
  view.progress = {.done = 42s, .length = 84s, .estimate = FilmEstimate{20, 20, 2000}};
  view.progress.requests = 9;
  view.progress.cached = 3;
  view.progress.tokens = 900;
  return view;
}

TEST(CaptionView, TheBarTellsTheTimeOfTheFilmAndWhatIsLeft) {
  EXPECT_EQ(film_bar_line(half_of_a_film(), 79),
            "2/3 storm.mp4  [############------------]   50 %  0:42 of 1:24  about 0:40 left");
  FilmView alone = half_of_a_film();
  alone.films = 1;
  alone.left.reset();
  EXPECT_EQ(film_bar_line(alone, 59), "storm.mp4  [############-------------]   50 %  0:42 of 1:24");
  alone.progress.length.reset();
  EXPECT_EQ(film_bar_line(alone, 59), "storm.mp4  0:42");
}

TEST(CaptionView, TheCountsAreThoseOfThisRun) {
  EXPECT_EQ(film_counts_line(half_of_a_film(), 79),
            "9 of 17 requests, 3 answers from the store, 900 of about 1700 tokens");
  FilmView unknown = half_of_a_film();
  unknown.progress.estimate.reset();
  unknown.progress.skipped = 1;
  EXPECT_EQ(film_counts_line(unknown, 79),
            "9 requests, 3 answers from the store, 1 window without, 900 tokens");
}

TEST(CaptionView, MoreRequestsThanExpectedAreNoLessThanTheyAre) {
  FilmView more = half_of_a_film();
  more.progress.requests = 25;
  EXPECT_EQ(film_counts_line(more, 79),
            "25 of 25 requests, 3 answers from the store, 900 of about 2500 tokens");
}

TEST(CaptionView, NoLineIsWiderThanTheTerminal) {
  FilmView view = half_of_a_film();
  view.name = "一只红色的风筝在暴风雨中飞过灯塔\033[2J镜头从海面缓缓升起.mp4";
  for (size_t columns = 40; columns <= 120; ++columns) {
    EXPECT_LE(width_of(film_bar_line(view, columns)), columns);
    EXPECT_LE(width_of(film_counts_line(view, columns)), columns);
  }
  EXPECT_EQ(film_bar_line(view, 79).find('\033'), std::string::npos);
}

TEST(CaptionView, APipeGetsALineForEachTenth) {
  EXPECT_EQ(film_change_line(half_of_a_film()),
            "storm.mp4: 50 %, 0:42 of 1:24, 9 requests, 3 answers from the store, 900 tokens");
  EXPECT_EQ(film_estimate_line("a.mp4", {17, 16, 0}), "a.mp4: 17 windows, at most 16 requests");
  EXPECT_EQ(film_estimate_line("a.mp4", {1, 1, 320}), "a.mp4: 1 window, at most 1 request, about 320 tokens");
  EXPECT_EQ(film_step({.done = 42s, .length = 84s}), 5);
  EXPECT_EQ(film_step({.done = 41s, .length = 84s}), 4);
  EXPECT_EQ(film_step({.done = 84s, .length = 84s}), 10);
  EXPECT_EQ(film_step({.done = 11min}), 2);
}

TEST(CaptionView, ThePaceIsThatOfTheLastMinute) {
  FilmPace pace;
  EXPECT_FALSE(pace.left(100));
  pace.add(0, 0);
  pace.add(1, 50);
  EXPECT_FALSE(pace.left(100)) << "too soon to tell";
  pace.add(2, 50);
  EXPECT_EQ(pace.left(100), 2);
  // The store had the first half; the rest takes its time.
  for (int second = 3; second <= 100; ++second) pace.add(second, 50 + 0.1 * second);
  EXPECT_EQ(pace.left(100), 400);
  EXPECT_EQ(pace.left(0), 0);
}

TEST(CaptionView, APaceThatStandsStillTellsNothing) {
  FilmPace pace;
  for (int second = 0; second < 10; ++second) pace.add(second, 7);
  EXPECT_FALSE(pace.left(100));
}

TEST(CaptionView, TheEndSumsUpAllFilms) {
  FilmTotals totals{.films = 3, .done = 1, .failed = 1};
  totals.add({.requests = 5, .cached = 2, .captions = 7, .skipped = 1, .tokens = 100});
  totals.add({.requests = 1, .tokens = 20});
  EXPECT_EQ(films_end_text(totals),
            "1 of 3 films are captioned, 1 failed, 1 is left: 6 requests, 2 answers from the store, 120 "
            "tokens, 1 window without a caption.");
  totals.add({.skipped = 33, .unasked = 31});
  EXPECT_TRUE(films_end_text(totals).ends_with(", 34 windows without a caption, 31 of them not asked about."))
      << films_end_text(totals);
  const std::string before = films_end_text(totals);
  totals.add({.skipped = 3, .unasked = 3}, true);
  EXPECT_EQ(films_end_text(totals), before) << "the next run asks about them";
  EXPECT_EQ(films_end_text({.films = 1, .there = 1}), "The captions are there already: nothing was asked.");
  EXPECT_EQ(films_end_text({.films = 2, .there = 2}),
            "The captions of all 2 films are there already: nothing was asked.");
  EXPECT_EQ(
      films_end_text({.films = 6, .done = 1, .failed = 1, .there = 2}),
      "1 of 6 films are captioned, 1 failed, 2 were captioned already, 2 are left: 0 requests, 0 tokens.");
  EXPECT_EQ(films_end_text({.films = 1, .done = 1}), "1 of 1 film is captioned: 0 requests, 0 tokens.");
  EXPECT_EQ(films_end_text({.films = 1, .done = 1, .credits = 9.5}),
            "1 of 1 film is captioned: 0 requests, 0 tokens, 9.5 credits for clips.");
}

}  // namespace
}  // namespace genclip
