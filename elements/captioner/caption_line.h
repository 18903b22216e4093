// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The queue of captions: the only data that gencaption's threads share.
//
// Captions must leave in stream order without gaps or overlaps, but the work on them takes place elsewhere
// and finishes in any order: codecs need milliseconds, the gateway seconds, and a request may fail or be
// retried. The streaming thread cannot wait for an answer, or a tee in front of gencaption would stall. So it
// only appends a slot for each caption. The still maker and the workers fill the slots in whatever order they
// finish, and the source pad's task takes them from the front, together with the events and the silence
// between them.
//
// All state is here under a single lock, because almost every decision depends on several slots at once:
// whether there is room, which request comes next, and whether a late caption still has a place. Workers do
// the slow work without the lock, on data that belongs to them (see CaptionSlot). flush() and close() drop
// the queue, cancel the requests in progress, and wake every thread that waits here.
#pragma once

#include <gst/gst.h>

#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "elements/captioner/caption_slot.h"
#include "plugin/base/mutex.h"
#include "plugin/caption/kept_answers.h"

namespace genclip {

struct LineSettings {
  unsigned max_in_flight = 2;
  unsigned max_waiting = 0;  // 0: 4 * max_in_flight
  unsigned context = 0;
  unsigned max_requests = 0;  // 0: no limit
  LatePolicy late_policy = LatePolicy::drop;
};

// The next action of the source task.
struct Stopped {};
struct Nothing {};  // live: check the clock and call again
struct Silence {
  TimeSpan span;
};
struct Spoken {
  TimeSpan span;
  std::string text;
  ContentAnswer answer;  // token counts and finish reason only with the last sentence
  std::chrono::nanoseconds latency{};
  bool repeated = false;
};
struct Notice {  // a failed caption, or a warning
  Error error;
  bool failed = false;
};
using LineOutput = std::variant<Stopped, Nothing, GRef<GstEvent>, Silence, Spoken, Notice>;

// Threads: the streaming thread pushes, the still maker and the workers take items and return them, and the
// source task takes the output. The lock is never held during calls to other code.
class CaptionLine {
 public:
  void start(const LineSettings &settings) EXCLUDES(mutex_);
  // Wakes all threads; calls that wait return without a result until resume().
  void flush() EXCLUDES(mutex_);
  // False once the line is closed.
  bool resume() EXCLUDES(mutex_);
  // Saves a sticky event that a flush prevented from being sent. take_unsent() returns these events and those
  // in the line, in order.
  void keep(GRef<GstEvent> event) EXCLUDES(mutex_);
  std::vector<GRef<GstEvent>> take_unsent() EXCLUDES(mutex_);
  // A flush that lasts until the next start().
  void close() EXCLUDES(mutex_);
  // Ends the workers and the still maker.
  void stop() EXCLUDES(mutex_);
  // Stores an error of downstream, which later pushes return. False: there will be no push, because EOS is
  // already in the line.
  bool set_flow(GstFlowReturn flow) EXCLUDES(mutex_);
  void set_live(bool live) EXCLUDES(mutex_);

  // The streaming thread. These return FLUSHING, or the last flow return of downstream.
  GstFlowReturn push_event(GRef<GstEvent> event) EXCLUDES(mutex_);
  // `continues`: at most the end of the segment differs.
  GstFlowReturn push_segment(GRef<GstEvent> event, const GstSegment &segment, bool continues)
      EXCLUDES(mutex_);
  // A span of zero length announces that nothing comes before it.
  GstFlowReturn push_silence(TimeSpan span) EXCLUDES(mutex_);
  // Not live: waits for room. Live: drops older captions instead.
  GstFlowReturn push_still(StillJob job) EXCLUDES(mutex_);
  // Overlapping texts become one request.
  GstFlowReturn push_text(const SlotPtr &slot) EXCLUDES(mutex_);
  // Ends the caption whose end is unknown.
  void end_open(uint64_t end) EXCLUDES(mutex_);
  GstFlowReturn flow() const EXCLUDES(mutex_);

  // The still maker. Empty: end the thread.
  std::optional<StillJob> next_still() EXCLUDES(mutex_);
  void still_made(const SlotPtr &slot, std::vector<Still> stills) EXCLUDES(mutex_);
  void picture_unchanged(const SlotPtr &slot) EXCLUDES(mutex_);
  void still_failed(const SlotPtr &slot, Error error) EXCLUDES(mutex_);

  // Workers. Null: end the thread.
  SlotPtr next_question() EXCLUDES(mutex_);
  void add_sentences(const SlotPtr &slot, std::vector<std::string> sentences) EXCLUDES(mutex_);
  // Keeps an answer as received, so that this run does not request it again. Call before answered().
  void keep_answer(const SlotPtr &slot, const ContentAnswer &answer) EXCLUDES(mutex_);
  void answered(const SlotPtr &slot, Result<ContentAnswer> answer, std::vector<std::string> sentences)
      EXCLUDES(mutex_);
  bool may_retry() EXCLUDES(mutex_);
  // No request was sent after next_question() or may_retry() after all: the store's budget refuses it, or it
  // was cancelled. The window has no caption.
  void did_not_ask(const SlotPtr &slot, std::optional<Error> warning) EXCLUDES(mutex_);
  void did_not_retry() EXCLUDES(mutex_);

  // The source task. `due` (live): all time before it must be sent by now, as captions or silence.
  LineOutput next(std::optional<uint64_t> due) EXCLUDES(mutex_);

  CaptionStats stats() const EXCLUDES(mutex_);

 private:
  struct Segment {
    GRef<GstEvent> event;
    uint64_t start = 0;
    std::optional<uint64_t> stop;
    bool backwards = false;
    bool continues = false;
  };
  using Item = std::variant<GRef<GstEvent>, Segment, Silence, SlotPtr>;

  // Cancels in its destructor, after the lock is released, because cancelling calls handlers.
  class Cancelled {
   public:
    ~Cancelled();
    void add(const CaptionSlot &slot) { all_.push_back(slot.cancellable); }

   private:
    std::vector<GRef<GCancellable>> all_;
  };

  static bool is_beginning(const Item &item);
  static bool ends_what_is_open(const Item &item);
  GstFlowReturn push(Item item) EXCLUDES(mutex_);
  void clear(Cancelled &cancelled) REQUIRES(mutex_);
  void close_open(std::optional<uint64_t> next_start) REQUIRES(mutex_);
  void give_up(CaptionSlot &slot) REQUIRES(mutex_);
  void make_room_live() REQUIRES(mutex_);
  void enqueue(const SlotPtr &slot) REQUIRES(mutex_);
  bool is_growing(const SlotPtr &slot) const REQUIRES(mutex_) { return grows_until_ && slot == text_; }
  void end_growing() REQUIRES(mutex_);
  bool has_gone_by(CaptionSlot &slot) REQUIRES(mutex_);
  void make_place(CaptionSlot &slot) REQUIRES(mutex_);
  bool is_full() const REQUIRES(mutex_);
  size_t asking() const REQUIRES(mutex_);
  SlotPtr first_waiting() REQUIRES(mutex_);
  bool is_being_asked(const std::string &key) const REQUIRES(mutex_);
  void look_up(CaptionSlot &slot) REQUIRES(mutex_);
  bool reserve_request() REQUIRES(mutex_);

  using Due = std::optional<uint64_t>;
  LineOutput output_of_event(const GRef<GstEvent> &event) REQUIRES(mutex_);
  LineOutput output_of_segment(const Segment &segment) REQUIRES(mutex_);
  void take_silence(TimeSpan span) REQUIRES(mutex_);
  std::chrono::nanoseconds until_overdue(Due due) const REQUIRES(mutex_);
  std::optional<LineOutput> output_of(const SlotPtr &slot, Due due, Cancelled &cancelled) REQUIRES(mutex_);
  bool has_end(CaptionSlot &slot, Due due) REQUIRES(mutex_);
  bool is_late(const CaptionSlot &slot, Due due) const REQUIRES(mutex_);
  std::optional<LineOutput> speak(CaptionSlot &slot, Due due, Cancelled &cancelled) REQUIRES(mutex_);
  std::optional<LineOutput> end_slot(CaptionSlot &slot) REQUIRES(mutex_);
  std::optional<LineOutput> overdue(uint64_t due, Cancelled &cancelled) REQUIRES(mutex_);
  Spoken spoken(CaptionSlot &slot, TimeSpan span, std::string text, bool last) REQUIRES(mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  LineSettings settings_ GUARDED_BY(mutex_);
  GstFlowReturn flow_ GUARDED_BY(mutex_) = GST_FLOW_FLUSHING;
  bool stopped_ GUARDED_BY(mutex_) = true;
  bool closed_ GUARDED_BY(mutex_) = true;
  bool at_end_ GUARDED_BY(mutex_) = false;  // EOS was sent
  bool live_ GUARDED_BY(mutex_) = false;
  bool budget_warned_ GUARDED_BY(mutex_) = false;
  uint64_t epoch_ GUARDED_BY(mutex_) = 0;  // incremented by each flush and segment
  uint64_t reserved_ GUARDED_BY(mutex_) = 0;
  std::deque<Item> items_ GUARDED_BY(mutex_);
  std::vector<GRef<GstEvent>> unsent_ GUARDED_BY(mutex_);
  std::deque<StillJob> stills_ GUARDED_BY(mutex_);
  SlotPtr open_ GUARDED_BY(mutex_);            // the last slot, while its end is unknown
  bool backwards_ GUARDED_BY(mutex_) = false;  // direction of the input
  SlotPtr text_ GUARDED_BY(mutex_);            // the last text of the segment
  std::optional<Clock::Time> grows_until_
      GUARDED_BY(mutex_);  // until then other texts may join, and no request is sent
  bool order_warned_ GUARDED_BY(mutex_) = false;
  KeptAnswers kept_ GUARDED_BY(mutex_);
  std::deque<std::string> history_ GUARDED_BY(mutex_);
  uint64_t history_epoch_ GUARDED_BY(mutex_) = 0;
  std::string last_text_ GUARDED_BY(mutex_);
  CaptionTimeline timeline_ GUARDED_BY(mutex_);
  uint64_t quiet_until_ GUARDED_BY(mutex_) = 0;
  // End of the last caption that was sent, or of the last silence from upstream. It is sent downstream as
  // silence of zero length: a muxer that waits for the next text can then write the video up to this time
  // without another frame in its queue.
  std::optional<uint64_t> promised_ GUARDED_BY(mutex_);
  CaptionStats stats_ GUARDED_BY(mutex_);
};

}  // namespace genclip
