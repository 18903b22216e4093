// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Counting texts as the service does.
#include "plugin/catalog/prompt_rules.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

struct Counted {
  const char *name;
  std::string text;
  int64_t characters, han, words;
};

class Measure : public testing::TestWithParam<Counted> {};

TEST_P(Measure, CountsCodePointsHanAndWords) {
  const TextMeasure measured = measure(GetParam().text);
  EXPECT_EQ(measured.characters, GetParam().characters) << GetParam().text;
  EXPECT_EQ(measured.han, GetParam().han) << GetParam().text;
  EXPECT_EQ(measured.words, GetParam().words) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    PromptRules, Measure,
    testing::Values(Counted{"Empty", "", 0, 0, 0}, Counted{"Words", "  a red\tkite,\nflies ", 20, 0, 4},
                    Counted{"CombiningMark", "e\u0301", 2, 0, 1},
                    Counted{"FamilyEmoji", "\U0001F468\u200D\U0001F469\u200D\U0001F467", 5, 0, 1},
                    Counted{"Han", "\u7EA2\u98CE\u7B5D", 3, 3, 1},
                    Counted{"HanPunctuationIsNotHan", "\u7EA2\u3002\uFF0C", 3, 1, 1},
                    Counted{"Extensions", "\u3400\U00020000\U00030000\uF900", 4, 4, 1},
                    Counted{"IterationMarkAndZero", "\u3005\u3007", 2, 2, 1},
                    Counted{"KanaAndHangulAreNot", "\u3042\u30AB\uD55C", 3, 0, 1},
                    Counted{"IdeographicSpaceParts", "\u7EA2\u3000\u98CE", 3, 2, 2},
                    Counted{"NoBreakSpaceParts", "a\u00A0b", 3, 0, 2}),
    [](const auto &row) { return std::string(row.param.name); });

TEST(PromptRules, SayWhatIsTooMuch) {
  FieldSpec spec;
  spec.name = "prompt";
  spec.text_limits = {{TextLimit::Count::characters, 2, TextLimit::Where::han, false},
                      {TextLimit::Count::han_as_two, 5, TextLimit::Where::any, true}};
  const TextVerdict verdict = check_text(spec, "\u7EA2\u98CE\u7B5D", "m");
  ASSERT_EQ(verdict.problems.size(), 1u);
  EXPECT_EQ(verdict.problems[0],
            "prompt has 3 characters; m takes at most 2 if the text has Chinese characters.");
  ASSERT_EQ(verdict.warnings.size(), 1u);
  EXPECT_EQ(verdict.warnings[0],
            "prompt has 6 characters, a Chinese one counting as two; m takes at most 5, and the service "
            "truncates the rest.");
  EXPECT_TRUE(check_text(spec, "abcde", "m").problems.empty());
}

}  // namespace
}  // namespace genclip
