// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/picture_track.h"

#include <algorithm>
#include <utility>

namespace genclip {

static constexpr uint64_t kPictureGrace = 2;
// A recording may lose some pictures on its way, and is shown nevertheless.
static constexpr GstClockTime kLongestHole = GST_SECOND;

void PictureTrack::close_pending(uint64_t end) {
  known_until_ = std::max(end, pending_->first + 1);
  entries_.push_back({std::move(pending_->picture), known_until_});
  pending_.reset();
  first_known_ = true;
}

// In media of which this is asked, a picture of a varying rate says how long it lasts.
bool PictureTrack::is_behind_hole(GstClockTime time) const {
  return ends_at_hole_ && pending_ && GST_CLOCK_TIME_IS_VALID(pending_->end) &&
         time > pending_->end + kLongestHole;
}

void PictureTrack::add(GRef<GstBuffer> picture, GstClockTime time, GstClockTime duration) {
  if (ended_) return;
  if (is_behind_hole(time)) {
    has_hole_ = true;
    return end();
  }
  const uint64_t first = grid_.frame_at(time);
  const GstClockTime end = GST_CLOCK_TIME_IS_VALID(duration) ? time + duration : GST_CLOCK_TIME_NONE;
  if (pending_ && first > pending_->first) close_pending(first);
  if (pending_) {  // Two for one frame.
    pending_->picture = std::move(picture);
    pending_->end = end;
    return;
  }
  pending_ = Pending{std::move(picture), std::max(first, known_until_), end};
}

void PictureTrack::end() {
  if (ended_) return;
  if (pending_)
    close_pending(GST_CLOCK_TIME_IS_VALID(pending_->end) ? grid_.frame_at(pending_->end)
                                                         : pending_->first + 1);
  ended_ = true;
}

void PictureTrack::clear() {
  pending_.reset();
  entries_.clear();
  known_until_ = 0;
  first_known_ = ended_ = has_hole_ = false;
}

PictureTrack::Found PictureTrack::at(uint64_t index) {
  const bool is_granted = is_still_ || (index < wanted_ && wanted_ <= known_until_ + kPictureGrace);
  const auto lasts = [&](const Entry &entry) {
    return index < entry.end || (ended_ && &entry == &entries_.back() && is_granted);
  };
  while (!entries_.empty() && !lasts(entries_.front())) entries_.pop_front();
  if (entries_.empty()) return {ended_ ? TrackAnswer::ended : TrackAnswer::not_yet, {}};
  return {TrackAnswer::here, entries_.front().picture};
}

}  // namespace genclip
