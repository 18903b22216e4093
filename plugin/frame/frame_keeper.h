// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Watches the frames that a decoder puts out, and keeps the wanted one.
#pragma once

#include <gst/gst.h>

#include <optional>

#include "plugin/base/mutex.h"
#include "plugin/frame/frame_png.h"
#include "plugin/frame/timeline.h"

namespace genclip {

// Frames come on a streaming thread; any thread may ask for the kept one.
class FrameKeeper {
 public:
  explicit FrameKeeper(const WantedFrame &wanted) : wanted_(wanted) {}

  // What comes to the pad of the sink. True for the frame with which the wanted one is certain: it begins
  // after it.
  bool see(GstPad *pad, GstBuffer *buffer) EXCLUDES(mutex_);
  void see(GstEvent *event) EXCLUDES(mutex_);

  bool is_certain() const EXCLUDES(mutex_);
  // Nothing without a frame, or with none that is displayed.
  std::optional<RawFrame> kept() const EXCLUDES(mutex_);

 private:
  const WantedFrame wanted_;
  mutable Mutex mutex_;
  std::optional<RawFrame> kept_ GUARDED_BY(mutex_);
  bool is_certain_ GUARDED_BY(mutex_) = false;
  GstVideoOrientationMethod orientation_ GUARDED_BY(mutex_) = GST_VIDEO_ORIENTATION_IDENTITY;
};

}  // namespace genclip
