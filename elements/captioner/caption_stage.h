// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The work of gencaption: tells the schedule what comes in, runs its threads, and pushes the captions.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "elements/captioner/answer_store.h"
#include "elements/captioner/caption_allowance.h"
#include "elements/captioner/caption_estimate.h"
#include "elements/captioner/caption_input.h"
#include "elements/captioner/caption_pads.h"
#include "elements/captioner/caption_queue.h"
#include "elements/captioner/caption_settings.h"
#include "elements/captioner/detached_work.h"
#include "elements/element_settings.h"
#include "plugin/caption/content_client.h"
#include "plugin/caption/sentence_splitter.h"

namespace genclip {

// Threads: the streaming thread calls chain and sink_event; the application calls prepare, interrupt, release
// and the queries, adds and removes pads; any thread uses the settings. The stage itself runs the tasks of
// the source pads, a still maker and max-in-flight workers. Borrows the element and its pads, which must
// outlive this.
class CaptionStage {
 public:
  CaptionStage(GstElement *element, GstPad *sink, GstPad *src);
  ~CaptionStage();

  CaptionSettings settings() const { return told_.get(); }
  // Calls edit(CaptionSettings &). False: refused, because a run is prepared.
  template <typename Edit>
  bool edit_settings(Access access, Edit edit) EXCLUDES(telling_mutex_) {
    MutexLock lock(telling_mutex_);
    if (!told_.edit(access, edit)) return false;
    tell_limits();
    return true;
  }

  // READY to PAUSED, before the pads are active: checks the settings, posts the warnings, starts the threads.
  Result<void> prepare() EXCLUDES(telling_mutex_);
  // PAUSED to READY, before the pads stop: wakes all waiting threads.
  void interrupt();
  // After the pads have stopped: ends the remaining threads.
  void release();

  GstFlowReturn chain(GRef<GstBuffer> buffer);
  void set_paused(bool paused) { queue_.tell(&CaptionSchedule::set_paused, paused); }
  GstFlowReturn sink_event(const GRef<GstEvent> &event);
  bool sink_query(GstQuery *query);
  bool src_event(GstPad *pad, GRef<GstEvent> event);
  bool src_query(GstPad *pad, GstQuery *query);
  bool activate_src(GstPad *pad, bool active);

  // A pad for that language, which is canonical. False: it has one.
  bool add_pad(GstPad *pad, const std::string &language);
  // Once the pad is not active any more.
  void remove_pad(GstPad *pad);
  // Whether a new pad must be active.
  bool is_active() const { return GST_PAD_IS_ACTIVE(sink_); }

  CaptionStats stats() const { return queue_.stats(); }

 private:
  void tell_limits() REQUIRES(telling_mutex_);
  void start_task(CaptionPad &pad);
  void stop_task(CaptionPad &pad);
  void start_tasks();
  void flush_start(const GRef<GstEvent> &event);
  void flush_stop(const GRef<GstEvent> &event);
  GstFlowReturn set_caps(GstEvent *event);
  GstFlowReturn set_segment(GstEvent *event);
  GstFlowReturn stream_start(GstEvent *event);
  void look_whether_live();
  void tell_estimate();
  void set_live(bool live, uint64_t upstream_latency);
  void set_tags(GstTagList *tags);
  std::optional<Thumbnail> thumbnail_of(const GRef<GstBuffer> &buffer);
  void end_gathering();
  bool is_refused_live();
  CaptionSlot new_slot(const CaptionInput::Taken &taken);
  GstFlowReturn take(GRef<GstBuffer> buffer);
  GstFlowReturn push(GRef<GstEvent> event);
  GstFlowReturn push_silence(const Silence &silence);
  Silence silence_of(const AskedTime &asked) const;
  bool plays_forwards() const;
  GstFlowReturn gap(GstEvent *event);
  GstFlowReturn begin_without_segment();
  GstFlowReturn push_segment(const GstSegment &out, uint32_t seqnum, bool continues);
  bool link_again();
  bool answer_allocation(GstQuery *query);

  void work();
  std::optional<CaptionRequest> request_of(const Work &work, std::shared_ptr<const QuestionLocks> &locks);
  void answer(const Work &work);
  using Answers = std::vector<std::pair<AskedPart, ContentAnswer>>;
  Answers look_in_store(CaptionCache cache, const std::vector<AskedPart> &parts, GCancellable *cancellable);
  void tell_found(const Answers &found);
  std::shared_ptr<const QuestionLocks> lock(const CaptionRequest &request, GCancellable *cancellable) const;
  CaptionAllowance::Answer leave_for(const CaptionRequest &request, GCancellable *cancellable);
  bool has_leave(const CaptionRequest &request, GCancellable *cancellable);
  Result<ContentAnswer> ask(const CaptionRequest &request, SentenceSplitter &splitter,
                            GCancellable *cancellable);
  void keep_answers(const CaptionRequest &request, const std::vector<Said> &said,
                    const std::shared_ptr<const QuestionLocks> &locks, GCancellable *cancellable);
  bool is_kept_or_refused(const CaptionRequest &request, GCancellable *cancellable);
  void end_with(const Error &error);
  bool may_send_again(const CaptionRequest &request, GCancellable *cancellable);
  void log_question(const CaptionRequest &request) const;
  void log_answer(const CaptionRequest &request, const Result<ContentAnswer> &answer, size_t said) const;
  void log_retry(const CaptionRequest &request, const Error &failure, std::chrono::milliseconds pause) const;
  void run_task(CaptionPad &pad);
  void end_stream(const CaptionPad &pad, GstFlowReturn flow);
  void pause_task(CaptionPad &pad, unsigned links);
  std::optional<uint64_t> due(const CaptionPad &pad) const;
  GstFlowReturn put_out(CaptionPad &pad, const CaptionOutput &output);
  void put_out_event(CaptionPad &pad, const StreamEvent &event);
  GstFlowReturn put_out_caption(CaptionPad &pad, const Spoken &spoken);
  GstFlowReturn put_out_notice(const Notice &notice);

  GstElement *const element_;
  GstPad *const sink_;

  Mutex telling_mutex_;  // held while settings change, here and then in the queue
  ElementSettings<CaptionSettings> told_;
  CaptionQueue queue_;
  CaptionPads pads_;
  CaptionAllowance allowance_;
  AnswerStore answers_;
  CaptionEstimate estimate_;
  std::unique_ptr<ContentClient> client_;  // while started
  CaptionSettings settings_;               // of this run; the prompts may have changed since
  DetachedWork codecs_;
  DetachedWork measuring_;  // for cuts; the streaming thread waits for it
  std::vector<std::thread> threads_;
  enum class Ending { none, telling, told };
  std::atomic<Ending> ending_ = Ending::none;  // with an error of a worker

  // The streaming thread.
  std::optional<CaptionInput> input_;  // once started
  GRef<GstCaps> caps_;
  bool refused_ = false;          // live, and the latency is too short for these settings; posted once
  bool has_begun_early_ = false;  // a GAP has come before any segment
  SlotId last_slot_ = 0;
  SlotId gathering_ = 0;  // stills=within: the caption whose window has not ended
  uint64_t gathering_end_ = 0;
  GstVideoOrientationMethod orientation_ = GST_VIDEO_ORIENTATION_IDENTITY;
  bool orientation_of_stream_ = false;  // a stream tag overrides a global one

  // Queries read these too, at any time and from any thread.
  Mutex live_mutex_;  // held while liveness is set, here and then in the queue
  std::atomic<bool> live_ = false;
  std::atomic<bool> looked_live_ = false;  // since the last segment and the last change of latency
  std::atomic<uint64_t> own_latency_ = 0;
  std::atomic<uint64_t> least_latency_ = 0;  // that these settings need in a live stream
  std::atomic<uint64_t> upstream_latency_ = 0;
  std::atomic<bool> told_not_linked_ = false;  // upstream, with the last result of a push
  std::atomic<unsigned> links_ = 0;            // how often pads were linked
  std::atomic<uint32_t> last_seek_ = GST_SEQNUM_INVALID;
};

}  // namespace genclip
