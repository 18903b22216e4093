// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/clip_picture.h"

#include <gst/app/app.h>

#include <algorithm>

#include "examples/simulator/render_pipeline.h"

namespace genclip::sim {
namespace {

// 0.75 s.
constexpr int kLongestFade = 18;

// `weight` of `all` parts of the picture, and the rest of what is there.
void blend(GstVideoFrame &frame, const GstVideoFrame &picture, int weight, int all) {
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame); ++plane) {
    const int width = GST_VIDEO_FRAME_COMP_WIDTH(&frame, plane);
    for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&frame, plane); ++y) {
      const auto row = [&](const GstVideoFrame &of) {
        return static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&of, plane)) +
               ptrdiff_t{y} * GST_VIDEO_FRAME_PLANE_STRIDE(&of, plane);
      };
      guint8 *to = row(frame);
      const guint8 *from = row(picture);
      for (int x = 0; x < width; ++x)
        to[x] = static_cast<guint8>((from[x] * weight + to[x] * (all - weight) + all / 2) / all);
    }
  }
}

}  // namespace

Result<GRef<GstSample>> decoded(const GivenPicture &picture, const ClipOrder &order,
                                GCancellable *cancellable) {
  if (!picture.bytes) return GRef<GstSample>();
  const Error bad{ErrorKind::failed, "cannot be decoded."};
  auto pipeline = new_pipeline(
      std::string("appsrc name=in ! decodebin ! videoconvert ! videoscale add-borders=false ! video/x-raw,") +
      kFrameFormat + ",pixel-aspect-ratio=1/1,width=" + std::to_string(order.width) +
      ",height=" + std::to_string(order.height) + " ! fakesink name=out");
  if (!pipeline) return pipeline.error();
  const auto in = element_of(*pipeline, "in"), out = element_of(*pipeline, "out");
  const auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new_wrapped_bytes(picture.bytes.get()));
  gst_app_src_push_buffer(GST_APP_SRC(in.get()), gst_buffer_ref(buffer.get()));
  gst_app_src_end_of_stream(GST_APP_SRC(in.get()));
  const auto done = run_to_end(*pipeline, cancellable);
  GstSample *last = nullptr;
  g_object_get(out.get(), "last-sample", &last, nullptr);
  auto sample = GRef<GstSample>::adopt(last);
  gst_element_set_state(pipeline->get(), GST_STATE_NULL);
  if (!done && done.error().kind == ErrorKind::cancelled) return done.error();
  if (!done || !sample) return bad;
  return sample;
}

PictureFade::PictureFade(GRef<GstSample> first, GRef<GstSample> last, int frames)
    : first_(std::move(first)),
      last_(std::move(last)),
      frames_(frames),
      length_(std::min(kLongestFade, frames / 2)) {}

void PictureFade::apply(GstBuffer *buffer, const GstVideoInfo &info) {
  const int since_first = frame_++, until_last = frames_ - 1 - since_first;
  const bool is_begin = since_first < length_;
  const auto &picture = is_begin ? first_ : last_;
  const int weight = length_ - (is_begin ? since_first : until_last);
  if (!picture || weight <= 0) return;
  GstVideoFrame frame, over;
  if (!gst_video_frame_map(&frame, &info, buffer, GST_MAP_READWRITE)) return;
  if (gst_video_frame_map(&over, &info, gst_sample_get_buffer(picture.get()), GST_MAP_READ)) {
    blend(frame, over, weight, length_);
    gst_video_frame_unmap(&over);
  }
  gst_video_frame_unmap(&frame);
}

}  // namespace genclip::sim
