// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/element_call.h"

#include <string>

namespace genclip {
namespace {

Error not_made(const char *factory, const char *why) {
  return {ErrorKind::failed, std::string("The element ") + factory + why};
}

// Collects the element's output. The pad's private data is the ElementOutput.
GstFlowReturn keep_buffer(GstPad *pad, GstObject *, GstBuffer *buffer) {
  auto &output = *static_cast<ElementOutput *>(gst_pad_get_element_private(pad));
  auto taken = GRef<GstBuffer>::adopt(buffer);
  if (!output.buffer) {
    output.buffer = std::move(taken);
    output.caps = GRef<GstCaps>::adopt(gst_pad_get_current_caps(pad));
  }
  return GST_FLOW_OK;
}

GstStaticPadTemplate kAnySrc =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
GstStaticPadTemplate kAnySink =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

GRef<GstPad> loose_pad(GstStaticPadTemplate &pad_template, const char *name) {
  auto *pad = gst_pad_new_from_static_template(&pad_template, name);
  return GRef<GstPad>::adopt(static_cast<GstPad *>(gst_object_ref_sink(pad)));
}

}  // namespace

Result<ElementOutput> call_element(const char *factory, GstCaps *caps, GstBuffer *buffer,
                                   const std::function<void(GstElement *)> &configure) {
  GstElement *floating = gst_element_factory_make(factory, nullptr);
  if (!floating) return not_made(factory, " is missing: install GStreamer's good plugins.");
  const auto element = GRef<GstElement>::adopt(static_cast<GstElement *>(gst_object_ref_sink(floating)));
  if (configure) configure(element.get());

  ElementOutput output;
  const auto in = loose_pad(kAnySrc, "in");
  const auto out = loose_pad(kAnySink, "out");
  gst_pad_set_element_private(out.get(), &output);
  gst_pad_set_chain_function(out.get(), keep_buffer);
  const auto sink = GRef<GstPad>::adopt(gst_element_get_static_pad(element.get(), "sink"));
  const auto src = GRef<GstPad>::adopt(gst_element_get_static_pad(element.get(), "src"));
  if (!sink || !src || gst_pad_link(in.get(), sink.get()) != GST_PAD_LINK_OK ||
      gst_pad_link(src.get(), out.get()) != GST_PAD_LINK_OK)
    return not_made(factory, " cannot be linked.");

  gst_pad_set_active(out.get(), TRUE);
  gst_pad_set_active(in.get(), TRUE);
  gst_element_set_state(element.get(), GST_STATE_PAUSED);

  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_pad_push_event(in.get(), gst_event_new_stream_start("still"));
  gst_pad_push_event(in.get(), gst_event_new_caps(caps));
  gst_pad_push_event(in.get(), gst_event_new_segment(&segment));
  // A copy, because its timestamps, which belong to a stream, are changed here.
  GstBuffer *given = gst_buffer_copy(buffer);
  GST_BUFFER_PTS(given) = 0;
  GST_BUFFER_DTS(given) = GST_CLOCK_TIME_NONE;
  gst_pad_push(in.get(), given);
  if (!output.buffer) gst_pad_push_event(in.get(), gst_event_new_eos());

  gst_element_set_state(element.get(), GST_STATE_NULL);
  gst_pad_set_active(in.get(), FALSE);
  gst_pad_set_active(out.get(), FALSE);
  gst_pad_unlink(in.get(), sink.get());
  gst_pad_unlink(src.get(), out.get());
  if (!output.buffer || !output.caps) return not_made(factory, " produced no output for this picture.");
  return output;
}

}  // namespace genclip
