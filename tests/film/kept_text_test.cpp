// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/kept_text.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

TEST(KeptText, MarkupBecomesTheSameTextWithItsTagsOrWithout) {
  EXPECT_EQ(plain_subtitle("Tom &amp; <i>Jerry</i>", TextTags::kept), "Tom & <i>Jerry</i>");
  EXPECT_EQ(plain_subtitle("Tom &amp; <i>Jerry</i>", TextTags::removed), "Tom & Jerry");
  EXPECT_EQ(plain_subtitle("<font color=\"red\">a</font>\nb", TextTags::removed), "a\nb");
}

TEST(KeptText, WhatIsNoTagOrEntityStays) {
  for (const TextTags tags : {TextTags::kept, TextTags::removed})
    for (const char *text : {"", "a < b > c", "I <3 you>", "<", "</", "<i", "a<i<b", "R&D; &#x; &", "&am"})
      EXPECT_EQ(plain_subtitle(text, tags), text);
}

TEST(KeptText, AnEntityIsUnfoldedOnceAndMakesNoTag) {
  EXPECT_EQ(plain_subtitle("&amp;lt;i&gt;", TextTags::removed), "&lt;i>");
  EXPECT_EQ(plain_subtitle("&lt;i&gt; &quot;&apos;&#39;", TextTags::removed), "<i> \"''");
}

}  // namespace
}  // namespace genclip
