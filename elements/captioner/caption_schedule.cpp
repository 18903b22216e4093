// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the schedule about the stream, and its outlets, each of which receives everything.
#include "elements/captioner/caption_schedule.h"

#include <algorithm>
#include <utility>

namespace genclip {
namespace {

using EventKind = StreamEvent::Kind;

// Slides are seldom farther apart.
constexpr uint64_t kSureHole = 20'000'000'000;

bool is_event(const StreamItem &item, EventKind kind) {
  const auto *event = std::get_if<StreamEvent>(&item);
  return event && event->kind == kind;
}

// Upstream sends segments and EOS again after a flush, but not its other sticky events.
bool lasts(const StreamEvent &event) {
  return event.is_sticky && event.kind != EventKind::segment && event.kind != EventKind::eos;
}

bool is_beginning(const StreamItem &item) {
  const auto *segment = std::get_if<StreamSegment>(&item);
  return segment && !segment->continues;
}

bool ends_what_is_open(const StreamItem &item) {
  return is_beginning(item) || is_event(item, EventKind::eos) || is_event(item, EventKind::segment_done);
}

// Null: none of them.
const StreamItem *what_settles_silence(const std::deque<StreamItem> &items) {
  const auto found = std::find_if(items.begin(), items.end(), [](const StreamItem &item) {
    const auto *silence = std::get_if<Silence>(&item);
    return std::holds_alternative<SlotId>(item) || ends_what_is_open(item) ||
           (silence && !silence->may_be_early);
  });
  return found == items.end() ? nullptr : &*found;
}

// However much of it comes during a long hole, it is one.
bool joins(StreamItem &last, const StreamItem &item) {
  auto *before = std::get_if<Silence>(&last);
  const auto *silence = std::get_if<Silence>(&item);
  if (!before || !silence || !before->may_be_early || !silence->may_be_early) return false;
  before->span.end = std::max(before->span.end, silence->span.end);
  return true;
}

// As queues do: while no pad is linked, what data that come later need is kept.
bool is_needed_later(const StreamItem &item) {
  const auto *event = std::get_if<StreamEvent>(&item);
  return std::holds_alternative<StreamSegment>(item) || (event && lasts(*event));
}

bool has_running(const std::map<OutletId, CaptionOutlet> &outlets) {
  return std::any_of(outlets.begin(), outlets.end(), [](const auto &one) { return one.second.running; });
}

}  // namespace

void CaptionSchedule::start(const CaptionScheduleSettings &settings) {
  CaptionSchedule fresh;
  fresh.settings_ = settings;
  fresh.stopped_ = fresh.closed_ = false;
  fresh.observed_ = ObservedLatency(settings.latency);
  fresh.flow_ = Flow::ok;
  fresh.epoch_ = epoch_;
  fresh.last_question_ = last_question_;
  fresh.last_outlet_ = last_outlet_;
  for (const auto &[id, out] : outlets_) {
    CaptionOutlet &again = fresh.outlets_[id];
    again.language = out.language;
    again.running = out.running;
    again.timeline = CaptionTimeline(settings.late_policy, settings.limits);
  }
  fresh.changed_ = true;
  *this = std::move(fresh);
}

void CaptionSchedule::stop() {
  close();
  stopped_ = true;
}

void CaptionSchedule::set_live(bool live) {
  changed_ = changed_ || live_ != live;
  live_ = live;
}

CaptionStats CaptionSchedule::stats() const {
  CaptionStats stats = stats_;
  stats.in_flight = in_flight_.size();
  stats.longest = observed_.longest();
  return stats;
}

std::vector<uint64_t> CaptionSchedule::take_cancelled() { return std::exchange(cancelled_, {}); }

bool CaptionSchedule::take_changed() { return std::exchange(changed_, false); }

void CaptionSchedule::flush() { clear(); }

void CaptionSchedule::close() {
  closed_ = true;
  clear();
}

bool CaptionSchedule::resume() {
  if (!closed_) flow_ = Flow::ok;
  return !closed_;
}

void CaptionSchedule::clear() {
  changed_ = true;
  flow_ = Flow::flushing;
  ++epoch_;
  for (auto &one : slots_) drop(one.second);
  for (auto &one : outlets_) clear_outlet(one.second);
  std::erase_if(beginning_, [](const StreamItem &item) {
    return std::holds_alternative<StreamSegment>(item) || is_event(item, EventKind::eos);
  });
  slots_.clear();
  stills_.clear();
  asks_anyway_ = false;
  open_ = 0;
  text_ = {};
  grows_until_.reset();
  texts_follow_ = is_pushing_ = false;
  history_.clear();
  paused_ = has_failed_ = false;
  failed_alone_ = 0;
  drains_until_.reset();
}

bool CaptionSchedule::set_flow(Flow flow) {
  changed_ = true;
  if (flow_ == Flow::ok) flow_ = flow;
  return std::none_of(outlets_.begin(), outlets_.end(), [](const auto &one) {
    const auto &items = one.second.items;
    return std::any_of(items.begin(), items.end(),
                       [](const StreamItem &item) { return is_event(item, EventKind::eos); });
  });
}

bool CaptionSchedule::link_again(Instant now) {
  if (flow_ != Flow::not_linked) return false;
  moved_at_ = now;
  changed_ = true;
  flow_ = Flow::ok;
  return true;
}

OutletId CaptionSchedule::add_outlet(const std::string &language) {
  CaptionOutlet &out = outlets_[++last_outlet_];
  out.language = language;
  return last_outlet_;
}

void CaptionSchedule::remove_outlet(OutletId id) {
  stop_outlet(id);
  outlets_.erase(id);
}

CaptionOutlet *CaptionSchedule::outlet(OutletId id) {
  const auto found = outlets_.find(id);
  return found == outlets_.end() ? nullptr : &found->second;
}

bool CaptionSchedule::start_outlet(OutletId id, Instant now) {
  CaptionOutlet *found = outlet(id);
  if (!found) return false;
  CaptionOutlet &out = *found;
  moved_at_ = now;
  if (!has_running(outlets_) && !closed_) flow_ = Flow::ok;
  if (!std::exchange(out.running, true)) {
    out.timeline = CaptionTimeline(settings_.late_policy, settings_.limits);
    out.items.insert(out.items.end(), beginning_.begin(), beginning_.end());
  }
  changed_ = true;
  return flow_ == Flow::ok;
}

void CaptionSchedule::stop_outlet(OutletId id) {
  CaptionOutlet *found = outlet(id);
  if (!found) return;
  CaptionOutlet &out = *found;
  out.running = false;
  for (const StreamItem &item : out.items) {
    CaptionSlot *slot = std::holds_alternative<SlotId>(item) ? find(std::get<SlotId>(item)) : nullptr;
    if (SlotPart *part = slot ? slot->part_in(out.language) : nullptr) leave_behind(*slot, *part);
  }
  clear_outlet(out);
  out.unsent.clear();
  // The failure may have been of this pad alone.
  has_failed_ = std::any_of(slots_.begin(), slots_.end(),
                            [](const auto &one) { return one.second.error && one.second.lacking() > 0; });
  if (!has_running(outlets_)) clear();
  changed_ = true;
}

void CaptionSchedule::keep(OutletId id, const StreamEvent &event) {
  CaptionOutlet *out = outlet(id);
  if (out && lasts(event)) out->unsent.insert(out->unsent.begin(), event);
}

std::vector<StreamEvent> CaptionSchedule::take_unsent(OutletId id) {
  CaptionOutlet *out = outlet(id);
  return out ? std::exchange(out->unsent, {}) : std::vector<StreamEvent>();
}

void CaptionSchedule::clear_outlet(CaptionOutlet &out) {
  while (!out.items.empty()) {
    if (const auto *event = std::get_if<StreamEvent>(&out.items.front()); event && lasts(*event))
      out.unsent.push_back(*event);
    leave(out);
  }
  out.last_text.clear();
  out.quiet_until = 0;
  out.promised.reset();
  out.timeline.end();
  out.at_end = false;
  out.hole = 0;
}

CaptionSlot *CaptionSchedule::find(SlotId id) {
  const auto found = slots_.find(id);
  return found == slots_.end() ? nullptr : &found->second;
}

// Removes an item, the first one unless another is meant. A slot that no outlet has any more is gone.
void CaptionSchedule::leave(CaptionOutlet &out, size_t at) {
  const StreamItem item = std::move(out.items[at]);
  out.items.erase(out.items.begin() + static_cast<std::ptrdiff_t>(at));
  changed_ = true;
  const auto *id = std::get_if<SlotId>(&item);
  CaptionSlot *slot = id ? find(*id) : nullptr;
  if (!slot || --slot->outlets > 0) return;
  if (open_ == slot->id) open_ = 0;
  if (text_.id == slot->id) text_.window = slot->window;
  if (slot->id >= pictured_ && !slot->is_settled()) asks_anyway_ = true;
  // There may be no other warning in this run.
  if (slot->warning) untold_.push_back(*std::move(slot->warning));
  slots_.erase(slot->id);
}

Flow CaptionSchedule::push(StreamItem item, Instant now) {
  if (const auto *silence = std::get_if<Silence>(&item)) {
    const uint64_t surely = silence->may_be_early ? silence->span.start : silence->span.end;
    if (text_.id && surely >= text_.joins_until) end_growing();
    // A window that a cut may end goes on after a gap.
    CaptionSlot *open = find(open_);
    if (open && open->sure_until && silence->span.end < open->window.end)
      open->sure_until = std::max(*open->sure_until, silence->span.end);
    else
      close_open(silence->span.start);
  } else if (ends_what_is_open(item)) {
    texts_follow_ = false;
    end_growing();
    close_open(std::nullopt);
  }
  changed_ = true;
  if (flow_ != Flow::ok && !(flow_ == Flow::not_linked && is_needed_later(item))) return flow_;
  if (is_beginning(item)) {
    ++epoch_;
    backwards_ = std::get<StreamSegment>(item).backwards;
    text_ = {};
  }
  remember(item);
  put(item);
  moved_at_ = now;
  return Flow::ok;
}

Flow CaptionSchedule::push_event(StreamEvent event, Instant now) { return push(std::move(event), now); }
Flow CaptionSchedule::push_segment(StreamSegment segment, Instant now) {
  return push(std::move(segment), now);
}
Flow CaptionSchedule::push_silence(Silence silence, Instant now) { return push(silence, now); }

void CaptionSchedule::put(const StreamItem &item) {
  const auto *id = std::get_if<SlotId>(&item);
  for (auto &[outlet, out] : outlets_) {
    if (!out.running) continue;
    if (!out.items.empty() && joins(out.items.back(), item)) continue;
    if (id || is_beginning(item)) out.hole = 0;
    out.items.push_back(item);
    if (id) ++slots_.at(*id).outlets;
  }
  if (id && slots_.at(*id).outlets == 0) slots_.erase(*id);
}

// Whether the next item is silence that may be early: a picture, the end, or silence that is sure shows
// whether it is. After kSureHole without a picture, it is not.
bool CaptionSchedule::is_early(const CaptionOutlet &out) const {
  if (out.items.empty() || live_ || out.hole >= kSureHole) return false;
  const auto *silence = std::get_if<Silence>(&out.items.front());
  return silence && silence->may_be_early && !what_settles_silence(out.items);
}

// The silence that was the next item, up to the picture behind it, or to silence that is sure.
TimeSpan CaptionSchedule::settled(const CaptionOutlet &out, const Silence &silence) const {
  TimeSpan span = silence.span;
  const StreamItem *next = silence.may_be_early ? what_settles_silence(out.items) : nullptr;
  if (!next) return span;
  if (const auto *id = std::get_if<SlotId>(next)) span.end = std::min(span.end, slots_.at(*id).timestamp);
  if (const auto *sure = std::get_if<Silence>(next)) span.end = std::min(span.end, sure->span.start);
  return span;
}

// Keeps what an outlet needs that is added later: sticky events and the segment.
void CaptionSchedule::remember(const StreamItem &item) {
  if (const auto *segment = std::get_if<StreamSegment>(&item)) {
    std::erase_if(beginning_, [](const StreamItem &old) {
      return std::holds_alternative<StreamSegment>(old) || is_event(old, EventKind::eos);
    });
    beginning_.push_back(*segment);
    std::get<StreamSegment>(beginning_.back()).continues = false;
    return;
  }
  const auto *event = std::get_if<StreamEvent>(&item);
  if (!event || !event->is_sticky) return;
  if (event->kind == EventKind::stream_start) beginning_.clear();
  // A stream may last for days and change its tags each minute.
  const auto old = std::find_if(beginning_.begin(), beginning_.end(), [event](const StreamItem &one) {
    const auto *kept = std::get_if<StreamEvent>(&one);
    return kept && kept->name == event->name;
  });
  if (old != beginning_.end())
    *old = *event;
  else
    beginning_.push_back(*event);
}

}  // namespace genclip
