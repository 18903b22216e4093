// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/text_format.h"

#include "plugin/base/markup_text.h"

namespace genclip {
namespace {

// Between gencaption and an encoder there are queues and filters, but not many.
constexpr int kMostElements = 16;

// The pad on which the data of this sink pad leave its element, the first if there are several.
GRef<GstPad> source_behind(GstPad *sink) {
  GstIterator *pads = gst_pad_iterate_internal_links(sink);
  if (!pads) return nullptr;
  GValue item = G_VALUE_INIT;
  GRef<GstPad> found;
  if (gst_iterator_next(pads, &item) == GST_ITERATOR_OK)
    found = GRef<GstPad>::share(GST_PAD(g_value_get_object(&item)));
  g_value_unset(&item);
  gst_iterator_free(pads);
  return found;
}

bool ends_as_webvtt(GstPad *src) {
  const auto webvtt = GRef<GstCaps>::adopt(gst_caps_from_string("text/vtt; application/x-subtitle-vtt"));
  auto pad = GRef<GstPad>::share(src);
  for (int i = 0; i < kMostElements && pad; ++i) {
    const auto sink = GRef<GstPad>::adopt(gst_pad_get_peer(pad.get()));
    if (!sink) return false;
    pad = source_behind(sink.get());
    if (!pad) return false;
    // Of a queue or a filter, these are any caps.
    const auto caps = GRef<GstCaps>::adopt(gst_pad_get_pad_template_caps(pad.get()));
    if (!gst_caps_is_any(caps.get())) return gst_caps_can_intersect(caps.get(), webvtt.get());
  }
  return false;
}

}  // namespace

GRef<GstCaps> caps_of(TextFormat format) {
  return GRef<GstCaps>::adopt(gst_caps_new_simple("text/x-raw", "format", G_TYPE_STRING,
                                                  format == TextFormat::markup ? "pango-markup" : "utf8",
                                                  nullptr));
}

TextFormat format_for(GstPad *src) {
  const auto takes = [src](TextFormat format) {
    return gst_pad_peer_query_accept_caps(src, caps_of(format).get()) == TRUE;
  };
  if (!takes(TextFormat::markup)) return TextFormat::plain;
  return !takes(TextFormat::plain) || ends_as_webvtt(src) ? TextFormat::markup : TextFormat::plain;
}

std::string in_format(TextFormat format, const std::string &text) {
  return format == TextFormat::markup ? markup_of(text) : text;
}

}  // namespace genclip
