// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The work of gencaption: puts events and buffers into the line, runs its threads, and pushes the captions.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "elements/captioner/caption_input.h"
#include "elements/captioner/caption_line.h"
#include "elements/captioner/caption_settings.h"
#include "elements/captioner/detached_work.h"
#include "plugin/caption/content_client.h"

namespace genclip {

// Threads: the streaming thread calls chain and sink_event; the application calls start, abort, stop and the
// queries. The stage itself runs the source pad's task, a still maker and max-in-flight workers. Borrows the
// element and its pads, which must outlive this.
class CaptionStage {
 public:
  CaptionStage(GstElement *element, GstPad *sink, GstPad *src);
  ~CaptionStage();

  // READY to PAUSED, before the pads are active. `settings` must be checked.
  void start(const CaptionSettings &settings, std::shared_ptr<HttpClient> http);
  // PAUSED to READY, before the pads stop: wakes all waiting threads.
  void abort();
  // After the pads have stopped: ends the remaining threads.
  void stop();

  void set_prompt(const std::string &prompt, const std::string &system_instruction);

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
  void log_question(const CaptionSlot &slot) const;
  void log_answer(const CaptionSlot &slot, const Result<ContentAnswer> &answer) const;
  void run_task();
  std::optional<uint64_t> due() const;
  GstFlowReturn put_out(LineOutput output);
  GstFlowReturn put_out_caption(const Spoken &spoken);
  GstFlowReturn put_out_notice(const Notice &notice);

  GstElement *const element_;
  GstPad *const sink_;
  GstPad *const src_;

  CaptionLine line_;
  std::unique_ptr<ContentClient> client_;  // while started
  CaptionSettings settings_;               // while started, except prompt and system_instruction
  DetachedWork codecs_;
  std::vector<std::thread> threads_;

  Mutex prompt_mutex_;
  std::string prompt_ GUARDED_BY(prompt_mutex_);
  std::string system_instruction_ GUARDED_BY(prompt_mutex_);

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
