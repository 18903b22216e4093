// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/copy_tags.h"

#include <gst/tag/tag.h>

#include "plugin/base/gref.h"

namespace genclip {

namespace {

// In GStreamer's list, the first language without a code of two letters has the code "".
bool can_be_written(const char *code) { return *code != '\0' && gst_tag_get_language_code_iso_639_2B(code); }

}  // namespace

const char *language_in_copy(const char *code) { return can_be_written(code) ? code : kNoLanguage; }

bool has_language_in_copy(const GstTagList *tags) {
  gchar *code = nullptr;
  return gst_tag_list_get_string(tags, GST_TAG_LANGUAGE_CODE, &code) &&
         can_be_written(GStringPtr(code).get());
}

GstEvent *with_some_language(GstEvent *tags) {
  GstTagList *list = nullptr;
  gst_event_parse_tag(tags, &list);
  if (gst_tag_list_get_scope(list) != GST_TAG_SCOPE_STREAM || has_language_in_copy(list)) return tags;
  GstTagList *named = gst_tag_list_copy(list);
  gst_tag_list_add(named, GST_TAG_MERGE_REPLACE, GST_TAG_LANGUAGE_CODE, kNoLanguage, nullptr);
  gst_event_unref(tags);
  return gst_event_new_tag(named);
}

}  // namespace genclip
