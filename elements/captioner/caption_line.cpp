// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the line that accepts captions and makes their stills.
#include "elements/captioner/caption_line.h"

#include <algorithm>
#include <utility>

namespace genclip {
namespace {

using Progress = CaptionSlot::Progress;

// Limits the raw frames that wait for the encoder, because they are large.
constexpr size_t kMaxStills = 4;

bool is_event(const LineItem &item, GstEventType type) {
  const auto *event = std::get_if<GRef<GstEvent>>(&item);
  return event && GST_EVENT_TYPE(event->get()) == type;
}

bool is_unasked(const CaptionSlot &slot) {
  return slot.progress == Progress::making_stills || slot.progress == Progress::waiting;
}

}  // namespace

void CaptionLine::start(const LineSettings &settings) {
  MutexLock lock(mutex_);
  settings_ = settings;
  stopped_ = false;
  closed_ = false;
  live_ = false;
  budget_warned_ = false;
  shortened_warned_ = false;
  order_warned_ = false;
  look_ahead_warned_ = false;
  has_starved_ = false;
  kept_.clear();
  numbers_ = trust_in_numbers();
  languages_ = trust_in_languages();
  reserved_ = 0;
  stats_ = {};
  observed_ = ObservedLatency(settings.latency);
  flow_ = GST_FLOW_OK;
  beginning_.clear();
  for (const OutletPtr &out : outlets_) {
    out->timeline = CaptionTimeline(settings.late_policy, settings.limits);
    out->unsent.clear();
  }
}

CaptionLine::Cancelled::~Cancelled() {
  for (const auto &cancellable : all_) g_cancellable_cancel(cancellable.get());
}

void CaptionLine::flush() {
  Cancelled cancelled;
  MutexLock lock(mutex_);
  clear(cancelled);
}

void CaptionLine::close() {
  Cancelled cancelled;
  MutexLock lock(mutex_);
  closed_ = true;
  clear(cancelled);
}

void CaptionLine::clear(Cancelled &cancelled) {
  flow_ = GST_FLOW_FLUSHING;
  ++epoch_;
  for (const SlotPtr &slot : slots_) {
    slot->progress = Progress::done;
    cancelled.add(*slot);
  }
  for (const OutletPtr &out : outlets_) clear_outlet(*out);
  std::erase_if(beginning_, [](const Item &item) {
    return std::holds_alternative<Segment>(item) || is_event(item, GST_EVENT_EOS);
  });
  slots_.clear();
  stills_.clear();
  open_.reset();
  text_.reset();
  grows_until_.reset();
  texts_follow_ = false;
  history_.clear();
  paused_ = false;
  changed_.notify_all();
}

bool CaptionLine::resume() {
  MutexLock lock(mutex_);
  if (!closed_) flow_ = GST_FLOW_OK;
  return !closed_;
}

void CaptionLine::stop() {
  close();
  MutexLock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool CaptionLine::set_flow(GstFlowReturn flow) {
  MutexLock lock(mutex_);
  if (flow_ == GST_FLOW_OK) flow_ = flow;
  changed_.notify_all();
  return std::none_of(outlets_.begin(), outlets_.end(), [](const OutletPtr &out) {
    return std::any_of(out->items.begin(), out->items.end(),
                       [](const Item &item) { return is_event(item, GST_EVENT_EOS); });
  });
}

void CaptionLine::set_live(bool live) {
  MutexLock lock(mutex_);
  if (live_ == live) return;
  live_ = live;
  changed_.notify_all();
}

GstFlowReturn CaptionLine::flow() const {
  MutexLock lock(mutex_);
  return flow_;
}

CaptionStats CaptionLine::stats() const {
  MutexLock lock(mutex_);
  CaptionStats stats = stats_;
  stats.longest = observed_.longest();
  return stats;
}

// Not live: an answer that waits for its turn does not count as a request. Up to max_in_flight more captions
// are prepared for the next requests.
bool CaptionLine::is_full() const {
  const size_t all = slots_.size();
  const auto unanswered = static_cast<size_t>(std::count_if(
      slots_.begin(), slots_.end(), [](const SlotPtr &slot) { return slot->progress != Progress::done; }));
  const size_t at_once = settings_.max_in_flight;
  const size_t waiting = settings_.max_waiting > 0 ? settings_.max_waiting : 4 * at_once;
  const size_t of_a_request = text_ ? settings_.cues_per_request : 1;
  return unanswered >= 2 * at_once * of_a_request || all >= (at_once + waiting) * of_a_request;
}

size_t CaptionLine::asking() const {
  return static_cast<size_t>(std::count_if(
      slots_.begin(), slots_.end(), [](const SlotPtr &slot) { return slot->progress == Progress::asking; }));
}

// A slot with an unknown end ends at the start of the next item.
void CaptionLine::close_open(std::optional<uint64_t> next_start) {
  if (!open_) return;
  if (next_start && *next_start > open_->window.start) {
    // A cut ends a window, but what comes after its end does not prolong it.
    open_->window.end = open_->sure_until ? std::min(*next_start, open_->window.end) : *next_start;
    open_->quiet_until = 0;
  }
  open_->end_known = true;
  open_.reset();
}

bool CaptionLine::is_beginning(const Item &item) {
  const auto *segment = std::get_if<Segment>(&item);
  return segment && !segment->continues;
}

bool CaptionLine::ends_what_is_open(const Item &item) {
  return is_beginning(item) || is_event(item, GST_EVENT_EOS) || is_event(item, GST_EVENT_SEGMENT_DONE) ||
         is_event(item, GST_EVENT_STREAM_START);
}

GstFlowReturn CaptionLine::push(Item item) {
  MutexLock lock(mutex_);
  if (const auto *silence = std::get_if<Silence>(&item)) {
    if (text_ && silence->span.end >= text_->joins_until) end_growing();
    // A window that a cut may end goes on after a gap.
    if (open_ && open_->sure_until && silence->span.end < open_->window.end)
      open_->sure_until = std::max(*open_->sure_until, silence->span.end);
    else
      close_open(silence->span.start);
  } else if (ends_what_is_open(item)) {
    texts_follow_ = false;
    end_growing();
    close_open(std::nullopt);
  }
  if (flow_ != GST_FLOW_OK) return flow_;
  if (is_beginning(item)) {
    ++epoch_;
    backwards_ = std::get<Segment>(item).backwards;
    text_.reset();
  }
  remember(item);
  put(item);
  moved_at_ = Clock::system().now();
  changed_.notify_all();
  return flow_;
}

GstFlowReturn CaptionLine::push_event(GRef<GstEvent> event) { return push(std::move(event)); }
GstFlowReturn CaptionLine::push_silence(TimeSpan span) { return push(Silence{span}); }
GstFlowReturn CaptionLine::push_segment(GRef<GstEvent> event, const GstSegment &segment, bool continues) {
  const bool backwards = segment.rate < 0;
  const bool ends = GST_CLOCK_TIME_IS_VALID(segment.stop);
  return push(Segment{std::move(event), backwards ? G_MAXUINT64 : segment.start,
                      ends ? std::optional<uint64_t>(segment.stop) : std::nullopt, backwards, continues});
}

// Ends a slot silently, without a request.
void CaptionLine::give_up(CaptionSlot &slot) {
  slot.progress = Progress::done;
  slot.request.stills.clear();
  ++stats_.skipped;
}

// Live, the latest slot wins: if all workers are busy, slots without a request are dropped.
void CaptionLine::make_room_live() {
  if (asking() < settings_.max_in_flight) return;
  for (const SlotPtr &slot : slots_)
    if (is_unasked(*slot)) give_up(*slot);
}

void CaptionLine::enqueue(const SlotPtr &slot) {
  close_open(slot->window.start);
  if (!slot->end_known) open_ = slot;
  slot->epoch = epoch_;
  slot->came_in_at = Clock::system().now();
  put(slot);
}

// Live, the latest pictures win; but a window that gathers its stills begins and ends.
void CaptionLine::drop_stills_live() {
  while (stills_.size() >= kMaxStills) {
    const auto oldest = std::find_if(stills_.begin(), stills_.end(),
                                     [](const StillJob &job) { return !job.opens && !job.is_completion(); });
    if (oldest == stills_.end()) return;
    if (oldest->slot && is_unasked(*oldest->slot)) give_up(*oldest->slot);
    stills_.erase(oldest);
  }
}

GstFlowReturn CaptionLine::push_still(StillJob job) {
  MutexLock lock(mutex_);
  const SlotPtr begun = job.slot ? job.slot : job.opens;
  // Close the open caption first: otherwise this one would wait for the place that the open one occupies.
  if (begun) close_open(begun->window.start);
  ++pushing_;
  while (flow_ == GST_FLOW_OK && !live_ && (stills_.size() >= kMaxStills || (begun && is_full())))
    changed_.wait(lock);
  --pushing_;
  moved_at_ = Clock::system().now();
  if (flow_ != GST_FLOW_OK) return flow_;
  if (live_) {
    if (begun) make_room_live();
    drop_stills_live();
  }
  job.epoch = epoch_;
  if (begun) enqueue(begun);
  stills_.push_back(std::move(job));
  changed_.notify_all();
  return flow_;
}

std::optional<StillJob> CaptionLine::next_still() {
  MutexLock lock(mutex_);
  moved_at_ = Clock::system().now();
  makes_still_ = false;
  changed_.notify_all();
  while (!stopped_ && stills_.empty()) changed_.wait(lock);
  if (stopped_) return std::nullopt;
  makes_still_ = true;
  StillJob job = std::move(stills_.front());
  stills_.pop_front();
  changed_.notify_all();
  return job;
}

void CaptionLine::still_made(const SlotPtr &slot, std::vector<Still> stills) {
  MutexLock lock(mutex_);
  if (slot->progress != Progress::making_stills) return;
  if (slot->tells_length) slot->tell_length(settings_.limits, slot->window.end - slot->window.start);
  slot->request.stills = std::move(stills);
  slot->progress = Progress::waiting;
  changed_.notify_all();
}

void CaptionLine::picture_unchanged(const SlotPtr &slot) {
  MutexLock lock(mutex_);
  if (slot->progress != Progress::making_stills) return;
  slot->repeats_last = true;
  slot->progress = Progress::done;
  changed_.notify_all();
}

void CaptionLine::still_failed(const SlotPtr &slot, Error error) {
  MutexLock lock(mutex_);
  if (slot->progress != Progress::making_stills) return;
  slot->error = std::move(error);
  slot->progress = Progress::done;
  changed_.notify_all();
}

}  // namespace genclip
