// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/kept_text.h"

#include <utility>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

constexpr std::pair<std::string_view, char> kMarkupEntities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&#39;", '\''}};

// The length of the tag at the beginning; 0: there is none, as in "a < b".
size_t tag_length(std::string_view text) {
  const size_t name = text.starts_with("</") ? 2 : 1;
  if (!text.starts_with('<') || name >= text.size() || !g_ascii_isalpha(text[name])) return 0;
  const size_t end = text.find_first_of("<>", 1);
  return end != text.npos && text[end] == '>' ? end + 1 : 0;
}

GstBuffer *plain_buffer(GstBuffer *buffer, TextTags tags) {
  std::string markup(gst_buffer_get_size(buffer), '\0');
  gst_buffer_extract(buffer, 0, markup.data(), markup.size());
  const std::string text = plain_subtitle(markup, tags);
  GstBuffer *plain = gst_buffer_new_memdup(text.data(), text.size());
  const auto what = static_cast<GstBufferCopyFlags>(GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS);
  gst_buffer_copy_into(plain, buffer, what, 0, static_cast<gsize>(-1));
  return plain;
}

GstPadProbeReturn to_plain_text(GstPad *, GstPadProbeInfo *info, gpointer tags) {
  if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    GST_PAD_PROBE_INFO_DATA(info) = plain_buffer(buffer, static_cast<TextTags>(GPOINTER_TO_INT(tags)));
    gst_buffer_unref(buffer);
    return GST_PAD_PROBE_OK;
  }
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
  const auto caps = GRef<GstCaps>::adopt(plain_text_caps());
  GST_PAD_PROBE_INFO_DATA(info) = gst_event_new_caps(caps.get());
  gst_event_unref(event);
  return GST_PAD_PROBE_OK;
}

// The muxer would refuse the caps as they are, and a parser that asks (ssaparse) would then push no text.
GstPadProbeReturn accept_markup(GstPad *, GstPadProbeInfo *info, gpointer) {
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ACCEPT_CAPS) return GST_PAD_PROBE_OK;
  GstCaps *caps = nullptr;
  gst_query_parse_accept_caps(query, &caps);
  if (!is_markup_text(caps)) return GST_PAD_PROBE_OK;
  gst_query_set_accept_caps_result(query, TRUE);
  return GST_PAD_PROBE_HANDLED;
}

// Until when there is silence: a cue begins then, or a gap ends.
GstClockTime silent_until(GstPadProbeInfo *info) {
  if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER)
    return GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_GAP) return GST_CLOCK_TIME_NONE;
  GstClockTime begin = 0, length = 0;
  gst_event_parse_gap(event, &begin, &length);
  return begin + (GST_CLOCK_TIME_IS_VALID(length) ? length : 0);
}

GstPadProbeReturn add_silence(GstPad *pad, GstPadProbeInfo *info, gpointer) {
  const GstClockTime until = silent_until(info);
  if (!GST_CLOCK_TIME_IS_VALID(until)) return GST_PAD_PROBE_OK;
  const auto muxer = GRef<GstPad>::adopt(gst_pad_get_peer(pad));
  GstEvent *event = muxer ? gst_pad_get_sticky_event(muxer.get(), GST_EVENT_SEGMENT, 0) : nullptr;
  if (!event) return GST_PAD_PROBE_REMOVE;
  const auto held = GRef<GstEvent>::adopt(event);
  const GstSegment *segment = nullptr;
  gst_event_parse_segment(event, &segment);
  if (until <= segment->start)
    return (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) ? GST_PAD_PROBE_REMOVE
                                                                       : GST_PAD_PROBE_OK;
  GstBuffer *silence = gst_buffer_new();
  GST_BUFFER_PTS(silence) = segment->start;
  GST_BUFFER_DURATION(silence) = until - segment->start;
  // What goes wrong there goes wrong with the next buffer, too.
  static_cast<void>(gst_pad_chain(muxer.get(), silence));
  return GST_PAD_PROBE_REMOVE;
}

}  // namespace

std::string plain_subtitle(std::string_view markup, TextTags tags) {
  std::string text;
  while (!markup.empty()) {
    size_t length = tag_length(markup);
    if (length > 0) {
      if (tags == TextTags::kept) text += markup.substr(0, length);
      markup.remove_prefix(length);
      continue;
    }
    length = 1;
    char character = markup.front();
    for (const auto &[entity, meaning] : kMarkupEntities)
      if (markup.starts_with(entity)) {
        length = entity.size();
        character = meaning;
        break;
      }
    text += character;
    markup.remove_prefix(length);
  }
  return text;
}

bool is_markup_text(const GstCaps *caps) {
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  const char *format = gst_structure_get_string(structure, "format");
  return gst_structure_has_name(structure, "text/x-raw") && format &&
         std::string_view(format) == "pango-markup";
}

GstCaps *plain_text_caps() {
  return gst_caps_new_simple("text/x-raw", "format", G_TYPE_STRING, "utf8", nullptr);
}

void make_plain_text(GstPad *pad, TextTags tags) {
  const auto data =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
  gst_pad_add_probe(pad, data, to_plain_text, GINT_TO_POINTER(static_cast<int>(tags)), nullptr);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, accept_markup, nullptr, nullptr);
}

void begin_with_silence(GstPad *pad) {
  const auto data =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
  gst_pad_add_probe(pad, data, add_silence, nullptr, nullptr);
}

}  // namespace genclip
