// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The line in which captions wait their turn: the one place that all of gencaption's threads share.
//
// Answers take seconds and arrive in any order, but buffers must leave in the order of time, without gaps. So
// each question takes its place in one queue as soon as its input arrives, between the events and silences
// around it. Workers fill in the answers wherever these places are, and the source task takes from the front
// only. Live, the front does not wait for ever: when its latency has passed, the late policy decides what
// becomes of it.
//
// There is one lock, because each decision needs several things at the same moment: the order of the queue,
// the states of its captions, and the time that is given away already. Nothing outside is called with it
// held. flush() and close() drop what is queued, cancel the questions under way, and wake every thread that
// waits here.
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
  unsigned max_waiting = 0;  // 0: 4 times as many
  unsigned context = 0;
  unsigned max_requests = 0;  // 0: no limit
  LatePolicy late_policy = LatePolicy::drop;
};

// What the source task does next.
struct Stopped {};
struct Nothing {};  // live: look at the clock and come again
struct Silence {
  TimeSpan span;
};
struct Spoken {
  TimeSpan span;
  std::string text;
  ContentAnswer answer;  // counts and reason only with the last sentence
  std::chrono::nanoseconds latency{};
  bool repeated = false;
};
struct Notice {  // a failed caption, or a warning
  Error error;
  bool failed = false;
};
using LineOutput = std::variant<Stopped, Nothing, GRef<GstEvent>, Silence, Spoken, Notice>;

// Four kinds of threads meet here: the streaming thread pushes, the still maker and the workers take and give
// back, the source task takes what goes out. One lock, never held while anything outside is called.
class CaptionLine {
 public:
  void start(const LineSettings &settings) EXCLUDES(mutex_);
  // Wakes everyone; all calls that wait return empty-handed until resume().
  void flush() EXCLUDES(mutex_);
  // False once it is closed.
  bool resume() EXCLUDES(mutex_);
  // An event that lasts and that a flush has kept from going out; take_unsent() has those of the line too, in
  // order.
  void keep(GRef<GstEvent> event) EXCLUDES(mutex_);
  std::vector<GRef<GstEvent>> take_unsent() EXCLUDES(mutex_);
  // A flush for good, until the next start.
  void close() EXCLUDES(mutex_);
  // Workers and still maker end.
  void stop() EXCLUDES(mutex_);
  // Downstream refused; those who push hear of it. False: nobody will push, for the end of the stream is
  // already in the line.
  bool set_flow(GstFlowReturn flow) EXCLUDES(mutex_);
  void set_live(bool live) EXCLUDES(mutex_);

  // The streaming thread. FLUSHING, or what downstream said.
  GstFlowReturn push_event(GRef<GstEvent> event) EXCLUDES(mutex_);
  // `continues`: only its end is another, if anything is.
  GstFlowReturn push_segment(GRef<GstEvent> event, const GstSegment &segment, bool continues)
      EXCLUDES(mutex_);
  // Of no length: nothing comes before it.
  GstFlowReturn push_silence(TimeSpan span) EXCLUDES(mutex_);
  // Not live: waits for room. Live: gives up older ones instead.
  GstFlowReturn push_still(StillJob job) EXCLUDES(mutex_);
  // Texts that lie over one another become one question.
  GstFlowReturn push_text(const SlotPtr &slot) EXCLUDES(mutex_);
  // The caption whose end was not known ends there.
  void end_open(uint64_t end) EXCLUDES(mutex_);
  GstFlowReturn flow() const EXCLUDES(mutex_);

  // The still maker. Nothing: the end.
  std::optional<StillJob> next_still() EXCLUDES(mutex_);
  void still_made(const SlotPtr &slot, std::vector<Still> stills) EXCLUDES(mutex_);
  void picture_unchanged(const SlotPtr &slot) EXCLUDES(mutex_);
  void still_failed(const SlotPtr &slot, Error error) EXCLUDES(mutex_);

  // Workers. Null: the end.
  SlotPtr next_question() EXCLUDES(mutex_);
  void add_sentences(const SlotPtr &slot, std::vector<std::string> sentences) EXCLUDES(mutex_);
  // As it came, before answered(): it is not asked for again in this run.
  void keep_answer(const SlotPtr &slot, const ContentAnswer &answer) EXCLUDES(mutex_);
  void answered(const SlotPtr &slot, Result<ContentAnswer> answer, std::vector<std::string> sentences)
      EXCLUDES(mutex_);
  bool may_retry() EXCLUDES(mutex_);

  // The source task; `due`: live, all before it must be given away by now.
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

  // Cancels when it goes, which is after the lock: who hears of it runs code of its own.
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
  bool at_end_ GUARDED_BY(mutex_) = false;  // the end of the stream is out
  bool live_ GUARDED_BY(mutex_) = false;
  bool budget_warned_ GUARDED_BY(mutex_) = false;
  uint64_t epoch_ GUARDED_BY(mutex_) = 0;  // grows with each flush and segment
  uint64_t reserved_ GUARDED_BY(mutex_) = 0;
  std::deque<Item> items_ GUARDED_BY(mutex_);
  std::vector<GRef<GstEvent>> unsent_ GUARDED_BY(mutex_);
  std::deque<StillJob> stills_ GUARDED_BY(mutex_);
  SlotPtr open_ GUARDED_BY(mutex_);            // the last slot, while its end is not known
  bool backwards_ GUARDED_BY(mutex_) = false;  // what comes in
  SlotPtr text_ GUARDED_BY(mutex_);            // the last text of the segment
  std::optional<Clock::Time> grows_until_
      GUARDED_BY(mutex_);  // till then others may join it, and it is not asked
  bool order_warned_ GUARDED_BY(mutex_) = false;
  KeptAnswers kept_ GUARDED_BY(mutex_);
  std::deque<std::string> history_ GUARDED_BY(mutex_);
  uint64_t history_epoch_ GUARDED_BY(mutex_) = 0;
  std::string last_text_ GUARDED_BY(mutex_);
  CaptionTimeline timeline_ GUARDED_BY(mutex_);
  uint64_t quiet_until_ GUARDED_BY(mutex_) = 0;
  // Where the caption ends that just went out, or the silence that came in. It is said downstream, as silence
  // of no length: a muxer that waits for the next text then knows that video up to there can go, and needs no
  // further frame in its queue.
  std::optional<uint64_t> promised_ GUARDED_BY(mutex_);
  CaptionStats stats_ GUARDED_BY(mutex_);
};

}  // namespace genclip
