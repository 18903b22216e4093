// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/caption_cues.h"

#include <utility>

namespace genclip {
namespace {

// Longer than any segment waits for its captions.
constexpr std::chrono::minutes kKept{15};

}  // namespace

void CaptionCues::add(CaptionCue cue) {
  MutexLock lock(mutex_);
  while (!cues_.empty() && cues_.front().end < cue.begin - kKept) cues_.pop_front();
  cues_.push_back(std::move(cue));
}

std::vector<CaptionCue> CaptionCues::between(std::chrono::nanoseconds begin,
                                             std::chrono::nanoseconds end) const {
  std::vector<CaptionCue> found;
  MutexLock lock(mutex_);
  for (const auto &cue : cues_)
    if (cue.begin < end && cue.end > begin) found.push_back(cue);
  return found;
}

void BurntCaption::add(const CaptionCue &cue) {
  MutexLock lock(mutex_);
  const bool goes_on = cue.begin == end_ && cue.begin < begin_ + interval_;
  if (!goes_on) {
    next_.clear();
    until_.reset();
    begin_ = cue.begin;
  }
  next_.push_back(cue);
  end_ = cue.end;
}

std::optional<std::string> BurntCaption::change_at(std::chrono::nanoseconds picture) {
  MutexLock lock(mutex_);
  if (until_ && picture < *until_) return std::nullopt;
  if (next_.empty()) {
    if (!until_) return std::nullopt;
    until_.reset();
    return "";
  }
  const CaptionCue cue = std::move(next_.front());
  next_.pop_front();
  until_ = picture + (cue.end - cue.begin);
  return cue.text;
}

}  // namespace genclip
