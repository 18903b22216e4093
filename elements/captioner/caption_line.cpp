// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the line that accepts captions and hands them to the workers.
#include "elements/captioner/caption_line.h"

#include <algorithm>
#include <utility>

namespace genclip {
namespace {

using Progress = CaptionSlot::Progress;

// Limits the raw frames that wait for the encoder, because they are large.
constexpr size_t kMaxStills = 4;

template <typename T>
bool holds_slot(const T &item) {
  return std::holds_alternative<SlotPtr>(item);
}

template <typename T>
bool is_event(const T &item, GstEventType type) {
  const auto *event = std::get_if<GRef<GstEvent>>(&item);
  return event && GST_EVENT_TYPE(event->get()) == type;
}

// Upstream sends segments and EOS again after a flush, but not its other sticky events.
bool lasts(GstEvent *event) {
  const GstEventType type = GST_EVENT_TYPE(event);
  const bool sticky = static_cast<unsigned>(type) & GST_EVENT_TYPE_STICKY;
  return sticky && type != GST_EVENT_SEGMENT && type != GST_EVENT_EOS;
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
  order_warned_ = false;
  kept_.clear();
  reserved_ = 0;
  stats_ = {};
  timeline_ = CaptionTimeline(settings.late_policy);
  flow_ = GST_FLOW_OK;
  unsent_.clear();
}

void CaptionLine::keep(GRef<GstEvent> event) {
  MutexLock lock(mutex_);
  if (lasts(event.get())) unsent_.insert(unsent_.begin(), std::move(event));
}

std::vector<GRef<GstEvent>> CaptionLine::take_unsent() {
  MutexLock lock(mutex_);
  return std::exchange(unsent_, {});
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
  for (const Item &item : items_) {
    if (const auto *event = std::get_if<GRef<GstEvent>>(&item))
      if (lasts(event->get())) unsent_.push_back(*event);
    if (!holds_slot(item)) continue;
    CaptionSlot &slot = *std::get<SlotPtr>(item);
    slot.progress = Progress::done;
    cancelled.add(slot);
  }
  items_.clear();
  stills_.clear();
  open_.reset();
  text_.reset();
  grows_until_.reset();
  history_.clear();
  last_text_.clear();
  quiet_until_ = 0;
  promised_.reset();
  timeline_.end();
  at_end_ = false;
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
  return std::none_of(items_.begin(), items_.end(),
                      [](const Item &item) { return is_event(item, GST_EVENT_EOS); });
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
  return stats_;
}

// Not live: an answer that waits for its turn does not count as a request. Up to max_in_flight more captions
// are prepared for the next requests.
bool CaptionLine::is_full() const {
  size_t all = 0;
  size_t unanswered = 0;
  for (const Item &item : items_) {
    if (!holds_slot(item)) continue;
    ++all;
    unanswered += std::get<SlotPtr>(item)->progress != Progress::done;
  }
  const size_t at_once = settings_.max_in_flight;
  const size_t waiting = settings_.max_waiting > 0 ? settings_.max_waiting : 4 * at_once;
  return unanswered >= 2 * at_once || all >= at_once + waiting;
}

size_t CaptionLine::asking() const {
  return static_cast<size_t>(std::count_if(items_.begin(), items_.end(), [](const Item &item) {
    return holds_slot(item) && std::get<SlotPtr>(item)->progress == Progress::asking;
  }));
}

// A slot with an unknown end ends at the start of the next item.
void CaptionLine::close_open(std::optional<uint64_t> next_start) {
  if (!open_) return;
  if (next_start && *next_start > open_->window.start) {
    open_->window.end = *next_start;
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
    close_open(silence->span.start);
  } else if (ends_what_is_open(item)) {
    end_growing();
    close_open(std::nullopt);
  }
  if (flow_ != GST_FLOW_OK) return flow_;
  if (is_beginning(item)) {
    ++epoch_;
    backwards_ = std::get<Segment>(item).backwards;
    text_.reset();
  }
  items_.push_back(std::move(item));
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
  for (const Item &item : items_)
    if (holds_slot(item) && is_unasked(*std::get<SlotPtr>(item))) give_up(*std::get<SlotPtr>(item));
}

void CaptionLine::enqueue(const SlotPtr &slot) {
  close_open(slot->window.start);
  if (!slot->end_known) open_ = slot;
  slot->epoch = epoch_;
  items_.push_back(slot);
}

GstFlowReturn CaptionLine::push_still(StillJob job) {
  MutexLock lock(mutex_);
  // Close the open caption first: otherwise this one would wait for the place that the open one occupies.
  if (job.slot) close_open(job.slot->window.start);
  while (flow_ == GST_FLOW_OK && !live_ && (stills_.size() >= kMaxStills || (job.slot && is_full())))
    changed_.wait(lock);
  if (flow_ != GST_FLOW_OK) return flow_;
  if (live_) {
    if (job.slot) make_room_live();
    while (stills_.size() >= kMaxStills) {
      if (stills_.front().slot && is_unasked(*stills_.front().slot)) give_up(*stills_.front().slot);
      stills_.pop_front();
    }
  }
  job.epoch = epoch_;
  if (job.slot) enqueue(job.slot);
  stills_.push_back(std::move(job));
  changed_.notify_all();
  return flow_;
}

std::optional<StillJob> CaptionLine::next_still() {
  MutexLock lock(mutex_);
  while (!stopped_ && stills_.empty()) changed_.wait(lock);
  if (stopped_) return std::nullopt;
  StillJob job = std::move(stills_.front());
  stills_.pop_front();
  changed_.notify_all();
  return job;
}

void CaptionLine::still_made(const SlotPtr &slot, std::vector<Still> stills) {
  MutexLock lock(mutex_);
  if (slot->progress != Progress::making_stills) return;
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

// In stream order, so that a budget and a context have the same effect on every run.
SlotPtr CaptionLine::first_waiting() {
  for (const Item &item : items_) {
    if (!holds_slot(item)) continue;
    const SlotPtr &slot = std::get<SlotPtr>(item);
    if (slot->progress == Progress::waiting) return is_growing(slot) ? nullptr : slot;
    const bool must_wait = slot->progress == Progress::making_stills ||
                           (settings_.context > 0 && slot->progress == Progress::asking);
    if (must_wait && !live_) return nullptr;
  }
  return nullptr;
}

bool CaptionLine::reserve_request() {
  if (settings_.max_requests > 0 && reserved_ >= settings_.max_requests) return false;
  ++reserved_;
  ++stats_.requests;
  return true;
}

// Builds the key of the request, and finds its answer if this run already has it.
void CaptionLine::look_up(CaptionSlot &slot) {
  if (history_epoch_ != slot.epoch) {
    // The context contains the captions just before this one, so a new pass or position starts without any.
    history_.clear();
    history_epoch_ = slot.epoch;
  }
  slot.request.earlier.assign(history_.begin(), history_.end());
  slot.key = question_key(slot.request, slot.stream_time);
  slot.known.reset();
  const ContentAnswer *kept = kept_.find(slot.key);
  if (!kept) return;
  slot.known = *kept;
  slot.known->prompt_tokens = slot.known->output_tokens = slot.known->total_tokens = 0;
}

bool CaptionLine::is_being_asked(const std::string &key) const {
  return std::any_of(items_.begin(), items_.end(), [&](const Item &item) {
    if (!holds_slot(item)) return false;
    const CaptionSlot &slot = *std::get<SlotPtr>(item);
    return slot.progress == Progress::asking && slot.key == key;
  });
}

SlotPtr CaptionLine::next_question() {
  MutexLock lock(mutex_);
  while (!stopped_) {
    if (grows_until_ && Clock::system().now() >= *grows_until_) end_growing();
    SlotPtr slot = first_waiting();
    if (slot) look_up(*slot);
    if (!slot || is_being_asked(slot->key)) {
      if (grows_until_)
        changed_.wait_until(lock, *grows_until_);
      else
        changed_.wait(lock);
      continue;
    }
    if (!slot->known && !reserve_request()) {
      give_up(*slot);
      if (!std::exchange(budget_warned_, true))
        slot->warning =
            Error{ErrorKind::settings,
                  "The budget of max-requests is used up; the stream continues without captions."};
      changed_.notify_all();
      continue;
    }
    slot->progress = Progress::asking;
    slot->asked_at = Clock::system().now();
    return slot;
  }
  return nullptr;
}

void CaptionLine::add_sentences(const SlotPtr &slot, std::vector<std::string> sentences) {
  MutexLock lock(mutex_);
  if (slot->progress != Progress::asking) return;
  for (std::string &sentence : sentences) slot->sentences.push_back(std::move(sentence));
  changed_.notify_all();
}

void CaptionLine::keep_answer(const SlotPtr &slot, const ContentAnswer &answer) {
  MutexLock lock(mutex_);
  kept_.keep(slot->key, answer);
}

void CaptionLine::answered(const SlotPtr &slot, Result<ContentAnswer> answer,
                           std::vector<std::string> sentences) {
  MutexLock lock(mutex_);
  slot->request = {};
  if (answer && !slot->known) {
    stats_.prompt_tokens += answer->prompt_tokens;
    stats_.output_tokens += answer->output_tokens;
    stats_.total_tokens += answer->total_tokens;
    ++stats_.answers;
    slot->latency = Clock::system().now() - slot->asked_at;
    stats_.latency_sum += slot->latency;
  }
  changed_.notify_all();
  if (slot->progress != Progress::asking) return;  // dropped in the meantime
  slot->progress = Progress::done;
  if (!answer) {
    slot->error = std::move(answer).error();
    return;
  }
  slot->answer = *std::move(answer);
  for (std::string &sentence : sentences) slot->sentences.push_back(std::move(sentence));
  if (slot->answer.cut_short)
    slot->warning = Error{ErrorKind::settings,
                          "The model stopped at its output limit; raise max-output-tokens to let it finish."};
  else if (slot->answer.text.empty())
    slot->warning =
        Error{ErrorKind::failed, "The model answered with no text (" + slot->answer.finish_reason +
                                     "); this caption is left out. Another prompt may help."};
  if (slot->answer.text.empty()) ++stats_.skipped;
  if (settings_.context > 0 && history_epoch_ == slot->epoch && !slot->answer.text.empty()) {
    history_.push_back(slot->answer.text);
    while (history_.size() > settings_.context) history_.pop_front();
  }
}

void CaptionLine::did_not_ask(const SlotPtr &slot, std::optional<Error> warning) {
  MutexLock lock(mutex_);
  --reserved_;
  --stats_.requests;
  changed_.notify_all();
  if (slot->progress != Progress::asking) return;  // dropped in the meantime
  give_up(*slot);
  slot->warning = std::move(warning);
}

void CaptionLine::did_not_retry() {
  MutexLock lock(mutex_);
  --reserved_;
  --stats_.requests;
  --stats_.retries;
}

bool CaptionLine::may_retry() {
  MutexLock lock(mutex_);
  if (!reserve_request()) return false;
  ++stats_.retries;
  return true;
}

}  // namespace genclip
