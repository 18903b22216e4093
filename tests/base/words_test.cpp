// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Enums as words.
#include "plugin/base/words.h"

#include <gtest/gtest.h>

namespace genclip {

enum class Tide { low, high };
template <>
inline constexpr Word<Tide> kWords<Tide>[] = {{Tide::low, "low"}, {Tide::high, "high"}};

namespace test {
namespace {

TEST(Words, StandForTheirValuesBothWays) {
  for (const Tide tide : {Tide::low, Tide::high}) EXPECT_EQ(from_word<Tide>(to_word(tide)), tide);
  EXPECT_STREQ(to_word(Tide::high), "high");
  EXPECT_EQ(words_of<Tide>(), (std::vector<std::string>{"low", "high"}));
}

TEST(Words, OfNoValueAreNothing) {
  for (const char *word : {"", "Low", "lo", "low ", "lowhigh"}) EXPECT_FALSE(from_word<Tide>(word)) << word;
  EXPECT_STREQ(to_word(static_cast<Tide>(7)), "");
}

}  // namespace
}  // namespace test
}  // namespace genclip
