// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/equal_cues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace genclip {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(EqualCues, NeighboursThatSayTheSameBecomeOne) {
  EXPECT_THAT(join_equal_cues({{0s, 5s, "a"}, {5s, 10s, "a"}, {10s, 12s, "a"}, {12s, 15s, "b"}}),
              ElementsAre(FilmCue{0s, 12s, "a"}, FilmCue{12s, 15s, "b"}));
  EXPECT_THAT(join_equal_cues({}), IsEmpty());
}

TEST(EqualCues, WhatIsSaidAgainAfterSilenceOrAnotherCueStays) {
  const std::vector<FilmCue> apart{{0s, 4s, "a"}, {5s, 10s, "a"}, {10s, 11s, "b"}, {11s, 12s, "a"}};
  EXPECT_EQ(join_equal_cues(apart), apart);
}

}  // namespace
}  // namespace genclip
