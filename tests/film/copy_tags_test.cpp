// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/copy_tags.h"

#include <gtest/gtest.h>

#include <string>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

// The language of a stream with these tags in a copy; "none": the tags leave it to the muxer.
std::string copied(GstTagScope scope, const char *code) {
  GstTagList *tags = gst_tag_list_new(GST_TAG_TITLE, "Commentary", nullptr);
  gst_tag_list_set_scope(tags, scope);
  if (code) gst_tag_list_add(tags, GST_TAG_MERGE_REPLACE, GST_TAG_LANGUAGE_CODE, code, nullptr);
  const auto event = GRef<GstEvent>::adopt(with_some_language(gst_event_new_tag(tags)));
  GstTagList *named = nullptr;
  gst_event_parse_tag(event.get(), &named);
  gchar *title = nullptr, *language = nullptr;
  EXPECT_TRUE(gst_tag_list_get_string(named, GST_TAG_TITLE, &title));
  EXPECT_STREQ(GStringPtr(title).get(), "Commentary");
  EXPECT_EQ(gst_tag_list_get_scope(named), scope);
  return gst_tag_list_get_string(named, GST_TAG_LANGUAGE_CODE, &language) ? GStringPtr(language).get()
                                                                          : "none";
}

TEST(CopyTags, NameTheLanguageOfAStream) {
  EXPECT_EQ(copied(GST_TAG_SCOPE_STREAM, "fr"), "fr");
  EXPECT_EQ(copied(GST_TAG_SCOPE_STREAM, "haw"), "haw");
  EXPECT_EQ(copied(GST_TAG_SCOPE_STREAM, "und"), "und");
}

// Matroska's own default is English.
TEST(CopyTags, CallAStreamWhoseLanguageMuxersCannotWriteUnknown) {
  for (const char *code : {"yue", "cnr", "xx", ""}) {
    if (*code) {
      EXPECT_EQ(copied(GST_TAG_SCOPE_STREAM, code), "und") << code;
    }
    EXPECT_STREQ(language_in_copy(code), "und") << code;
  }
  EXPECT_EQ(copied(GST_TAG_SCOPE_STREAM, nullptr), "und");
  EXPECT_STREQ(language_in_copy("de"), "de");
}

TEST(CopyTags, OfTheWholeFilmStay) { EXPECT_EQ(copied(GST_TAG_SCOPE_GLOBAL, nullptr), "none"); }

}  // namespace
}  // namespace genclip
