// SPDX-License-Identifier: LGPL-2.1-or-later
//
// gencaption under everything at once: it does not crash, hang or fail, and works afterwards.
#include <gtest/gtest.h>

#include "tests/captioner/caption_run.h"
#include "tests/stress/stress.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using std::chrono::milliseconds;

struct Stressed {
  const char *pipeline;
  bool others_fail = false;
  friend std::ostream &operator<<(std::ostream &out, const Stressed &row) { return out << row.pipeline; }
};

// Nothing but gencaption between source and sink where that can be: what fails there is its own.
const Stressed kPipelines[] = {
    {"videotestsrc num-buffers=100 ! gencaption name=cap interval=500000000 on-error=skip ! "
     "fakesink name=sink sync=false"},
    {"videotestsrc num-buffers=100 is-live=true ! "
     "gencaption name=cap interval=200000000 frames=2 on-error=skip ! fakesink name=sink"},
    {"videotestsrc num-buffers=100 ! "
     "tee name=t t. ! queue name=pictures ! textoverlay name=o ! fakesink name=sink sync=false t. ! queue ! "
     "gencaption name=cap interval=300000000 stream=true on-error=skip ! o.text_sink",
     true},
};

// On the way down textoverlay's source pad is inactive while its sink pad is not yet. A segment that comes
// then it refuses with FALSE, an error to what is before it; and what it then cannot agree upon it calls not
// negotiated, not flushing (GStreamer 1.22). gencaption never says the latter: its input has caps.
bool is_of_others(const std::string &error) {
  const auto tells = [&](const char *words) { return error.find(words) != error.npos; };
  return (tells("GstVideoTestSrc") || tells("GstQueue:pictures")) &&
         (tells("reason error (-5)") || tells("reason not-negotiated (-4)"));
}

class CaptionStress : public testing::TestWithParam<Stressed> {};

TEST_P(CaptionStress, IsBorneAndLeavesAWorkingElement) {
  GatewayServer gateway;
  gateway.gateway().set_pace({.chunk = 5, .before = milliseconds(5), .between = milliseconds(5)});
  for (int i = 0; i < 50; ++i)
    gateway.fault(i % 2 ? sim::GatewayFaultKind::none : sim::GatewayFaultKind::status, 1, 503);
  CaptionRun run(gateway, GetParam().pipeline);
  GstElement *pipeline = run.pipeline();
  const auto caption = run.element("cap");
  const Toll toll = stress(
      pipeline,
      {change_state(pipeline), change_state(pipeline), change_state(pipeline),
       seek(pipeline, GST_FORMAT_TIME, 10 * GST_SECOND),
       query(caption.get(), {gst_query_new_latency, [] { return gst_query_new_position(GST_FORMAT_TIME); },
                             [] { return gst_query_new_duration(GST_FORMAT_TIME); },
                             [] { return gst_query_new_seeking(GST_FORMAT_TIME); },
                             [] { return gst_query_new_caps(nullptr); }}),
       query(pipeline, {gst_query_new_latency, [] { return gst_query_new_position(GST_FORMAT_TIME); }}),
       get_properties(caption.get(),
                      {"stats", "prompt", "model", "interval", "max-in-flight", "system-instruction"}),
       set_property(caption.get(), {{"prompt", "Describe it"},
                                    {"prompt", "In one word"},
                                    {"system-instruction", "Be brief"},
                                    {"temperature", "0.5"},
                                    {"max-output-tokens", "50"},
                                    {"interval", "400000000"},
                                    {"frames", "2"},
                                    {"max-in-flight", "3"},
                                    {"stream", "true"},
                                    {"stream", "false"}})});
  for (const unsigned times : toll.times) EXPECT_GT(times, 0u);
  for (const std::string &error : toll.errors)
    if (!GetParam().others_fail || !is_of_others(error)) ADD_FAILURE() << error;
  EXPECT_LT(toll.slowest, time_limit(std::chrono::seconds(20)));
  run.go(GST_STATE_NULL);
  run.seen.clear();
  EXPECT_EQ(run.play(), "");
  EXPECT_GE(run.stat("captions"), 1u);
}

INSTANTIATE_TEST_SUITE_P(Pipelines, CaptionStress, testing::ValuesIn(kPipelines));

}  // namespace
}  // namespace genclip::test
