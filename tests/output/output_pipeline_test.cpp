// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/output_pipeline.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace genclip {
namespace {

EncodedFrame frame(Stream stream, int64_t time, bool key_frame) {
  const auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, 16, nullptr));
  const auto caps = GRef<GstCaps>::adopt(gst_caps_new_empty_simple("video/x-h264"));
  return {stream,
          GRef<GstSample>::adopt(gst_sample_new(buffer.get(), caps.get(), nullptr, nullptr)),
          {time, time},
          key_frame};
}

// An output that is built just behind a key frame waits for the next one, which may take 2 s: it is not
// stalled.
TEST(OutputPipeline, IsFedFromItsFirstKeyFrameOn) {
  auto built =
      OutputPipeline::build({OutputKind::udp, "127.0.0.1:9", "127.0.0.1", 9}, {}, "h264parse", nullptr, {});
  ASSERT_TRUE(built) << built.error().text;
  OutputPipeline &pipeline = **built;
  EXPECT_FALSE(pipeline.feed(frame(Stream::video, 0, false)));
  EXPECT_FALSE(pipeline.feed(frame(Stream::audio, 0, true)));
  EXPECT_EQ(pipeline.fed(), 0u);
  pipeline.feed(frame(Stream::video, 40, true));
  EXPECT_EQ(pipeline.fed(), 1u);
  EXPECT_FALSE(pipeline.feed(frame(Stream::audio, 0, true))) << "from before the key frame";
  EXPECT_EQ(pipeline.fed(), 2u) << "what is not taken counts, too";
}

}  // namespace
}  // namespace genclip
