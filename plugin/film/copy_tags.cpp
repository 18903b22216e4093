// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/copy_tags.h"

#include <gst/tag/tag.h>

#include <bit>
#include <optional>
#include <string>
#include <string_view>

#include "plugin/base/gref.h"

namespace genclip {

namespace {

// In GStreamer's list, the first language without a code of two letters has the code "".
bool can_be_written(const char *code) { return *code != '\0' && gst_tag_get_language_code_iso_639_2B(code); }

// The element of a text in Matroska's tags: its ID, its length (a number whose first byte says in how many
// bytes it is), and the text, behind which there may be zeros. The muxer passes it in a buffer of its own.
constexpr std::string_view kTagString = "\x44\x87";

// Where the text begins; 0: the bytes are no such element.
size_t tag_text_in(std::string_view bytes) {
  if (!bytes.starts_with(kTagString) || bytes.size() < kTagString.size() + 1) return 0;
  const auto first = static_cast<uint8_t>(bytes[kTagString.size()]);
  const auto width = static_cast<size_t>(std::countl_zero(first)) + 1;
  const size_t begin = kTagString.size() + width;
  if (width > sizeof(uint64_t) || bytes.size() < begin) return 0;
  uint64_t length = first ^ (0x80U >> (width - 1));
  for (size_t at = kTagString.size() + 1; at < begin; ++at)
    length = length << 8 | static_cast<uint8_t>(bytes[at]);
  return begin + length == bytes.size() ? begin : 0;
}

std::optional<std::string> unserialized(const std::string &text) {
  if (!text.starts_with('"')) return std::nullopt;
  GValue value = G_VALUE_INIT;
  g_value_init(&value, G_TYPE_STRING);
  std::optional<std::string> plain;
  if (gst_value_deserialize(&value, text.c_str())) plain = g_value_get_string(&value);
  g_value_unset(&value);
  return plain;
}

// Of the same length, because that of all tags is written already.
GstPadProbeReturn make_plain(GstPad *, GstPadProbeInfo *info, gpointer) {
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  if (gst_buffer_memcmp(buffer, 0, kTagString.data(), kTagString.size()) != 0) return GST_PAD_PROBE_OK;
  std::string bytes(gst_buffer_get_size(buffer), '\0');
  gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
  const size_t begin = tag_text_in(bytes);
  auto text = begin > 0 ? unserialized(bytes.c_str() + begin) : std::nullopt;
  if (!text || text->size() > bytes.size() - begin) return GST_PAD_PROBE_OK;
  text->resize(bytes.size() - begin);
  buffer = gst_buffer_make_writable(buffer);
  gst_buffer_fill(buffer, begin, text->data(), text->size());
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  return GST_PAD_PROBE_OK;
}

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

void write_plain_tags(GstPad *src) {
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, make_plain, nullptr, nullptr);
}

}  // namespace genclip
