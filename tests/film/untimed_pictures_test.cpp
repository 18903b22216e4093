// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/untimed_pictures.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

TEST(UntimedPictures, BeforeTheFirstThatHasATimeAreNoLack) {
  UntimedPictures pictures;
  for (unsigned i = 0; i + 1 < UntimedPictures::kMost; ++i) EXPECT_FALSE(pictures.add(false)) << i;
  EXPECT_FALSE(pictures.add(true));
  for (unsigned i = 0; i < 2 * UntimedPictures::kMost; ++i) EXPECT_FALSE(pictures.add(false)) << i;
  EXPECT_FALSE(pictures.end());
}

TEST(UntimedPictures, AreALackOnceThereAreManyAndNoneHasATime) {
  UntimedPictures pictures;
  for (unsigned i = 0; i + 1 < UntimedPictures::kMost; ++i) EXPECT_FALSE(pictures.add(false)) << i;
  EXPECT_TRUE(pictures.add(false));
}

TEST(UntimedPictures, OfABriefStreamAreALackAtItsEnd) {
  UntimedPictures pictures;
  EXPECT_FALSE(pictures.end()) << "there is no picture";
  pictures.add(false);
  EXPECT_TRUE(pictures.end());
  pictures.add(true);
  EXPECT_FALSE(pictures.end());
}

}  // namespace
}  // namespace genclip
