// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/render_pipeline.h"

namespace genclip::sim {
namespace {

constexpr GstClockTime kGlance = 50 * GST_MSECOND;

}  // namespace

Result<GRef<GstElement>> new_pipeline(const std::string &description) {
  GErrorPtr error;
  GstElement *made = gst_parse_launch(description.c_str(), take(error));
  auto pipeline = GRef<GstElement>::adopt(made ? GST_ELEMENT(gst_object_ref_sink(made)) : nullptr);
  if (!pipeline || error) return Error{ErrorKind::failed, error ? error->message : "no pipeline"};
  return pipeline;
}

GRef<GstElement> element_of(const GRef<GstElement> &pipeline, const char *name) {
  return GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), name));
}

Result<void> run_to_end(const GRef<GstElement> &pipeline, GCancellable *cancellable) {
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  for (;;) {
    if (g_cancellable_is_cancelled(cancellable)) return cancelled();
    const auto message = GRef<GstMessage>::adopt(
        gst_bus_timed_pop_filtered(bus.get(), kGlance, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
    if (!message) continue;
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS) return {};
    GErrorPtr error;
    gst_message_parse_error(message.get(), take(error), nullptr);
    return Error{ErrorKind::failed, error->message};
  }
}

}  // namespace genclip::sim
