// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/file_cuts.h"

#include <utility>

#include "plugin/base/disk_thread.h"
#include "plugin/base/gref.h"

namespace genclip {

using std::chrono::nanoseconds;

void FileCuts::shown(int64_t pts, int64_t channel_pts, FileWriter::WallTime shown_at) {
  MutexLock lock(mutex_);
  has_shown_ = true;
  shown_pts_ = pts;
  to_channel_ = channel_pts - pts;
  shown_at_ = shown_at;
}

std::string FileCuts::open(GstSample *first) {
  const GstBuffer *buffer = first ? gst_sample_get_buffer(first) : nullptr;
  FileWriter::WallTime begun;
  {
    MutexLock lock(mutex_);
    begun = shown_at_;
    if (buffer && GST_BUFFER_PTS_IS_VALID(buffer))
      begun += std::chrono::duration_cast<FileWriter::WallTime::duration>(
          nanoseconds(static_cast<int64_t>(GST_BUFFER_PTS(buffer)) - shown_pts_));
  }
  auto path = writer_->open(begun, first ? gst_sample_get_caps(first) : nullptr);
  MutexLock lock(mutex_);
  path_ = path;
  begun_ = begun;
  return path;
}

Result<void> FileCuts::handle(GstMessage *message) {
  const GstStructure *structure = gst_message_get_structure(message);
  GstClockTime running_time = 0;
  if (!structure || !gst_structure_get_clock_time(structure, "running-time", &running_time)) return {};
  if (gst_structure_has_name(structure, "splitmuxsink-fragment-opened"))
    opened(GST_ELEMENT(GST_MESSAGE_SRC(message)), running_time);
  if (gst_structure_has_name(structure, "splitmuxsink-fragment-closed")) return closed(running_time);
  return {};
}

void FileCuts::opened(GstElement *splitter, GstClockTime running_time) {
  FileWriter::WallTime begun;
  {
    MutexLock lock(mutex_);
    start_ = running_time;
    begun = begun_;
  }
  const auto left = writer_->until_cut(begun);
  if (!left) return;
  const GstClockTime cut = running_time + static_cast<GstClockTime>(left->count());
  // The signal takes splitmuxsink's lock, which may be held by the caller.
  on_disk_thread([splitter = GRef<GstElement>::share(splitter), cut] {
    g_signal_emit_by_name(splitter.get(), "split-at-running-time", cut);
  });
}

Result<void> FileCuts::closed(GstClockTime running_time) {
  FileWriter::Written file;
  bool is_empty = false;
  {
    MutexLock lock(mutex_);
    is_empty = !has_shown_ || running_time <= start_;
    file.path = path_;
    file.begun = begun_;
    file.muxed_begin = nanoseconds(start_);
    file.channel_begin = nanoseconds(static_cast<int64_t>(start_) + to_channel_);
    file.length = nanoseconds(running_time > start_ ? running_time - start_ : 0);
  }
  return is_empty ? writer_->discard(file.path) : writer_->close(file);
}

}  // namespace genclip
