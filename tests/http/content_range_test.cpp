// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Content-Range as servers send it, and as they should not.
#include "plugin/http/content_range.h"

#include <gtest/gtest.h>

namespace genclip::test {
namespace {

TEST(ContentRange, IsReadAsServersSendIt) {
  const std::tuple<const char *, uint64_t, uint64_t, uint64_t> cases[] = {
      {"bytes 0-99/200", 0, 99, 200},
      {"bytes 100-199/200", 100, 199, 200},
      {"Bytes  100 - 199 / 200 ", 100, 199, 200},
      {"bytes 5-5/*", 5, 5, 0},
      {"bytes=0-99/200", 0, 99, 200},
      {"bytes: 0-99/200", 0, 99, 200},
      {"bytes 0-18446744073709551613/18446744073709551615", 0, 18446744073709551613u, 18446744073709551615u},
  };
  for (const auto &[text, first, last, total] : cases) {
    const auto range = parse_content_range(text);
    ASSERT_TRUE(range) << text;
    EXPECT_EQ(range->first, first) << text;
    EXPECT_EQ(range->last, last) << text;
    EXPECT_EQ(range->total, total) << text;
  }
}

TEST(ContentRange, IsTheWholeOnlyFromItsFirstByteToItsLast) {
  const std::pair<const char *, bool> cases[] = {
      {"bytes 0-199/200", true},  {"bytes 0-0/1", true},    {"bytes 0-198/200", false},
      {"bytes 1-199/200", false}, {"bytes 0-199/*", false}, {"bytes 0-18446744073709551615/*", false}};
  for (const auto &[text, whole] : cases) EXPECT_EQ(is_whole(*parse_content_range(text)), whole) << text;
}

TEST(ContentRange, OfAPartIsStatedEvenWhereItContradictsItself) {
  for (const char *text :
       {"bytes 0-99/200", "bytes 99-0/200", "bytes 0-18446744073709551616/*", "bytes 5-5/x"})
    EXPECT_TRUE(states_range(text)) << text;
  for (const char *text : {"", "bytes", "bytes all", "0-99/200", "bytes */200", "bytes 0-99"})
    EXPECT_FALSE(states_range(text)) << text;
}

TEST(ContentRange, IsNothingWhenItContradictsItselfOrIsNone) {
  for (const char *text :
       {"", "bytes", "bytes ", "bytes 0-99", "bytes */200", "bytes 99-0/200", "bytes 0-200/200",
        "bytes -1-5/200", "bytes 0x0-9/10", "items 0-9/10", "bytes 0-9/10 11", "bytes 0-9/", "bytes -9/10",
        "bytes 0-/10", "bytes 0-18446744073709551616/*", "bytes 1/2-3"})
    EXPECT_FALSE(parse_content_range(text)) << text;
}

TEST(ContentRange, OfAnUnsatisfiedRangeTellsTheLength) {
  EXPECT_EQ(parse_unsatisfied_range("bytes */200"), 200u);
  EXPECT_EQ(parse_unsatisfied_range(" BYTES * / 200 "), 200u);
  EXPECT_EQ(parse_unsatisfied_range("bytes */0"), 0u);
  for (const char *text :
       {"", "bytes", "bytes *", "bytes */", "bytes */x", "bytes 0-9/10", "bytes 5/10", "*/200", "bytes */-1"})
    EXPECT_FALSE(parse_unsatisfied_range(text)) << text;
}

}  // namespace
}  // namespace genclip::test
