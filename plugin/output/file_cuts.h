// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Between a splitmuxsink and a FileWriter: the name of each file, its length, and when the next one is due.
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <memory>
#include <string>

#include "plugin/base/mutex.h"
#include "plugin/output/file_writer.h"

namespace genclip {

class FileCuts {
 public:
  explicit FileCuts(std::shared_ptr<FileWriter> writer) : writer_(std::move(writer)) {}

  // A key frame with this PTS of the pipeline, and this one of the channel, is shown at that time. Any
  // thread; never waits for a disk.
  void shown(int64_t pts, int64_t channel_pts, FileWriter::WallTime shown_at);
  // splitmuxsink's signal format-location-full: `first` begins a new file. The path of that file.
  std::string open(GstSample *first);
  // Its messages, any others are ignored; on the thread that posts them.
  Result<void> handle(GstMessage *message);
  Result<void> finish(bool finally) { return writer_->finish(finally); }

 private:
  void opened(GstElement *splitter, GstClockTime running_time);
  Result<void> closed(GstClockTime running_time);

  const std::shared_ptr<FileWriter> writer_;
  Mutex mutex_;
  bool has_shown_ GUARDED_BY(mutex_) = false;  // A key frame.
  int64_t shown_pts_ GUARDED_BY(mutex_) = 0;
  FileWriter::WallTime shown_at_ GUARDED_BY(mutex_) = {};
  int64_t to_channel_ GUARDED_BY(mutex_) = 0;  // From the pipeline's time to the channel's.
  // The open file.
  std::string path_ GUARDED_BY(mutex_);
  FileWriter::WallTime begun_ GUARDED_BY(mutex_) = {};
  GstClockTime start_ GUARDED_BY(mutex_) = 0;
};

}  // namespace genclip
