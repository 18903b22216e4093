// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/picture_holes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace genclip {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Of windows of five seconds.
PictureHoles pictures_at(std::initializer_list<std::chrono::nanoseconds> times) {
  PictureHoles holes;
  for (const auto time : times) holes.saw(time, {time - time % 5s, time - time % 5s + 5s});
  return holes;
}

TEST(PictureHoles, ACaptionStandsAsLongAsItsPicture) {
  const auto slides = pictures_at({0s, 10s, 32s});
  EXPECT_THAT(slides.hold({{0s, 5s, "a"}, {10s, 15s, "b"}, {30s, 35s, "c"}}, {}),
              ElementsAre(FilmCue{0s, 10s, "a"}, FilmCue{10s, 32s, "b"}, FilmCue{32s, 54s, "c"}));
}

TEST(PictureHoles, TheLastOfSeveralCuesStands) {
  EXPECT_THAT(pictures_at({0s, 10s}).hold({{0s, 2s, "a"}, {2s, 5s, "b"}, {10s, 15s, "c"}}, 15s),
              ElementsAre(FilmCue{0s, 2s, "a"}, FilmCue{2s, 10s, "b"}, FilmCue{10s, 15s, "c"}));
}

TEST(PictureHoles, ACaptionBeginsWithItsPicture) {
  const auto slides = pictures_at({0s, 9s, 18s, 27s});
  EXPECT_THAT(
      slides.hold({{0s, 5s, "a"}, {5s, 8s, "b"}, {8s, 10s, "B"}, {15s, 20s, "c"}, {25s, 30s, "d"}}, 40s),
      ElementsAre(FilmCue{0s, 9s, "a"}, FilmCue{9s, 12s, "b"}, FilmCue{12s, 18s, "B"}, FilmCue{18s, 27s, "c"},
                  FilmCue{27s, 36s, "d"}));
}

TEST(PictureHoles, AllCuesOfACaptionMoveWithIt) {
  EXPECT_THAT(pictures_at({0s, 12s, 30s})
                  .hold({{0s, 5s, "a"}, {10s, 12s, "b"}, {12s, 15s, "B"}, {30s, 35s, "c"}}, 40s),
              ElementsAre(FilmCue{0s, 12s, "a"}, FilmCue{12s, 14s, "b"}, FilmCue{14s, 30s, "B"},
                          FilmCue{30s, 40s, "c"}));
}

TEST(PictureHoles, ACaptionThatWouldHaveLessTimeBeginsBeforeItsPicture) {
  EXPECT_THAT(pictures_at({0s, 8s, 10s}).hold({{0s, 5s, "a"}, {5s, 10s, "b"}, {10s, 15s, "c"}}, 12s),
              ElementsAre(FilmCue{0s, 5s, "a"}, FilmCue{5s, 10s, "b"}, FilmCue{10s, 15s, "c"}));
  EXPECT_THAT(pictures_at({0s, 8s}).hold({{0s, 5s, "a"}, {5s, 10s, "b"}}, 11s),
              ElementsAre(FilmCue{0s, 6s, "a"}, FilmCue{6s, 11s, "b"}));
}

TEST(PictureHoles, PicturesOfOneWindowShareItsCaption) {
  EXPECT_THAT(pictures_at({0s, 3s}).hold({{0s, 1s, "a"}}, 5s), ElementsAre(FilmCue{0s, 3s, "a"}));
  EXPECT_THAT(pictures_at({0s, 2s, 4s, 5s}).hold({{0s, 2s, "a"}, {2s, 5s, "b"}, {5s, 10s, "c"}}, 10s),
              ElementsAre(FilmCue{0s, 2s, "a"}, FilmCue{2s, 5s, "b"}, FilmCue{5s, 10s, "c"}));
}

TEST(PictureHoles, TheLastPictureStandsToTheEndOfTheFilm) {
  EXPECT_THAT(pictures_at({0s, 10s}).hold({{10s, 15s, "a"}}, 18s), ElementsAre(FilmCue{10s, 18s, "a"}));
  EXPECT_THAT(pictures_at({0s, 10s}).hold({{10s, 15s, "a"}}, 60s), ElementsAre(FilmCue{10s, 20s, "a"}));
}

TEST(PictureHoles, ThePicturesOfAnEndThatMovesStandNoLonger) {
  EXPECT_THAT(pictures_at({0s, 10s, 10500ms, 11s, 11500ms}).hold({{0s, 5s, "a"}, {10s, 12s, "b"}}, 60s),
              ElementsAre(FilmCue{0s, 10s, "a"}, FilmCue{10s, 12s, "b"}));
}

TEST(PictureHoles, APictureWithoutACaptionKeepsNone) {
  EXPECT_THAT(pictures_at({0s, 5s, 20s}).hold({{0s, 5s, "a"}, {20s, 25s, "b"}}, 25s),
              ElementsAre(FilmCue{0s, 5s, "a"}, FilmCue{20s, 25s, "b"}));
}

TEST(PictureHoles, AFilmThatMovesHasNone) {
  PictureHoles film;
  for (auto at = 0ms; at < 10s; at += 500ms) film.saw(at, {at - at % 5s, at - at % 5s + 5s});
  EXPECT_THAT(film.hold({{0s, 5s, "a"}, {5s, 9s, "b"}}, 60s),
              ElementsAre(FilmCue{0s, 5s, "a"}, FilmCue{5s, 9s, "b"}));
}

}  // namespace
}  // namespace genclip
