// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Looks at every frame and every sample that leaves a playout, for hours, in memory that it takes beforehand.
#pragma once

#include <gst/video/video.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "tests/support/marks.h"

namespace genclip::test {

inline constexpr int kDayWidth = 160, kDayHeight = 90;
inline constexpr uint64_t kDayRate = 25, kDaySamples = 48000, kDayStep = kDaySamples / kDayRate;
// Samples between a second of a picture and its tick.
inline constexpr int64_t kMostApart = kDaySamples / 1000;

class DayWatch {
 public:
  explicit DayWatch(uint64_t most_frames);

  // Ends that stream in the pipeline.
  void connect(GstElement *pipeline, GstPad *pad, bool is_video);
  // Until so many frames have left on both pads. False: nothing has left for a minute.
  bool wait_for(uint64_t frames) EXCLUDES(mutex_);

  // When both streams have ended.
  uint64_t frames() EXCLUDES(mutex_);
  std::optional<FrameMark> mark(uint64_t frame) const;
  const std::vector<int64_t> &seconds() const { return seconds_; }  // At which samples one begins,
  int64_t searched() const { return searched_; }                    // if it begins before this one.
  uint64_t samples() EXCLUDES(mutex_);
  // Wrong times and offsets; the first few.
  std::vector<std::string> faults() EXCLUDES(mutex_);

 private:
  void see_picture(GstBuffer *buffer) EXCLUDES(mutex_);
  void see_sound(GstBuffer *buffer) EXCLUDES(mutex_);
  void find_seconds_until(size_t end);
  void wrong(const char *what, uint64_t place, GstBuffer *buffer) EXCLUDES(mutex_);

  GstVideoInfo video_;
  // Of the two streaming threads, one each.
  std::vector<uint32_t> marks_;
  std::vector<float> heard_;  // Not searched yet.
  int64_t heard_from_ = 0, searched_ = 0;
  std::vector<int64_t> seconds_;

  Mutex mutex_;
  CondVar changed_;
  uint64_t frames_ GUARDED_BY(mutex_) = 0;
  uint64_t samples_ GUARDED_BY(mutex_) = 0;
  std::vector<std::string> faults_ GUARDED_BY(mutex_);
};

}  // namespace genclip::test
