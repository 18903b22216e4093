// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/language_tag.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

TEST(LanguageTag, IsWrittenInOneWay) {
  for (const auto &[said, tag] : {std::pair{"DE", "de"},
                                  {"pt-br", "pt-BR"},
                                  {"ZH-HANT-tw", "zh-Hant-TW"},
                                  {"sl-ROZAJ", "sl-rozaj"},
                                  {"gsw", "gsw"},
                                  {"GER", "ger"},
                                  {"es-419", "es-419"}})
    EXPECT_EQ(*canonical_language(said), tag);
}

TEST(LanguageTag, OfNoLanguageIsRefusedWithAReason) {
  for (const char *said : {"", "x", "qq", "german", "de_DE", "de-", "-de", "de--DE", "de-Latn-Latn", "und",
                           "mul", "d\xC3\xA9", "de DE", "aar aba"}) {
    const auto tag = canonical_language(said);
    ASSERT_FALSE(tag) << said;
    EXPECT_NE(tag.error().text.find("Examples"), std::string::npos);
  }
}

TEST(LanguageTag, HasTheCodeThatContainersHold) {
  EXPECT_EQ(language_code("pt-BR"), "pt");
  EXPECT_EQ(language_code("deu"), "de");
  EXPECT_EQ(language_code("haw"), "haw");
}

TEST(LanguageTag, IsTheSameLanguageInEverySpelling) {
  EXPECT_TRUE(is_same_language("pt-BR", "PT_PT"));
  EXPECT_TRUE(is_same_language("ger", "de"));
  EXPECT_FALSE(is_same_language("de", "en"));
  EXPECT_FALSE(is_same_language("", "en"));
}

}  // namespace
}  // namespace genclip
