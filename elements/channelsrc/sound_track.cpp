// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/sound_track.h"

#include <algorithm>
#include <utility>

namespace genclip {

void SoundTrack::add(GRef<GstBuffer> sound, GstClockTime time) {
  const uint64_t count = gst_buffer_get_size(sound.get()) / static_cast<uint64_t>(bytes_);
  uint64_t first = until_;
  if (GST_CLOCK_TIME_IS_VALID(time)) {
    const uint64_t at = grid_.sample_at(time);
    const uint64_t off = at > until_ ? at - until_ : until_ - at;
    if (!began_ || off > grid_.sample_at(kJitter)) first = at;
  }
  began_ = true;
  const uint64_t end = first + count;
  const uint64_t known = std::max(until_, read_until_);
  until_ = std::max(until_, end);
  if (end <= known) return;  // Its time is past.
  const uint64_t skipped = known > first ? known - first : 0;
  chunks_.push_back({std::move(sound), first + skipped, end, skipped});
}

void SoundTrack::gap(GstClockTime until) {
  until_ = std::max(until_, grid_.sample_at(until));
  began_ = true;
}

void SoundTrack::clear() {
  chunks_.clear();
  until_ = read_until_ = 0;
  began_ = ended_ = false;
}

TrackAnswer SoundTrack::read(uint64_t first, uint64_t count, uint8_t *out) {
  const uint64_t end = first + count;
  while (!chunks_.empty() && chunks_.front().end <= first) chunks_.pop_front();
  for (const Chunk &chunk : chunks_) {
    if (chunk.first >= end) break;
    const uint64_t from = std::max(first, chunk.first), to = std::min(end, chunk.end);
    const auto bytes = [&](uint64_t samples) {
      return static_cast<size_t>(samples) * static_cast<size_t>(bytes_);
    };
    gst_buffer_extract(chunk.sound.get(), bytes(from - chunk.first + chunk.skipped),
                       out + bytes(from - first), bytes(to - from));
  }
  read_until_ = std::max(read_until_, first);
  if (until_ < end && !ended_) return TrackAnswer::not_yet;
  read_until_ = end;
  return TrackAnswer::here;
}

}  // namespace genclip
