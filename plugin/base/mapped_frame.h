// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A video buffer's pixels, mapped as long as this object lives.
#pragma once

#include <gst/video/video.h>

namespace genclip {

class MappedFrame {
 public:
  MappedFrame(const GstVideoInfo &info, GstBuffer *buffer, GstMapFlags flags)
      : mapped_(gst_video_frame_map(&frame_, &info, buffer, flags)) {}
  ~MappedFrame() {
    if (mapped_) gst_video_frame_unmap(&frame_);
  }
  MappedFrame(const MappedFrame &) = delete;
  MappedFrame &operator=(const MappedFrame &) = delete;
  // Null when the buffer is smaller than `info` says.
  GstVideoFrame *get() { return mapped_ ? &frame_ : nullptr; }

 private:
  GstVideoFrame frame_;
  bool mapped_;
};

}  // namespace genclip
