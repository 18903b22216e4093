// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The pictures that a clip was given to begin and to end with.
#pragma once

#include <gst/video/video.h>

#include <string>

#include "examples/simulator/clip_order.h"
#include "plugin/base/result.h"

namespace genclip::sim {

// The format of the frames of clips, before they are encoded.
inline constexpr const char *kFrameFormat = "format=I420,colorimetry=bt709";

// A picture in that format and in the clip's size; null when none was given. Blocks until it is decoded or
// `cancellable` is cancelled. The error's text continues a sentence that begins with the field's name.
Result<GRef<GstSample>> decoded(const GivenPicture &picture, const ClipOrder &order,
                                GCancellable *cancellable);

// Lays the pictures over the frames of a clip: the first frame is the first picture, and over the next frames
// it fades away. The last picture fades in, and the last frame is this picture.
class PictureFade {
 public:
  PictureFade(GRef<GstSample> first, GRef<GstSample> last, int frames);

  // Of the same format and size as the pictures; once for each frame, in order.
  void apply(GstBuffer *frame, const GstVideoInfo &info);

 private:
  const GRef<GstSample> first_, last_;
  const int frames_, length_;
  int frame_ = 0;
};

}  // namespace genclip::sim
