// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/soak/day_watch.h"

#include <chrono>

namespace genclip::test {
namespace {

constexpr uint32_t kNoMark = UINT32_MAX;
constexpr size_t kMostFaults = 20;
// Behind the beginning of a second, its tick has ended.
constexpr int64_t kTickEnd = kDaySamples * 14 / 100;
constexpr size_t kSearched = 5 * kDaySamples;

}  // namespace

DayWatch::DayWatch(uint64_t most_frames)
    : marks_(most_frames, kNoMark), seconds_(most_frames / kDayRate + 1) {
  gst_video_info_set_format(&video_, GST_VIDEO_FORMAT_I420, kDayWidth, kDayHeight);
  seconds_.clear();
  heard_.reserve(kSearched + kDaySamples);
}

void DayWatch::connect(GstElement *pipeline, GstPad *pad, bool is_video) {
  GstElement *sink = gst_element_factory_make("fakesink", nullptr);
  g_object_set(sink, "sync", FALSE, "async", FALSE, "qos", FALSE, nullptr);
  gst_bin_add(GST_BIN(pipeline), sink);
  const auto in = GRef<GstPad>::adopt(gst_element_get_static_pad(sink, "sink"));
  gst_pad_link(pad, in.get());
  const GstPadProbeCallback see[] = {
      [](GstPad *, GstPadProbeInfo *info, gpointer watch) {
        static_cast<DayWatch *>(watch)->see_sound(GST_PAD_PROBE_INFO_BUFFER(info));
        return GST_PAD_PROBE_OK;
      },
      [](GstPad *, GstPadProbeInfo *info, gpointer watch) {
        static_cast<DayWatch *>(watch)->see_picture(GST_PAD_PROBE_INFO_BUFFER(info));
        return GST_PAD_PROBE_OK;
      }};
  gst_pad_add_probe(in.get(), GST_PAD_PROBE_TYPE_BUFFER, see[is_video], this, nullptr);
}

void DayWatch::wrong(const char *what, uint64_t place, GstBuffer *buffer) {
  MutexLock lock(mutex_);
  if (faults_.size() >= kMostFaults) return;
  faults_.push_back(what + (" " + std::to_string(place)) + " has the time " +
                    std::to_string(GST_BUFFER_PTS(buffer)) + " and the offset " +
                    std::to_string(GST_BUFFER_OFFSET(buffer)));
}

void DayWatch::see_picture(GstBuffer *buffer) {
  uint64_t place = 0;
  {
    MutexLock lock(mutex_);
    place = frames_;
  }
  const auto time = [](uint64_t frame) { return gst_util_uint64_scale_round(frame, GST_SECOND, kDayRate); };
  if (GST_BUFFER_PTS(buffer) != time(place) || GST_BUFFER_OFFSET(buffer) != place ||
      GST_BUFFER_DURATION(buffer) != time(place + 1) - time(place))
    wrong("frame", place, buffer);
  GstVideoFrame frame;
  if (place < marks_.size() && gst_video_frame_map(&frame, &video_, buffer, GST_MAP_READ)) {
    const auto found = read_frame_mark(static_cast<const uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)),
                                       GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0), kDayWidth, kDayHeight);
    if (found) marks_[place] = found->clip << 16 | found->number;
    gst_video_frame_unmap(&frame);
  }
  MutexLock lock(mutex_);
  ++frames_;
  changed_.notify_all();
}

void DayWatch::see_sound(GstBuffer *buffer) {
  uint64_t place = 0;
  {
    MutexLock lock(mutex_);
    place = samples_;
  }
  GstMapInfo map;
  if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) return;
  const size_t count = map.size / sizeof(float) / 2;
  const auto *samples = reinterpret_cast<const float *>(map.data);
  for (size_t i = 0; i < count; ++i) heard_.push_back(samples[2 * i]);
  gst_buffer_unmap(buffer, &map);
  const auto time = [](uint64_t sample) {
    return gst_util_uint64_scale_round(sample, GST_SECOND, kDaySamples);
  };
  if (GST_BUFFER_PTS(buffer) != time(place) || GST_BUFFER_OFFSET(buffer) != place ||
      GST_BUFFER_OFFSET_END(buffer) != place + count ||
      GST_BUFFER_DURATION(buffer) != time(place + count) - time(place))
    wrong("sample", place, buffer);
  if (heard_.size() >= kSearched) {
    find_seconds_until(heard_.size() - kTickEnd);
    searched_ = heard_from_ + static_cast<int64_t>(heard_.size()) - 2 * kTickEnd;
    // What is cut at the end of one search is whole in the next one.
    const size_t gone = heard_.size() - 2 * kTickEnd;
    heard_.erase(heard_.begin(), heard_.begin() + static_cast<ptrdiff_t>(gone));
    heard_from_ += static_cast<int64_t>(gone);
  }
  MutexLock lock(mutex_);
  samples_ += count;
  changed_.notify_all();
}

// Those whose tick has ended by then.
void DayWatch::find_seconds_until(size_t end) {
  constexpr int64_t kSame = kDaySamples / 50;
  for (const int64_t found : find_seconds(heard_, kDaySamples)) {
    const int64_t sample = heard_from_ + found;
    if (found + kTickEnd > static_cast<int64_t>(end)) continue;
    if (seconds_.empty() || sample > seconds_.back() + kSame) seconds_.push_back(sample);
  }
}

bool DayWatch::wait_for(uint64_t frames) {
  uint64_t seen = 0;
  auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  MutexLock lock(mutex_);
  for (;;) {
    const uint64_t now = std::min(frames_, samples_ / kDayStep);
    if (now >= frames) return true;
    if (now != seen) limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    seen = now;
    if (!changed_.wait_until(lock, limit)) return false;
  }
}

uint64_t DayWatch::frames() {
  MutexLock lock(mutex_);
  return frames_;
}

uint64_t DayWatch::samples() {
  MutexLock lock(mutex_);
  return samples_;
}

std::optional<FrameMark> DayWatch::mark(uint64_t frame) const {
  if (frame >= marks_.size() || marks_[frame] == kNoMark) return std::nullopt;
  return FrameMark{marks_[frame] >> 16, marks_[frame] & 0xFFFF};
}

std::vector<std::string> DayWatch::faults() {
  MutexLock lock(mutex_);
  return faults_;
}

}  // namespace genclip::test
