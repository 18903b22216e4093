// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the schedule about what comes in: windows and their stills, and texts.
//
// Overlapping texts become the lines of one request. It can be sent once it is known which texts join it. For
// files the next text is there at once. If no text follows, the request is sent after a short time anyway,
// because upstream may wait for the answer before it sends the next text. A text that arrives too late to
// join, and would be hidden by the previous one, is shown after it.
#include <algorithm>
#include <utility>

#include "elements/captioner/caption_schedule.h"

namespace genclip {
namespace {

using Progress = CaptionSlot::Progress;

constexpr auto kGrows = std::chrono::milliseconds(500);
constexpr auto kGrowsLive = std::chrono::milliseconds(50);
// Nobody can read more lines than this; further texts make the next cue.
constexpr unsigned kMostTexts = 4;
// Texts often end just after the next one has started. This does not count as an overlap.
constexpr uint64_t kSloppy = 200'000'000;
// A line is shown with the one before it, so at most this much too early.
constexpr uint64_t kTogether = 3'000'000'000;
// Shorter texts are not noticed.
constexpr uint64_t kShortestText = 500'000'000;

bool is_unasked(const CaptionSlot &slot) {
  return slot.progress == Progress::making_stills || slot.progress == Progress::waiting;
}

bool joins(const CaptionSlot &text, const CaptionSlot &next) {
  const uint64_t begin = next.window.start;
  if (begin == text.window.start) return true;
  return begin >= text.came_at && begin < text.joins_until && begin < text.window.start + kTogether &&
         text.texts < kMostTexts;
}

// End of a text that is shown from `start`: its own end, unless it would be too short.
uint64_t end_behind(uint64_t start, TimeSpan window) {
  return window.end < start + kShortestText ? start + (window.end - window.start) : window.end;
}

void join(CaptionSlot &text, const CaptionSlot &next) {
  text.request.text += "\n" + next.request.text;
  ++text.texts;
  text.came_at = next.window.start;
  if (next.end_known) {
    const uint64_t end = end_behind(text.window.start, next.window);
    text.window.end = text.end_known ? std::max(text.window.end, end) : end;
  }
  text.end_known = text.end_known || next.end_known;
}

}  // namespace

// Not live: an answer that waits for its turn does not count as a request. Up to max_in_flight more captions
// are prepared for the next requests.
bool CaptionSchedule::is_full() const {
  const auto unanswered = static_cast<size_t>(std::count_if(
      slots_.begin(), slots_.end(), [](const auto &one) { return one.second.progress != Progress::done; }));
  const size_t at_once = settings_.max_in_flight;
  const size_t waiting = settings_.max_waiting > 0 ? settings_.max_waiting : 4 * at_once;
  const size_t of_a_request = text_.id ? settings_.cues_per_request : 1;
  return unanswered >= 2 * at_once * of_a_request || slots_.size() >= (at_once + waiting) * of_a_request;
}

size_t CaptionSchedule::asking() const {
  return static_cast<size_t>(std::count_if(
      slots_.begin(), slots_.end(), [](const auto &one) { return one.second.progress == Progress::asking; }));
}

// A slot with an unknown end ends at the start of the next item.
void CaptionSchedule::close_open(std::optional<uint64_t> next_start) {
  CaptionSlot *open = find(std::exchange(open_, 0));
  if (!open) return;
  changed_ = true;
  if (next_start && *next_start > open->window.start) {
    // A cut ends a window, but what comes after its end does not prolong it.
    open->window.end = open->sure_until ? std::min(*next_start, open->window.end) : *next_start;
  }
  open->end_known = true;
}

void CaptionSchedule::end_open(uint64_t end) { close_open(end); }

// Ends a slot silently, without a request.
void CaptionSchedule::give_up(CaptionSlot &slot) {
  changed_ = true;
  slot.progress = Progress::done;
  slot.request.stills.clear();
  ++stats_.skipped;
  ++stats_.unasked;
}

// Live, the latest slot wins: if all workers are busy, slots without a request are dropped.
void CaptionSchedule::make_room_live() {
  if (asking() < settings_.max_in_flight) return;
  for (auto &[id, slot] : slots_)
    if (is_unasked(slot)) give_up(slot);
}

// Not live: a decoder held the picture until its whole time had been sent as silence.
bool CaptionSchedule::is_over(const CaptionSlot &slot) const {
  const auto has_time = [&slot](const CaptionOutlet &out) {
    // Of another timeline, which the outlet has not begun.
    const bool is_later = std::any_of(out.items.begin(), out.items.end(), [](const StreamItem &item) {
      return std::holds_alternative<StreamSegment>(item);
    });
    return is_later || out.timeline.given() < slot.window.end;
  };
  const bool may_be_shown_later = settings_.late_policy == LatePolicy::shift;
  return !live_ && !backwards_ && !may_be_shown_later &&
         std::none_of(outlets_.begin(), outlets_.end(),
                      [&](const auto &one) { return one.second.running && has_time(one.second); });
}

void CaptionSchedule::enqueue(CaptionSlot slot, Instant now) {
  close_open(slot.window.start);
  if (!slot.end_known) open_ = slot.id;
  slot.epoch = epoch_;
  slot.came_in_at = now;
  // A pad may have been released meanwhile.
  std::erase_if(slot.parts, [this](const SlotPart &part) {
    return std::none_of(outlets_.begin(), outlets_.end(), [&part](const auto &one) {
      return one.second.running && one.second.language == part.language;
    });
  });
  if (slot.parts.empty()) slot.progress = Progress::done;
  if (slot.progress != Progress::done && is_over(slot)) {
    give_up(slot);
    slot.gathers = false;
    if (!std::exchange(over_warned_, true))
      slot.warning = Error{ErrorKind::settings,
                           std::string(slot.one_piece ? "A text" : "A picture") +
                               " has come when its time was over, so nothing is asked about it; further "
                               "ones are left out in the same way."};
  }
  const SlotId id = slot.id;
  slots_.emplace(id, std::move(slot));
  put(id);
  changed_ = true;
}

// Live, the latest pictures win; but a window that gathers its stills begins and ends.
void CaptionSchedule::drop_stills_live() {
  while (stills_.size() >= kMaxStills) {
    const auto oldest = std::find_if(stills_.begin(), stills_.end(),
                                     [](const StillJob &job) { return !job.opens && !job.is_completion(); });
    if (oldest == stills_.end()) return;
    if (CaptionSlot *slot = find(oldest->slot); slot && is_unasked(*slot)) give_up(*slot);
    stills_.erase(oldest);
  }
}

Next<Flow> CaptionSchedule::push_still(StillJob &job, std::optional<CaptionSlot> &slot, Instant now) {
  // Close the open caption first: otherwise this one would wait for the place that the open one occupies.
  if (slot) close_open(slot->window.start);
  is_pushing_ = flow_ == Flow::ok && !live_ && (stills_.size() >= kMaxStills || (slot && is_full()));
  if (is_pushing_) return WaitUntil{};
  moved_at_ = now;
  if (flow_ != Flow::ok) return flow_;
  if (live_) {
    if (slot) make_room_live();
    drop_stills_live();
  }
  if (slot) (slot->gathers ? job.opens : job.slot) = slot->id;
  job.epoch = epoch_;
  if (slot) enqueue(*std::move(slot), now);
  stills_.push_back(std::move(job));
  changed_ = true;
  return flow_;
}

Next<std::optional<StillJob>> CaptionSchedule::next_still(Instant now) {
  if (std::exchange(makes_still_, false)) {
    moved_at_ = now;
    changed_ = true;
  }
  if (stopped_) return std::nullopt;
  if (stills_.empty()) return WaitUntil{};
  makes_still_ = changed_ = true;
  StillJob job = std::move(stills_.front());
  stills_.pop_front();
  if (job.slot) job.counts_as_changed = std::exchange(asks_anyway_, false);
  return job;
}

void CaptionSchedule::still_made(SlotId id, std::vector<Still> stills) {
  CaptionSlot *slot = find(id);
  const bool is_needed = slot && slot->progress == Progress::making_stills;
  // Later pictures are compared with this one also if it is not asked about.
  asks_anyway_ = !is_needed;
  if (!is_needed) return;
  pictured_ = id;
  if (slot->tells_length) slot->tell_length(settings_.limits, slot->window.end - slot->window.start);
  slot->request.stills = std::move(stills);
  slot->progress = Progress::waiting;
  changed_ = true;
}

void CaptionSchedule::picture_unchanged(SlotId id) {
  CaptionSlot *slot = find(id);
  if (!slot || slot->progress != Progress::making_stills) return;
  slot->repeats_last = true;
  slot->progress = Progress::done;
  changed_ = true;
}

void CaptionSchedule::still_failed(SlotId id, Error error) {
  asks_anyway_ = true;
  CaptionSlot *slot = find(id);
  if (!slot || slot->progress != Progress::making_stills) return;
  fail(*slot, std::move(error));
  slot->progress = Progress::done;
}

void CaptionSchedule::complete(SlotId id) {
  CaptionSlot *slot = find(id);
  if (flow_ != Flow::ok || !slot) return;
  slot->shortest = 0;
  push_completion(*slot);
}

void CaptionSchedule::push_completion(CaptionSlot &slot) {
  if (!std::exchange(slot.gathers, false)) return;
  StillJob job;
  job.slot = slot.id;
  job.epoch = slot.epoch;
  stills_.push_back(std::move(job));
  changed_ = true;
}

Flow CaptionSchedule::saw(uint64_t time, Instant now) {
  moved_at_ = now;
  for (auto &one : outlets_) one.second.hole = 0;
  CaptionSlot *open = find(open_);
  if (open && open->sure_until && time > *open->sure_until) {
    open->sure_until = time;
    changed_ = true;
  }
  return flow_;
}

void CaptionSchedule::set_paused(bool paused, Instant now) {
  paused_ = paused;
  moved_at_ = now;
  changed_ = true;
}

void CaptionSchedule::end_growing() {
  if (!grows_until_) return;
  grows_until_.reset();
  changed_ = true;
}

// Its time is before that of the last text, so it cannot be shown any more.
bool CaptionSchedule::has_gone_by(CaptionSlot &slot) {
  if (!text_.id || backwards_ || !slot.end_known || slot.window.end > text_.came_at) return false;
  give_up(slot);
  if (!std::exchange(order_warned_, true))
    slot.warning =
        Error{ErrorKind::settings,
              "A text has an earlier time than the text before it, and is left out, as are further ones: "
              "texts must arrive in the order of their times."};
  return true;
}

// Adjusts the last text and this one so that neither hides the other.
void CaptionSchedule::make_place(CaptionSlot &slot) {
  if (!text_.id || backwards_) return;
  TimeSpan &last = text_.window;
  TimeSpan &window = slot.window;
  if (window.start >= last.end) return;
  if (grows_until_ && window.start > last.start) {
    last.end = window.start;
    if (CaptionSlot *text = find(text_.id)) text->window = last;
  } else {
    window = {last.end, end_behind(last.end, window)};
  }
}

// True: the last text has taken it in.
bool CaptionSchedule::begin_text(CaptionSlot &slot) {
  slot.has_place = true;
  CaptionSlot *text = find(text_.id);
  if (flow_ == Flow::ok && text && is_growing(*text) && text->progress == Progress::waiting && !backwards_ &&
      joins(*text, slot)) {
    join(*text, slot);
    note_text(*text);
    if (text->end_known && open_ == text->id) open_ = 0;
    return true;
  }
  close_open(slot.window.start);
  if (text) note_text(*text);
  slot.came_at = slot.window.start;
  if (!has_gone_by(slot)) make_place(slot);
  end_growing();
  return false;
}

void CaptionSchedule::note_text(const CaptionSlot &text) {
  text_ = {text.id, text.window, text.came_at, text.joins_until, text.came_in_at};
}

Next<Flow> CaptionSchedule::push_text(CaptionSlot &slot, Instant now) {
  if (!slot.has_place && begin_text(slot)) return flow_;
  if (flow_ == Flow::ok && !live_ && is_full()) return WaitUntil{};
  if (flow_ != Flow::ok) return flow_;
  if (live_) make_room_live();
  if (slot.progress != Progress::done) {
    const TimeSpan &window = slot.window;
    slot.progress = Progress::waiting;
    slot.joins_until =
        slot.end_known && window.end - window.start > kSloppy ? window.end - kSloppy : window.start + 1;
    slot.came_in_at = now;
    note_text(slot);
    texts_follow_ = true;
    grows_until_ = now + (live_ ? kGrowsLive : kGrows);
  }
  enqueue(std::move(slot), now);
  return flow_;
}

}  // namespace genclip
