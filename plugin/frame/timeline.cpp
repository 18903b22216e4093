// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/frame/timeline.h"

#include <algorithm>

namespace genclip {
namespace {

WantedFrame last_of(const Edit &edit) { return {GST_CLOCK_TIME_NONE, edit.media_end, edit}; }

WantedFrame frame_of(const Edit &edit, GstClockTime time) {
  // The last edit's end may lie before the time.
  if (time >= edit.shown_end) return last_of(edit);
  return {*edit.media + (time > edit.shown ? time - edit.shown : 0), edit.media_end, edit};
}

}  // namespace

std::optional<WantedFrame> wanted_frame(const std::vector<Edit> &edits, GstClockTime time) {
  if (edits.empty()) {
    Edit all;
    all.media = 0;
    return GST_CLOCK_TIME_IS_VALID(time) ? frame_of(all, time) : last_of(all);
  }
  const bool is_last = !GST_CLOCK_TIME_IS_VALID(time);
  const Edit *current = nullptr;
  for (const Edit &edit : edits) {
    if (!edit.media) continue;
    if (current && !is_last && edit.shown > time + kTimeTolerance) break;
    current = &edit;
  }
  if (!current) return std::nullopt;
  return is_last ? last_of(*current) : frame_of(*current, time);
}

}  // namespace genclip
