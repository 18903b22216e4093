// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The work of gencaption: puts events and buffers into the line, runs its threads, and pushes the captions.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "elements/captioner/caption_allowance.h"
#include "elements/captioner/caption_input.h"
#include "elements/captioner/caption_line.h"
#include "elements/captioner/caption_settings.h"
#include "elements/captioner/detached_work.h"
#include "elements/element_settings.h"
#include "plugin/caption/content_client.h"

namespace genclip {

// Threads: the streaming thread calls chain and sink_event; the application calls prepare, interrupt, release
// and the queries; any thread uses the settings. The stage itself runs the source pad's task, a still maker
// and max-in-flight workers. Borrows the element and its pads, which must outlive this.
class CaptionStage {
 public:
  CaptionStage(GstElement *element, GstPad *sink, GstPad *src);
  ~CaptionStage();

  CaptionSettings settings() const { return told_.get(); }
  // Calls edit(CaptionSettings &). False: refused, because a run is prepared.
  template <typename Edit>
  bool edit_settings(Access access, Edit edit) {
    return told_.edit(access, edit);
  }

  // READY to PAUSED, before the pads are active: checks the settings, posts the warnings, starts the threads.
  Result<void> prepare();
  // PAUSED to READY, before the pads stop: wakes all waiting threads.
  void interrupt();
  // After the pads have stopped: ends the remaining threads.
  void release();

  GstFlowReturn chain(GRef<GstBuffer> buffer);
  GstFlowReturn sink_event(GRef<GstEvent> event);
  bool sink_query(GstQuery *query);
  bool src_event(GRef<GstEvent> event);
  bool src_query(GstQuery *query);
  bool activate_src(bool active);

  CaptionStats stats() const { return line_.stats(); }

 private:
  void start_task();
  void flush_start(GRef<GstEvent> event);
  void flush_stop(GRef<GstEvent> event);
  GstFlowReturn set_caps(GstEvent *event);
  GstFlowReturn set_segment(GstEvent *event);
  GstFlowReturn stream_start(GstEvent *event);
  void look_whether_live();
  void set_live(bool live, uint64_t upstream_latency);
  void set_tags(GstTagList *tags);
  SlotPtr new_slot(const AskedTime &asked, uint64_t stream_time);

  void work();
  bool may_send_again(const CaptionSlot &slot);
  void log_question(const CaptionSlot &slot) const;
  void log_answer(const CaptionSlot &slot, const Result<ContentAnswer> &answer) const;
  void log_retry(const CaptionSlot &slot, const Error &failure, std::chrono::milliseconds pause) const;
  void run_task();
  std::optional<uint64_t> due() const;
  GstFlowReturn put_out(LineOutput output);
  GstFlowReturn put_out_caption(const Spoken &spoken);
  GstFlowReturn put_out_notice(const Notice &notice);

  GstElement *const element_;
  GstPad *const sink_;
  GstPad *const src_;

  ElementSettings<CaptionSettings> told_;
  CaptionLine line_;
  CaptionAllowance allowance_;
  std::unique_ptr<ContentClient> client_;  // while started
  CaptionSettings settings_;               // of this run; the prompts may have changed since
  DetachedWork codecs_;
  std::vector<std::thread> threads_;

  // The streaming thread.
  std::optional<CaptionInput> input_;  // once started
  GRef<GstCaps> caps_;
  bool caps_sent_ = false;
  GstVideoOrientationMethod orientation_ = GST_VIDEO_ORIENTATION_IDENTITY;
  bool orientation_of_stream_ = false;  // a stream tag overrides a global one

  // The source task.
  GstSegment out_segment_ = {};

  // Queries read these too, at any time and from any thread.
  Mutex live_mutex_;  // held while liveness is set, here and then in the line
  std::atomic<bool> live_ = false;
  std::atomic<bool> looked_live_ = false;  // since the last segment and the last change of latency
  std::atomic<uint64_t> own_latency_ = 0;
  std::atomic<uint64_t> upstream_latency_ = 0;
  std::atomic<uint32_t> last_seek_ = GST_SEQNUM_INVALID;
};

}  // namespace genclip
