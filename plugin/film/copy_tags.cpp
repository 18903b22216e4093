// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/copy_tags.h"

namespace genclip {

GstEvent *with_some_language(GstEvent *tags) {
  GstTagList *list = nullptr;
  gst_event_parse_tag(tags, &list);
  if (gst_tag_list_get_scope(list) != GST_TAG_SCOPE_STREAM ||
      gst_tag_list_get_tag_size(list, GST_TAG_LANGUAGE_CODE) > 0)
    return tags;
  GstTagList *named = gst_tag_list_copy(list);
  gst_tag_list_add(named, GST_TAG_MERGE_REPLACE, GST_TAG_LANGUAGE_CODE, kNoLanguage, nullptr);
  gst_event_unref(tags);
  return gst_event_new_tag(named);
}

}  // namespace genclip
