// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The engine as a stage: what the automation of a channel asks of it.
#include <algorithm>
#include <utility>

#include "elements/channelsrc/playout_engine.h"

namespace genclip {

// Frames between a take() and what is being decided meanwhile.
static constexpr uint64_t kTakeMargin = 3;

CueId PlayoutEngine::cue(const ReadyMedia &media, uint64_t frames) {
  auto clip = DecodedClip::open(media, frames, clip_form_, wakers());
  MutexLock lock(mutex_);
  cues_.emplace(++last_cue_, std::move(clip));
  return last_cue_;
}

CueState PlayoutEngine::state(CueId cue) {
  MutexLock lock(mutex_);
  if (const auto found = cues_.find(cue); found != cues_.end()) return found->second->state();
  const auto failed = failures_.find(cue);
  if (failed == failures_.end()) return CueState::ready;
  // An output that is not behind it yet may find that it fails earlier, or may show that frame nevertheless.
  for (const Progress &each : progress_)
    if (!each.left && each.next <= failed->second.frame) return CueState::ready;
  return CueState::failed;
}

std::string PlayoutEngine::failure(CueId cue) {
  MutexLock lock(mutex_);
  if (const auto found = cues_.find(cue); found != cues_.end()) return found->second->failure();
  const auto found = failures_.find(cue);
  return found == failures_.end() ? "" : found->second.text;
}

uint64_t PlayoutEngine::failure_frame(CueId cue) {
  MutexLock lock(mutex_);
  const auto found = failures_.find(cue);
  return found == failures_.end() ? 0 : found->second.frame;
}

bool PlayoutEngine::take(CueId cue, uint64_t frame, uint64_t frames) {
  GST_CAT_INFO(playout_category(),
               "cue %" G_GUINT64_FORMAT ": from frame %" G_GUINT64_FORMAT " on, %" G_GUINT64_FORMAT " frames",
               cue, frame, frames);
  ProgramLine::Clips clips;
  {
    MutexLock lock(mutex_);
    if (frame < first_open()) return false;
    const auto found = cues_.find(cue);
    if (found == cues_.end()) {
      line_.clear_from(frame);
    } else {
      line_.take({std::move(found->second), cue, frame, frame + frames});
      cues_.erase(found);
    }
    clips = line_.removed();
  }
  close(clips);
  return true;
}

void PlayoutEngine::drop(CueId cue) {
  std::shared_ptr<DecodedClip> clip;
  {
    MutexLock lock(mutex_);
    const auto found = cues_.find(cue);
    if (found == cues_.end()) return;
    clip = std::move(found->second);
    cues_.erase(found);
  }
  clip->close();
}

void PlayoutEngine::end(uint64_t frame) {
  MutexLock lock(mutex_);
  end_ = std::max(frame, first_open());
}

uint64_t PlayoutEngine::frame() {
  MutexLock lock(mutex_);
  return progress(Output::video).next;
}

uint64_t PlayoutEngine::earliest_frame() {
  MutexLock lock(mutex_);
  uint64_t next = 0;
  for (const Progress &each : progress_) next = std::max(next, each.next);
  return next + kTakeMargin;
}

uint64_t PlayoutEngine::first_open() {
  if (!origin_) return 0;
  uint64_t next = 0;
  for (const Progress &each : progress_) next = std::max(next, each.next);
  return next + 1;  // The next one may be waiting for its picture.
}

StageCounts PlayoutEngine::counts() {
  MutexLock lock(mutex_);
  return counts_;
}

std::string PlayoutEngine::problem() {
  MutexLock lock(mutex_);
  const std::string &slate = slate_.problem();
  return slate.empty() || logo_problem_.empty() ? slate + logo_problem_ : slate + " " + logo_problem_;
}

}  // namespace genclip
