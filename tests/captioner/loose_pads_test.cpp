// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Pads that nothing is linked to: nobody is asked for captions that nobody gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/captioner/caption_run.h"

namespace genclip::test {
namespace {

std::string loose_film(unsigned seconds) {
  return "videotestsrc name=src num-buffers=" + std::to_string(10 * seconds) +
         " ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! gencaption name=cap "
         "interval=1000000000";
}

TEST(LoosePads, AreAnErrorAndNoRequest) {
  GatewayServer gateway;
  for (const char *pads : {"", "src_de"}) {
    CaptionRun run(gateway, loose_film(3));
    if (*pads) {
      GstPad *raw = gst_element_request_pad_simple(run.element("cap").get(), pads);
      const auto pad = GRef<GstPad>::adopt(raw);
    }
    EXPECT_THAT(run.play(), testing::HasSubstr("data stream error"));
    EXPECT_EQ(gateway.gateway().calls(), 0u) << pads;
  }
}

TEST(LoosePads, ThatAreBlockedWillBeLinked) {
  GatewayServer gateway;
  CaptionRun run(gateway, loose_film(3) + "  appsink name=out sync=false");
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("cap").get(), "src"));
  const auto wait = [](GstPad *, GstPadProbeInfo *, gpointer) { return GST_PAD_PROBE_OK; };
  const gulong probe =
      gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, wait, nullptr, nullptr);
  run.go(GST_STATE_PLAYING);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (gateway.gateway().calls() == 0 && std::chrono::steady_clock::now() < end) g_usleep(1000);
  EXPECT_GE(gateway.gateway().calls(), 1u);
  const auto sink = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("out").get(), "sink"));
  ASSERT_EQ(gst_pad_link(pad.get(), sink.get()), GST_PAD_LINK_OK);
  gst_pad_remove_probe(pad.get(), probe);
  EXPECT_EQ(run.finish(), "");
  EXPECT_EQ(run.cues(), each_second(3));
}

}  // namespace
}  // namespace genclip::test
