// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Several source pads answer upstream as GStreamer's own elements do.
#include <gst/base/gstflowcombiner.h>
#include <gtest/gtest.h>

#include "elements/captioner/caption_pads.h"

namespace genclip {
namespace {

constexpr GstFlowReturn kFlows[] = {GST_FLOW_OK,          GST_FLOW_NOT_LINKED,     GST_FLOW_EOS,
                                    GST_FLOW_FLUSHING,    GST_FLOW_NOT_NEGOTIATED, GST_FLOW_ERROR,
                                    GST_FLOW_CUSTOM_ERROR};

GstFlowReturn of_gstreamer(const std::vector<GstFlowReturn> &flows) {
  GstFlowCombiner *combiner = gst_flow_combiner_new();
  GstFlowReturn combined = GST_FLOW_OK;
  std::vector<GRef<GstPad>> pads;
  for (size_t i = 0; i < flows.size(); ++i) {
    pads.push_back(GRef<GstPad>::adopt(GST_PAD(gst_object_ref_sink(gst_pad_new(nullptr, GST_PAD_SRC)))));
    GST_PAD_LAST_FLOW_RETURN(pads.back().get()) = flows[i];
    gst_flow_combiner_add_pad(combiner, pads.back().get());
  }
  // It returns a failure of the pad that it is asked about, so the first failure is that one.
  for (size_t i = flows.size(); i-- > 0;) {
    const GstFlowReturn one = gst_flow_combiner_update_pad_flow(combiner, pads[i].get(), flows[i]);
    if (i + 1 == flows.size() || one == GST_FLOW_FLUSHING || one <= GST_FLOW_NOT_NEGOTIATED) combined = one;
  }
  gst_flow_combiner_free(combiner);
  return combined;
}

bool is_failure(GstFlowReturn flow) { return flow == GST_FLOW_FLUSHING || flow <= GST_FLOW_NOT_NEGOTIATED; }

// Of two failures, it returns that of the pad that was last updated.
TEST(CombinedFlow, IsThatOfGstFlowCombiner) {
  gst_init(nullptr, nullptr);
  for (const GstFlowReturn a : kFlows)
    for (const GstFlowReturn b : kFlows)
      for (const GstFlowReturn c : kFlows)
        if (is_failure(a) + is_failure(b) + is_failure(c) <= 1) {
          EXPECT_EQ(combined_flow({a, b, c}), of_gstreamer({a, b, c}))
              << gst_flow_get_name(a) << " " << gst_flow_get_name(b) << " " << gst_flow_get_name(c);
        } else {
          EXPECT_TRUE(is_failure(combined_flow({a, b, c})));
        }
}

TEST(CombinedFlow, OfOnePadIsItsOwn) {
  for (const GstFlowReturn flow : kFlows) EXPECT_EQ(combined_flow({flow}), flow) << flow;
}

}  // namespace
}  // namespace genclip
