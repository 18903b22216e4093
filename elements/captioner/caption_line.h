// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The queue of captions: the only data that gencaption's threads share.
//
// Captions must leave in stream order without gaps or overlaps, but the work on them takes place elsewhere
// and finishes in any order: codecs need milliseconds, the gateway seconds, and a request may fail or be
// retried. The streaming thread cannot wait for an answer, or a tee in front of gencaption would stall. So it
// only appends a slot for each caption. The still maker and the workers fill the slots in whatever order they
// finish, and the task of each source pad takes them from the front of its outlet, together with the events
// and the silence between them.
//
// All state is here under a single lock, because almost every decision depends on several slots at once:
// whether there is room, which request comes next, and whether a late caption still has a place. Workers do
// the slow work without the lock, on data that belongs to them (see CaptionSlot). flush() and close() drop
// the queue, cancel the requests in progress, and wake every thread that waits here.
#pragma once

#include <gst/gst.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "elements/captioner/caption_outlet.h"
#include "elements/captioner/caption_slot.h"
#include "elements/captioner/form_trust.h"
#include "elements/captioner/observed_latency.h"
#include "plugin/base/mutex.h"
#include "plugin/caption/kept_answers.h"

namespace genclip {

struct LineSettings {
  unsigned max_in_flight = 2;
  unsigned max_waiting = 0;  // 0: 4 * max_in_flight
  unsigned context = 0;
  unsigned max_requests = 0;  // 0: no limit
  LatePolicy late_policy = LatePolicy::drop;
  std::chrono::milliseconds latency{};
  CueLimits limits;
  CaptionCache cache = CaptionCache::off;
  unsigned cues_per_request = 1;
  bool joins_repeats = false;  // not live: a caption and its repetitions are one cue
};

// The next action of a source task.
struct Stopped {};
struct Nothing {};  // live: check the clock and call again
struct Spoken {
  TimeSpan span;
  std::string text;
  ContentAnswer answer;  // token counts and finish reason only with the last sentence
  std::chrono::nanoseconds latency{};
  bool repeated = false;
  std::string left_out;  // with the last cue
  bool cached = false;
};
struct Notice {  // a failed caption, or a warning
  Error error;
  bool failed = false;
  bool told = false;  // by another outlet
};
using LineOutput = std::variant<Stopped, Nothing, GRef<GstEvent>, Silence, Spoken, Notice>;

// An answer in one language, as a worker hands it over.
struct Said {
  std::string language;
  ContentAnswer answer;
  std::vector<std::string> sentences;  // that were not added before
};

// Threads: the streaming thread pushes, the still maker and the workers take items and return them, and the
// source tasks take the output. Any thread adds and removes outlets. The lock is never held during calls to
// other code.
class CaptionLine {
 public:
  void start(const LineSettings &settings) EXCLUDES(mutex_);
  // Wakes all threads; calls that wait return without a result until resume().
  void flush() EXCLUDES(mutex_);
  // False once the line is closed.
  bool resume() EXCLUDES(mutex_);
  // An outlet that is added while data flows begins with the events of the current stream. From the next
  // caption on it has its part.
  OutletPtr add_outlet(const std::string &language) EXCLUDES(mutex_);
  void remove_outlet(const OutletPtr &outlet) EXCLUDES(mutex_);
  // Its pad becomes active or inactive: next() then returns Stopped. False: there is nothing to send now.
  bool start_outlet(CaptionOutlet &outlet) EXCLUDES(mutex_);
  void stop_outlet(CaptionOutlet &outlet) EXCLUDES(mutex_);
  // Saves a sticky event that a flush prevented from being sent. take_unsent() returns these events and those
  // in the outlet, in order.
  void keep(CaptionOutlet &outlet, GRef<GstEvent> event) EXCLUDES(mutex_);
  std::vector<GRef<GstEvent>> take_unsent(CaptionOutlet &outlet) EXCLUDES(mutex_);
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
  // stills=within: the window has ended, or all of it that will be seen.
  void complete(const SlotPtr &slot) EXCLUDES(mutex_);
  // A picture at this time does not end the window.
  void saw(uint64_t time) EXCLUDES(mutex_);
  // From PLAYING: the input has a reason to stand still.
  void set_paused(bool paused) EXCLUDES(mutex_);
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

  // Workers. Empty: end the thread. Several slots: texts that one request may ask about. Call found() next
  // for each part whose answer the store has; then may_ask() if there are others; and answered() at the end.
  SlotBatch next_question() EXCLUDES(mutex_);
  void found(const SlotPtr &slot, SlotPart &part, const ContentAnswer &answer) EXCLUDES(mutex_);
  // Parts of a slot that nobody has an answer for.
  std::vector<SlotPart *> unknown_parts(const SlotPtr &slot) EXCLUDES(mutex_);
  // Those of them that the next request is for: all, but only one if the slot is asked about again.
  std::vector<SlotPart *> parts_to_ask(const SlotPtr &slot) EXCLUDES(mutex_);
  // Before the request is sent: counts it. Waits until it is known which earlier windows need one, so that
  // max-requests has the same effect on every run. False: the window has no caption.
  bool may_ask(const SlotBatch &batch) EXCLUDES(mutex_);
  // Of the first part.
  void add_sentences(const SlotPtr &slot, std::vector<std::string> sentences) EXCLUDES(mutex_);
  // Keeps an answer as received, so that this run does not request it again. Call before answered().
  void keep_answer(const SlotPart &part, const ContentAnswer &answer) EXCLUDES(mutex_);
  // These parts have their answers; there will be a request for others.
  void say(const SlotPtr &slot, std::vector<Said> said) EXCLUDES(mutex_);
  // The request has ended, with answers for these parts. Parts that have none are asked for again, each alone
  // and once. Without `answer`, no request was necessary.
  void answered(const SlotPtr &slot, std::optional<Result<ContentAnswer>> answer, std::vector<Said> said)
      EXCLUDES(mutex_);
  // A request about several texts has ended; `said` has an entry for each. A text whose parts are not all
  // there is asked about by itself.
  void answered_together(const SlotBatch &batch, const Result<ContentAnswer> &answer,
                         std::vector<std::vector<Said>> said) EXCLUDES(mutex_);
  bool may_retry() EXCLUDES(mutex_);
  // max-requests from now on.
  void limit_requests(unsigned most) EXCLUDES(mutex_);
  // No request was sent after may_ask() or may_retry() after all: the store's budget refuses it, or it
  // was cancelled. The window has no caption.
  void did_not_ask(const SlotBatch &batch, std::optional<Error> warning) EXCLUDES(mutex_);
  void did_not_retry() EXCLUDES(mutex_);
  // What may_ask() or may_retry() allowed surely did not reach the gateway. It does not count as a request.
  void did_not_send() EXCLUDES(mutex_);

  // The task of that outlet's pad. `due` (live): all time before it must be sent by now, as captions or
  // silence.
  LineOutput next(CaptionOutlet &out, std::optional<uint64_t> due) EXCLUDES(mutex_);

  CaptionStats stats() const EXCLUDES(mutex_);

 private:
  using Item = LineItem;
  using Segment = LineSegment;

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
  void put(const Item &item) REQUIRES(mutex_);
  void remember(const Item &item) REQUIRES(mutex_);
  void clear(Cancelled &cancelled) REQUIRES(mutex_);
  void clear_outlet(CaptionOutlet &out) REQUIRES(mutex_);
  void close_open(std::optional<uint64_t> next_start) REQUIRES(mutex_);
  void give_up(CaptionSlot &slot) REQUIRES(mutex_);
  void make_room_live() REQUIRES(mutex_);
  void drop_stills_live() REQUIRES(mutex_);
  void enqueue(const SlotPtr &slot) REQUIRES(mutex_);
  void push_completion(const SlotPtr &slot) REQUIRES(mutex_);
  bool is_growing(const SlotPtr &slot) const REQUIRES(mutex_) { return grows_until_ && slot == text_; }
  void end_growing() REQUIRES(mutex_);
  bool has_gone_by(CaptionSlot &slot) REQUIRES(mutex_);
  void make_place(CaptionSlot &slot) REQUIRES(mutex_);
  bool is_full() const REQUIRES(mutex_);
  size_t asking() const REQUIRES(mutex_);
  SlotPtr first_to_ask() REQUIRES(mutex_);
  bool is_being_asked(const SlotPart &part) const REQUIRES(mutex_);
  bool is_being_asked(const CaptionSlot &slot) const REQUIRES(mutex_);
  bool awaits_only_answers(const CaptionSlot &slot) const REQUIRES(mutex_);
  bool awaits_undecided(const CaptionSlot &slot) const REQUIRES(mutex_);
  bool is_left_to_earlier(const CaptionSlot &slot) const REQUIRES(mutex_);
  bool is_undecided_before(const CaptionSlot &slot) const REQUIRES(mutex_);
  void look_up(CaptionSlot &slot) REQUIRES(mutex_);
  std::optional<Clock::Time> awaits_more_until(const SlotBatch &batch) const REQUIRES(mutex_);
  size_t texts_at_once() const REQUIRES(mutex_);
  void leave_flight(CaptionSlot &first) REQUIRES(mutex_);
  SlotBatch batch_from(const SlotPtr &first) REQUIRES(mutex_);
  void begin_question(CaptionSlot &slot) REQUIRES(mutex_);
  void note_tokens(const ContentAnswer &answer) REQUIRES(mutex_);
  bool reserve_request() REQUIRES(mutex_);

  void end_part(CaptionSlot &slot, Said said) REQUIRES(mutex_);
  bool ask_again(CaptionSlot &slot, const Error *failure) REQUIRES(mutex_);
  void note_as_context(const CaptionSlot &slot) REQUIRES(mutex_);
  void leave(CaptionOutlet &out, size_t at = 0) REQUIRES(mutex_);
  void leave_behind(CaptionSlot &slot, SlotPart &part, Cancelled &cancelled) REQUIRES(mutex_);

  using Due = std::optional<uint64_t>;
  LineOutput output_of_event(CaptionOutlet &out, const GRef<GstEvent> &event) REQUIRES(mutex_);
  LineOutput output_of_segment(CaptionOutlet &out, const Segment &segment) REQUIRES(mutex_);
  void take_silence(CaptionOutlet &out, TimeSpan span) REQUIRES(mutex_);
  std::chrono::nanoseconds until_overdue(const CaptionOutlet &out, Due due) const REQUIRES(mutex_);
  std::optional<LineOutput> output_of(CaptionOutlet &out, CaptionSlot &slot, Due due, Cancelled &cancelled)
      REQUIRES(mutex_);
  bool has_end(CaptionSlot &slot, const SlotPart *part, Due due) REQUIRES(mutex_);
  bool is_late(const CaptionOutlet &out, const CaptionSlot &slot, const SlotPart &part, Due due) const
      REQUIRES(mutex_);
  void observe(CaptionSlot &slot, const SlotPart &part, bool late) REQUIRES(mutex_);
  std::optional<LineOutput> speak(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, Due due,
                                  Cancelled &cancelled) REQUIRES(mutex_);
  std::optional<LineOutput> speak_rest(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part)
      REQUIRES(mutex_);
  std::optional<LineOutput> next_cue(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part) REQUIRES(mutex_);
  LineOutput send_cue(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part) REQUIRES(mutex_);

  // Look-ahead, not live.
  bool is_open(const CaptionSlot &slot) const REQUIRES(mutex_);
  bool may_starve() const REQUIRES(mutex_);
  bool is_starving() REQUIRES(mutex_);
  bool may_show_part(const CaptionOutlet &out, const CaptionSlot &slot) REQUIRES(mutex_);
  std::optional<Clock::Time> starves_at(const CaptionOutlet &out) const REQUIRES(mutex_);
  std::optional<LineOutput> end_gathering(const CaptionOutlet &out) REQUIRES(mutex_);
  std::optional<LineOutput> open_output(CaptionOutlet &out, CaptionSlot &slot, SlotPart *part)
      REQUIRES(mutex_);
  std::optional<LineOutput> next_part(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part) REQUIRES(mutex_);
  bool may_be_repeated(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part) REQUIRES(mutex_);
  std::optional<LineOutput> warn_once_of_shortening() REQUIRES(mutex_);
  LineOutput leave_unreadable(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part) REQUIRES(mutex_);
  std::optional<LineOutput> end_slot(CaptionOutlet &out, CaptionSlot &slot) REQUIRES(mutex_);
  std::optional<LineOutput> overdue(CaptionOutlet &out, uint64_t due, Cancelled &cancelled) REQUIRES(mutex_);
  Spoken spoken(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, TimeSpan span, std::string text,
                bool last) REQUIRES(mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  LineSettings settings_ GUARDED_BY(mutex_);
  GstFlowReturn flow_ GUARDED_BY(mutex_) = GST_FLOW_FLUSHING;
  bool stopped_ GUARDED_BY(mutex_) = true;
  bool closed_ GUARDED_BY(mutex_) = true;
  bool live_ GUARDED_BY(mutex_) = false;
  bool budget_warned_ GUARDED_BY(mutex_) = false;
  bool shortened_warned_ GUARDED_BY(mutex_) = false;
  bool look_ahead_warned_ GUARDED_BY(mutex_) = false;
  bool paused_ GUARDED_BY(mutex_) = false;
  bool has_starved_ GUARDED_BY(mutex_) = false;  // in this run
  unsigned pushing_ GUARDED_BY(mutex_) = 0;      // threads that wait for room
  bool makes_still_ GUARDED_BY(mutex_) = false;
  Clock::Time moved_at_ GUARDED_BY(mutex_){};  // when the input or the output last moved
  // One time for all decisions of a look at the line: else its last second could end between the decision to
  // wait for it and the wait.
  Clock::Time looked_at_ GUARDED_BY(mutex_){};
  uint64_t epoch_ GUARDED_BY(mutex_) = 0;  // incremented by each flush and segment
  uint64_t reserved_ GUARDED_BY(mutex_) = 0;
  std::vector<OutletPtr> outlets_ GUARDED_BY(mutex_);
  std::deque<SlotPtr> slots_ GUARDED_BY(mutex_);    // those that have not left all outlets
  std::vector<Item> beginning_ GUARDED_BY(mutex_);  // of the current stream, for further outlets
  std::deque<StillJob> stills_ GUARDED_BY(mutex_);
  SlotPtr open_ GUARDED_BY(mutex_);            // the last slot, while its end is unknown
  bool backwards_ GUARDED_BY(mutex_) = false;  // direction of the input
  SlotPtr text_ GUARDED_BY(mutex_);            // the last text of the segment
  std::optional<Clock::Time> grows_until_
      GUARDED_BY(mutex_);  // until then other texts may join, and no request is sent
  bool order_warned_ GUARDED_BY(mutex_) = false;
  bool texts_follow_ GUARDED_BY(mutex_) = false;  // the stream of texts has not ended
  KeptAnswers kept_ GUARDED_BY(mutex_);
  FormTrust numbers_ GUARDED_BY(mutex_) = trust_in_numbers();  // of texts that are asked about together
  FormTrust languages_ GUARDED_BY(mutex_) = trust_in_languages();
  std::deque<std::string> history_ GUARDED_BY(mutex_);
  uint64_t history_epoch_ GUARDED_BY(mutex_) = 0;
  CaptionStats stats_ GUARDED_BY(mutex_);
  ObservedLatency observed_ GUARDED_BY(mutex_);
};

}  // namespace genclip
