// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Replaces every occurrence and nothing else, quickly even in long texts.
#include "plugin/base/replace_all.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/time_limit.h"

namespace genclip {
namespace {

TEST(ReplaceAll, ReplacesEveryPlaceOnceFromTheFront) {
  EXPECT_EQ(replace_all("", "a", "b"), "");
  EXPECT_EQ(replace_all("none", "a", "b"), "none");
  EXPECT_EQ(replace_all("a.b.", ".", "--"), "a--b--");
  EXPECT_EQ(replace_all("aaa", "aa", "a"), "aa");
  EXPECT_EQ(replace_all("--->", "-->", "→"), "-→");
}

TEST(ReplaceAll, TakesAWholeAnswerOfItWithoutAStop) {
  std::string text;
  while (text.size() < 8 << 20) text += "-->";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(replace_all(text, "-->", ">").size(), text.size() / 3);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, test::time_limit(std::chrono::seconds(5)))
      << "in place it takes minutes";
}

}  // namespace
}  // namespace genclip
