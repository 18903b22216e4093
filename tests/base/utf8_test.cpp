// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Texts without a byte, which come with and without a pointer.
#include "plugin/base/utf8.h"

#include <gtest/gtest.h>

#include "plugin/base/json.h"
#include "plugin/base/shown_text.h"

namespace genclip::test {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kNothing;

TEST(Utf8, OfNothingIsNothing) {
  ASSERT_EQ(kNothing.data(), nullptr);
  for (const std::string_view text : {kNothing, ""sv}) {
    EXPECT_TRUE(is_utf8(text));
    EXPECT_STREQ(valid_utf8(text).get(), "");
    EXPECT_TRUE(is_all_shown(text));
    EXPECT_EQ(shown_line(text), "");
    EXPECT_FALSE(Json::parse(text));
  }
}

TEST(Utf8, HasOneSignForWhatIsNoCharacter) {
  EXPECT_TRUE(is_utf8("Z\u00fcrich"));
  EXPECT_FALSE(is_utf8("a\xff"));
  EXPECT_FALSE(is_utf8("a\0b"sv));
  EXPECT_STREQ(valid_utf8("a\xff"
                          "b\0c"sv)
                   .get(),
               "a\uFFFDb\uFFFDc");
}

}  // namespace
}  // namespace genclip::test
