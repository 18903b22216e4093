// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the line that handles captions about which the input has not shown everything yet: where their
// window ends (align=cuts), their stills (stills=within), or whether they are repeated (scene-threshold).
//
// Such a caption waits for the next pictures. In a file without a tee, or with a queue of two intervals
// beside gencaption, these pictures come. With a shorter queue they do not: the picture waits for its
// caption, and the caption for a picture. So after a second in which neither the input nor the output moves,
// the line uses what it has seen: it asks with these stills, and sends the part of the caption whose time is
// known. From then on it sends parts of half a second or more without waiting, so that only the first wait is
// seen.
#include <algorithm>
#include <utility>

#include "elements/captioner/caption_line.h"

namespace genclip {
namespace {

using Progress = CaptionSlot::Progress;

constexpr auto kStarves = std::chrono::seconds(1);
constexpr uint64_t kShortestPart = 500'000'000;

uint64_t known_end(const CaptionSlot &slot) { return std::min(slot.sure_until.value_or(0), slot.window.end); }

}  // namespace

void CaptionLine::complete(const SlotPtr &slot) {
  MutexLock lock(mutex_);
  if (flow_ != GST_FLOW_OK) return;
  slot->shortest = 0;
  push_completion(slot);
}

void CaptionLine::push_completion(const SlotPtr &slot) {
  if (!std::exchange(slot->gathers, false)) return;
  StillJob job;
  job.slot = slot;
  job.epoch = slot->epoch;
  stills_.push_back(std::move(job));
  changed_.notify_all();
}

void CaptionLine::saw(uint64_t time) {
  MutexLock lock(mutex_);
  moved_at_ = Clock::system().now();
  if (!open_ || !open_->sure_until || time <= *open_->sure_until) return;
  open_->sure_until = time;
  changed_.notify_all();
}

void CaptionLine::set_paused(bool paused) {
  MutexLock lock(mutex_);
  paused_ = paused;
  moved_at_ = Clock::system().now();
  changed_.notify_all();
}

bool CaptionLine::is_open(const CaptionSlot &slot) const {
  return !live_ && slot.sure_until && !slot.end_known;
}

// Whether only the input can help if nothing moves.
bool CaptionLine::may_starve() const { return !live_ && !paused_ && pushing_ == 0 && !makes_still_; }

bool CaptionLine::is_starving() {
  const bool starves = may_starve() && looked_at_ >= moved_at_ + kStarves;
  has_starved_ = has_starved_ || starves;
  return starves;
}

bool CaptionLine::may_show_part(const CaptionOutlet &out, const CaptionSlot &slot) {
  const uint64_t start = std::max(out.timeline.given(), slot.window.start);
  return is_starving() || (has_starved_ && known_end(slot) >= start + kShortestPart);
}

// When to look again, if the first caption of the outlet waits for the input.
std::optional<Clock::Time> CaptionLine::starves_at(const CaptionOutlet &out) const {
  if (!may_starve() || out.items.empty() || !std::holds_alternative<SlotPtr>(out.items.front()))
    return std::nullopt;
  CaptionSlot &slot = *std::get<SlotPtr>(out.items.front());
  const SlotPart *part = slot.part_in(out.language);
  if (!slot.gathers && !is_open(slot) && !(part && !part->cues.empty())) return std::nullopt;
  const Clock::Time at = moved_at_ + kStarves;
  // Later, only the input can help.
  return at > looked_at_ ? std::optional(at) : std::nullopt;
}

// Asks with the stills of a window that were seen, if no more of them come.
std::optional<LineOutput> CaptionLine::end_gathering(const CaptionOutlet &out) {
  if (out.items.empty() || !std::holds_alternative<SlotPtr>(out.items.front())) return std::nullopt;
  const SlotPtr &slot = std::get<SlotPtr>(out.items.front());
  if (!slot->gathers || !is_starving()) return std::nullopt;
  push_completion(slot);
  if (std::exchange(look_ahead_warned_, true)) return std::nullopt;
  return Notice{
      {ErrorKind::settings,
       "stills=within needs to see a whole interval before the picture that shows its caption, but "
       "the input stands still, so the request has the stills that were seen. Give the queue beside "
       "gencaption two intervals (max-size-time, with max-size-buffers=0 max-size-bytes=0)."},
      false};
}

// Output of a caption whose end a cut may set: the time that no cut can end any more. `part` may be null.
std::optional<LineOutput> CaptionLine::open_output(CaptionOutlet &out, CaptionSlot &slot, SlotPart *part) {
  if (slot.progress != Progress::done || !may_show_part(out, slot)) return std::nullopt;
  if (part && !part->sentences.empty()) return speak_rest(out, slot, *part);
  if (const auto span = out.timeline.silence_until(known_end(slot))) return Silence{*span};
  return std::nullopt;
}

std::optional<LineOutput> CaptionLine::next_part(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part) {
  CueToSend &cue = part.cues.front();
  const bool open = is_open(slot);
  const uint64_t end = open ? known_end(slot) : slot.window.end;
  if (end <= cue.span.start) {
    if (!open) part.cues.clear();
    return open ? std::nullopt : end_slot(out, slot);
  }
  if (open && !may_show_part(out, slot)) return std::nullopt;
  const TimeSpan shown{cue.span.start, std::min(cue.span.end, end)};
  out.timeline.place(shown, cue.text);
  if (shown.end == cue.span.end || !open) {
    cue.span = shown;
    return send_cue(out, slot, part);
  }
  cue.span.start = shown.end;
  const bool first = !part.begun;
  // The counts and the reason go with the first piece: the last one is not known before its end.
  Spoken made = spoken(out, slot, part, shown, cue.text, first);
  made.repeated = made.repeated || !first;
  return made;
}

// Joins the windows that repeat this caption. True: the next one may do so, too.
bool CaptionLine::may_be_repeated(CaptionOutlet &out, CaptionSlot &, SlotPart &part) {
  if (!settings_.joins_repeats || live_ || out.timeline.is_backwards() || has_starved_) return false;
  TimeSpan &span = part.cues.front().span;
  while (out.items.size() > 1) {
    if (!std::holds_alternative<SlotPtr>(out.items[1])) return false;
    const SlotPtr next = std::get<SlotPtr>(out.items[1]);
    if (next->window.start != span.end) return false;
    if (next->progress != Progress::making_stills && !next->repeats_last) return false;
    if (next->progress == Progress::making_stills || is_open(*next)) return !is_starving();
    span.end = next->window.end;
    part.shown_until = std::max(next->window.end, next->quiet_until);
    out.timeline.place(span, part.cues.front().text);
    leave(out, 1);
  }
  return !is_starving();
}

}  // namespace genclip
