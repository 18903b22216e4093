// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The writer never rewrites clip.part but replaces it, so an open file only ever grows.
#include "plugin/generation/clip_follower.h"

#include <algorithm>

#include "plugin/generation/generation.h"

namespace genclip {
namespace {

std::string text_of(const std::optional<ClipRecord> &record) {
  return record ? record->to_json().to_text() : std::string();
}

}  // namespace

std::optional<ClipRecord> ClipFollower::look() {
  auto found = folder_.look();
  std::optional<ClipRecord> record;
  if (found && folder_.is_own(*found)) record = std::move(found).value();
  if (!looked_) first_look_ = record;
  looked_ = true;
  return record;
}

bool ClipFollower::has_seen_become(const ClipRecord &record) const {
  return looked_ && text_of(first_look_) != text_of(record);
}

Result<void> ClipFollower::show(const ClipRecord &record) {
  std::string text = text_of(record);
  if (text != last_shown_) {
    last_shown_ = std::move(text);
    generation_.change([&](GenerationState &state) {
      if (record.state == ClipState::intent) state.status = ClipStatus::submitting;
      if (record.state != ClipState::submitted) return;
      state.status = from_word<ClipStatus>(record.status).value_or(ClipStatus::queued);
      if (!record.model.empty()) state.model = record.model;
      state.task_id = record.task_id;
      state.progress = record.progress;
      state.amount = record.amount;
      state.actual_duration = record.actual_duration;
      state.reused = true;
      state.charged = true;
    });
  }
  const bool downloading = record.state == ClipState::submitted && record.part.total != 0;
  return downloading ? show_part(record) : Result<void>();
}

Result<void> ClipFollower::drop_other_than(const Source &source) {
  if (!part_ || source == source_) return {};
  part_.reset();
  shown_ = 0;
  if (generation_.clip().restart()) return {};
  return Error{ErrorKind::read,
               "The clip changed on the server while it was being read. Run again to read the new one.", "",
               source.first};
}

Result<void> ClipFollower::show_part(const ClipRecord &record) {
  const Source source = source_of(record);
  if (auto dropped = drop_other_than(source); !dropped) return dropped;
  if (!part_) {
    auto part = folder_.look_at_part();
    if (!part || !*part) return {};  // It is not there, or no longer; the next look tells.
    // The journal is the same before and after, so this is the file that it describes.
    const auto again = folder_.look();
    if (!again || source_of(*again) != source) return {};
    part_ = std::move(part).value();
    source_ = source;
    total_ = record.part.total;
    generation_.clip().start(part_, total_);
  }
  const auto size = part_->size();
  if (!size) return {};
  const uint64_t available = std::min(*size, total_);
  if (available <= shown_) return {};
  shown_ = available;
  generation_.clip().advance(shown_);
  return {};
}

Result<uint64_t> ClipFollower::hand_over(const ClipRecord &record) {
  if (auto dropped = drop_other_than(source_of(record)); !dropped) return std::move(dropped).error();
  return shown_;
}

}  // namespace genclip
