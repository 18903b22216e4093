// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When the pictures of a film are shown, by the data that pass a pad on their way to gencaption.
#pragma once

#include <gst/gst.h>

#include <atomic>

#include "plugin/base/mutex.h"
#include "plugin/film/picture_holes.h"

namespace genclip {

// The streaming thread calls take(), any thread the rest. All times are nanoseconds of running time.
class PictureTimes {
 public:
  // `gencaption` has its settings already.
  explicit PictureTimes(GstElement *gencaption);

  // Of buffers and of events downstream.
  GstPadProbeReturn take(GstPadProbeInfo *info);

  // Of the picture; -1: unknown. Of several parts, only the length of the film tells about those to come.
  int64_t end() const { return parts_ == 1 ? end_.load() : -1; }
  PictureHoles holes() const;

 private:
  void note(uint64_t position);
  int64_t running_time(uint64_t position) const;

  const uint64_t interval_;  // 0: each window begins with a picture
  GstSegment segment_ = {};
  bool has_data_ = false;           // the last segment has
  std::atomic<unsigned> parts_{0};  // segments that have
  std::atomic<int64_t> end_{-1};    // of the last segment
  mutable Mutex mutex_;
  PictureHoles holes_ GUARDED_BY(mutex_);
};

}  // namespace genclip
