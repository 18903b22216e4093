// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The schedule of captions: decides which still is made, which question is asked, and what leaves when.
//
// Captions must leave in stream order without gaps or overlaps, but the work on them takes place elsewhere
// and finishes in any order: codecs need milliseconds, the gateway seconds, and a request may fail or be
// retried. The streaming thread cannot wait for an answer, or a tee in front of gencaption would stall. So it
// only appends a slot for each caption. The still maker and the workers fill the slots in whatever order they
// finish, and the task of each source pad takes them from the front of its outlet, together with the events
// and the silence between them.
//
// This is a plain value, without threads, locks or clocks, so a test can explore every order of events
// (tests/captioner/schedule_exploration_test.cpp). CaptionQueue carries it out: what happens is told to the
// schedule, and each thread asks it for its next action, and waits until there is one.
//
// The files: caption_schedule.cpp has the stream and its outlets, _in what comes in, _ask the questions, _out
// what leaves and why it leaves late, and _cues how an answer takes its time.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "elements/captioner/caption_outlet.h"
#include "elements/captioner/caption_question.h"
#include "elements/captioner/caption_slot.h"
#include "elements/captioner/form_trust.h"
#include "elements/captioner/observed_latency.h"
#include "plugin/caption/kept_answers.h"

namespace genclip {

struct CaptionScheduleSettings {
  unsigned max_in_flight = 2;
  unsigned max_waiting = 0;  // 0: 4 * max_in_flight
  unsigned context = 0;
  unsigned max_requests = 0;  // 0: no limit
  LatePolicy late_policy = LatePolicy::drop;
  std::chrono::milliseconds latency{};
  CueLimits limits;
  CaptionCache cache = CaptionCache::off;
  unsigned cues_per_request = 1;
  bool joins_repeats = false;         // not live: a caption and its repetitions are one cue
  bool by_sentence = false;           // answers are shown as they arrive
  std::optional<Error> refusal = {};  // why no request may be sent at all
  bool ends_on_error = false;         // on-error=fail
  unsigned retries = 3;               // for what an answer lacks
  bool asks = true;                   // requests are sent
};

// As GstFlowReturn.
enum class Flow : int { ok = 0, not_linked = -1, flushing = -2, eos = -3, error = -5 };

// There is no action yet. Ask again once something has changed, or at that time.
struct WaitUntil {
  std::optional<Instant> time;
};
template <typename Action>
using Next = std::variant<Action, WaitUntil>;

// What the task of a source pad has to do.
struct Stopped {};
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
using CaptionOutput = std::variant<Stopped, StreamEvent, Silence, Spoken, Notice>;

using OutletId = unsigned;

class CaptionSchedule {
 public:
  // Limits the raw frames that wait for the encoder, because they are large.
  static constexpr size_t kMaxStills = 4;

  // The run.
  void start(const CaptionScheduleSettings &settings);
  void stop();  // Ends the workers and the still maker.
  void set_live(bool live);
  void limit_requests(unsigned most, bool asks);  // from now on; false: none
  CaptionStats stats() const;

  // The stream. Until resume(), all that waits gets nothing.
  void flush();
  void close();   // a flush that lasts until the next start()
  bool resume();  // False once it is closed.
  Flow flow() const { return flow_; }
  // Downstream's error, which later pushes return. False: there will be no push, because EOS has come in.
  bool set_flow(Flow flow);
  // Upstream was told that no pad is linked. Now one is.
  bool link_again(Instant now);

  // Outlets. One that is added while data flows begins with the events of the current stream, and has its
  // part from the next caption on. Pads come and go at any time, so an outlet that was removed is no error.
  OutletId add_outlet(const std::string &language);
  void remove_outlet(OutletId id);
  // Its pad becomes active or inactive. False: there is nothing to send now.
  bool start_outlet(OutletId id, Instant now);
  void stop_outlet(OutletId id);
  // Saves a sticky event that a flush kept from being sent. take_unsent() returns these events and those in
  // the outlet, in order.
  void keep(OutletId id, const StreamEvent &event);
  std::vector<StreamEvent> take_unsent(OutletId id);

  // What comes in.
  Flow push_event(StreamEvent event, Instant now);
  Flow push_segment(StreamSegment segment, Instant now);
  // A span of zero length announces that nothing comes before it.
  Flow push_silence(Silence silence, Instant now);
  // Not live, these wait for room; live, older captions are dropped instead. `slot`: empty for a still of a
  // later request. Call with the same objects until there is a result.
  Next<Flow> push_still(StillJob &job, std::optional<CaptionSlot> &slot, Instant now);
  // Overlapping texts become one request.
  Next<Flow> push_text(CaptionSlot &slot, Instant now);
  void end_open(uint64_t end);  // Ends the caption whose end is unknown.
  void complete(SlotId id);     // stills=within: its window has ended, or all of it that will be seen.
  Flow saw(uint64_t time, Instant now);       // A picture at this time does not end the window.
  void set_paused(bool paused, Instant now);  // The input has a reason to stand still.
  // A query DRAIN: waits until no frame is held, and not live, until all has left that does not wait for the
  // input; but for no more than a second in which nothing leaves: what downstream waits for may come after
  // the query.
  Next<Flow> drain(Instant now);

  // The still maker. Empty: end the thread.
  Next<std::optional<StillJob>> next_still(Instant now);
  void still_made(SlotId id, std::vector<Still> stills);
  void picture_unchanged(SlotId id);
  void still_failed(SlotId id, Error error);

  // Workers. Empty: end the thread.
  Next<std::optional<Question>> next_question(Instant now);
  void found(const AskedPart &part, const ContentAnswer &answer);  // in the store
  // The request that the question needs, which is counted. Waits until it is known which earlier windows need
  // one, so that max-requests has the same effect on every run. Empty: the question has ended.
  Next<std::optional<CaptionRequest>> may_ask(uint64_t question, Instant now);
  void add_sentences(uint64_t question, std::vector<std::string> sentences, Instant now);
  // Instead of asking since may_ask(), the worker has found parts of it in the store, which somebody else has
  // asked about meanwhile. found() and may_ask() follow.
  void answered_elsewhere(CaptionRequest request);
  // The request has ended. Parts that have no answer are asked for again, each alone and once.
  void answered(CaptionRequest request, const Result<ContentAnswer> &answer, std::vector<Said> said,
                Instant now);
  bool may_retry();
  // Behind may_ask() or may_retry(), once nothing is left to wait for: the request is in flight from here on.
  // False: meanwhile nothing more is to be sent.
  bool begins(const CaptionRequest &request, Instant now);
  // No request was sent after may_ask() or may_retry() after all: the store's budget refuses it, it was
  // cancelled, or it does not begin. The windows have no captions.
  void did_not_ask(uint64_t question, std::optional<Error> warning);
  void did_not_retry();
  // What may_ask() or may_retry() allowed surely did not reach the gateway. It does not count as a request.
  void did_not_send();
  // One of the requests has ended, and counts with these.
  void note_tokens(uint64_t tokens);

  // The task of that outlet's pad. `due` (live): all time before it must be sent by now, as captions or
  // silence.
  using Due = std::optional<uint64_t>;
  Next<CaptionOutput> next_output(OutletId id, Due due, Instant now);

  // For the executor: the questions that nobody wants any more, and whether those who wait must ask again.
  std::vector<uint64_t> take_cancelled();
  bool take_changed();

 private:
  friend struct ScheduleText;  // of the exploration

  // Empty: the slot waits, or has left the outlet.
  using Output = std::optional<CaptionOutput>;

  // The stream and its outlets.
  Flow push(StreamItem item, Instant now);
  void put(const StreamItem &item);
  void remember(const StreamItem &item);
  void clear();
  void clear_outlet(CaptionOutlet &out);
  void leave(CaptionOutlet &out, size_t at = 0);
  CaptionSlot *find(SlotId id);
  CaptionOutlet *outlet(OutletId id);

  // What comes in.
  void close_open(std::optional<uint64_t> next_start);
  void give_up(CaptionSlot &slot);
  bool is_full() const;
  // Downstream takes no more captions, so none is asked for.
  bool has_ended() const { return flow_ != Flow::ok && flow_ != Flow::not_linked; }
  // A caption has failed, and the stream will end with its error once it has its turn.
  bool will_end() const { return has_failed_ && settings_.ends_on_error && !live_; }
  bool may_send() const { return settings_.asks && !has_ended() && !will_end(); }
  void fail(CaptionSlot &slot, Error error);
  size_t asking() const;
  void make_room_live();
  void drop_stills_live();
  bool is_over(const CaptionSlot &slot) const;
  void enqueue(CaptionSlot slot, Instant now);
  void push_completion(CaptionSlot &slot);
  bool is_growing(const CaptionSlot &slot) const { return grows_until_ && slot.id == text_.id; }
  void end_growing();
  bool has_gone_by(CaptionSlot &slot);
  void make_place(CaptionSlot &slot);
  bool begin_text(CaptionSlot &slot);
  void note_text(const CaptionSlot &text);

  // The questions.
  CaptionSlot *first_to_ask();
  void look_up(CaptionSlot &slot);
  bool is_asked(const SlotPart &part, bool undecided) const;
  bool awaits_answers(const CaptionSlot &slot) const;
  bool awaits_only_answers(const CaptionSlot &slot) const;
  bool awaits_undecided(const CaptionSlot &slot) const;
  bool is_undecided_before(SlotId id) const;
  bool is_left_to_earlier(SlotId id);
  size_t texts_at_once() const { return numbers_.holds() ? settings_.cues_per_request : 1; }
  std::vector<CaptionSlot *> batch_from(CaptionSlot &first);
  std::optional<Instant> awaits_more_until(const std::vector<CaptionSlot *> &batch, Instant now) const;
  Question begin_question(const std::vector<CaptionSlot *> &batch, Instant now);
  std::vector<CaptionSlot *> still_asked(uint64_t question);
  void say_known(CaptionSlot &slot, Instant now);
  void put_back_tail(const std::vector<CaptionSlot *> &all);
  CaptionRequest request_about(uint64_t question, const std::vector<CaptionSlot *> &batch);
  bool reserve_request();
  void refuse(const std::vector<CaptionSlot *> &batch);
  void end_parts(CaptionSlot &slot, const Said &said, Instant now);
  void end_part(CaptionSlot &slot, SlotPart &part, ContentAnswer answer, std::vector<std::string> sentences,
                Instant now);
  void end_request(uint64_t question, const Result<ContentAnswer> &answer, std::vector<Said> said,
                   Instant now);
  void note_answer(const ContentAnswer &answer, std::chrono::nanoseconds latency);
  bool ends_alone(CaptionSlot &slot, const Result<ContentAnswer> &answer);
  bool ends_one_of(CaptionSlot &slot, const Result<ContentAnswer> &answer, bool &is_told);
  bool ask_again(CaptionSlot &slot, const Error *failure, bool is_flawed);
  void note_as_context(const CaptionSlot &slot);
  void end_slot_answered(CaptionSlot &slot);
  void drop(CaptionSlot &slot);

  // What leaves.
  Output output_of_items(CaptionOutlet &out, Due due, Instant now);
  CaptionOutput output_of_event(CaptionOutlet &out, const StreamEvent &event);
  CaptionOutput output_of_segment(CaptionOutlet &out, const StreamSegment &segment);
  bool is_early(const CaptionOutlet &out) const;
  TimeSpan settled(const CaptionOutlet &out, const Silence &silence) const;
  void take_silence(CaptionOutlet &out, TimeSpan span);
  Output output_of_slot(CaptionOutlet &out, CaptionSlot &slot, Due due, Instant now);
  bool has_end(CaptionSlot &slot, const SlotPart *part, Due due);
  bool is_late(const CaptionOutlet &out, const CaptionSlot &slot, const SlotPart &part, Due due) const;
  void observe(CaptionSlot &slot, const SlotPart &part, bool late, Instant now);
  Output overdue(CaptionOutlet &out, uint64_t due, Instant now);
  bool is_drained();
  Output end_slot(CaptionOutlet &out, CaptionSlot &slot);
  void leave_behind(CaptionSlot &slot, SlotPart &part);
  std::optional<Instant> wakes_at(const CaptionOutlet &out, Due due, Instant now) const;
  bool awaits_pictures(const CaptionOutlet &out) const;

  // Look-ahead, not live.
  bool is_open(const CaptionSlot &slot) const { return !live_ && slot.sure_until && !slot.end_known; }
  bool may_starve() const { return !live_ && !paused_ && !is_pushing_ && !makes_still_ && !drains_until_; }
  bool stands_still(Instant now) const;
  bool is_starving(Instant now);
  bool may_show_part(const CaptionOutlet &out, const CaptionSlot &slot, Instant now);
  Output end_gathering(const CaptionOutlet &out, Instant now);
  Output open_output(CaptionOutlet &out, CaptionSlot &slot, SlotPart *part, Instant now);

  // Cues.
  Output speak(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, Due due, Instant now);
  Output speak_rest(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, Instant now);
  Output next_cue(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, Instant now);
  Output next_part(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, Instant now);
  bool may_be_repeated(CaptionOutlet &out, SlotPart &part, Instant now);
  static bool repeats(const CaptionSlot &slot, const SlotPart &part, const std::string &text);
  CaptionOutput send_cue(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, Instant now);
  Output warn_once_of_shortening(bool is_readable);
  Spoken spoken(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, TimeSpan span, std::string text,
                bool last, Instant now);

  CaptionScheduleSettings settings_;
  Flow flow_ = Flow::flushing;
  bool stopped_ = true;
  bool closed_ = true;
  bool live_ = false;
  bool changed_ = false;
  std::vector<uint64_t> cancelled_;
  CaptionStats stats_;
  ObservedLatency observed_;

  std::map<OutletId, CaptionOutlet> outlets_;
  OutletId last_outlet_ = 0;
  std::vector<StreamItem> beginning_;    // of the current stream, for further outlets
  std::map<SlotId, CaptionSlot> slots_;  // those that have not left all outlets
  uint64_t epoch_ = 0;                   // incremented by each flush and segment

  std::deque<StillJob> stills_;
  bool makes_still_ = false;
  SlotId pictured_ = 0;                  // the last one with stills, which later pictures are compared with
  bool asks_anyway_ = false;             // about the next picture, because it has no caption to repeat
  bool is_pushing_ = false;              // the streaming thread waits for room
  std::optional<Instant> drains_until_;  // … or, at most until then, for a DRAIN
  SlotId open_ = 0;                      // the last slot, while its end is unknown
  bool backwards_ = false;               // direction of the input
  // The last text of the segment; it may have left.
  struct {
    SlotId id = 0;
    TimeSpan window;
    uint64_t came_at = 0;
    uint64_t joins_until = 0;
    Instant came_in_at{};
  } text_;
  std::optional<Instant> grows_until_;  // until then other texts may join, and no request is sent
  bool texts_follow_ = false;           // the stream of texts has not ended

  uint64_t last_question_ = 0;
  struct InFlight {
    size_t texts = 1;
    Instant asked_at{};
  };
  std::map<uint64_t, InFlight> in_flight_;  // requests that were sent and have not ended, by their questions
  uint64_t reserved_ = 0;
  KeptAnswers kept_;
  FormTrust numbers_ = trust_in_numbers();  // of texts that are asked about together
  FormTrust languages_ = trust_in_languages();
  std::deque<std::string> history_;
  uint64_t history_epoch_ = 0;

  bool paused_ = false;
  bool has_starved_ = false;  // in this run
  Instant moved_at_{};        // when the input or the output last moved
  bool has_failed_ = false;   // a caption that has not left
  // Texts that were asked about alone, one after the other, and at which the gateway failed.
  unsigned failed_alone_ = 0;
  static constexpr unsigned kMostFailedAlone = 3;
  std::deque<Error> untold_;  // warnings whose captions have left
  bool budget_warned_ = false;
  bool shortened_warned_ = false;
  bool look_ahead_warned_ = false;
  bool order_warned_ = false;
  bool over_warned_ = false;
};

}  // namespace genclip
