// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The source pads of gencaption: the always pad, and one for each language that was requested.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "elements/captioner/caption_schedule.h"
#include "elements/captioner/text_format.h"
#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"

namespace genclip {

class CaptionStage;

// A source pad. Its task uses `out_segment`, `is_tagged` and `format`; so may other threads while the task is
// paused.
struct CaptionPad : std::enable_shared_from_this<CaptionPad> {
  CaptionPad(CaptionStage &its_stage, GRef<GstPad> its_pad, OutletId its_outlet, std::string its_language)
      : stage(its_stage), pad(std::move(its_pad)), outlet(its_outlet), language(std::move(its_language)) {}

  CaptionStage &stage;
  const GRef<GstPad> pad;
  const OutletId outlet;
  const std::string language;  // empty: the always pad

  GstSegment out_segment = {};
  bool is_tagged = false;  // the current stream has its tag
  TextFormat format = TextFormat::plain;

  std::atomic<GstFlowReturn> flow = GST_FLOW_OK;  // of its last buffer
  std::atomic<bool> is_active = false;
};
using CaptionPadPtr = std::shared_ptr<CaptionPad>;

// What upstream is told when several pads have these results: the same as GstFlowCombiner says. The flow of a
// pad that is not linked is NOT_LINKED.
GstFlowReturn combined_flow(const std::vector<GstFlowReturn> &flows);

// The event as that pad sends it: each pad starts a stream of its own, and has its own format.
GRef<GstEvent> event_of(CaptionPad &pad, const GRef<GstEvent> &event);

// Takes the format that suits the pad's peer.
GRef<GstEvent> caps_event(CaptionPad &pad);

// The tag of the pad's stream.
GRef<GstEvent> language_tag_event(const std::string &language);

// Any thread.
class CaptionPads {
 public:
  void add(CaptionPadPtr pad) EXCLUDES(mutex_);
  void remove(GstPad *pad) EXCLUDES(mutex_);
  std::vector<CaptionPadPtr> all() const EXCLUDES(mutex_);
  CaptionPadPtr find(GstPad *pad) const EXCLUDES(mutex_);
  bool has(const std::string &language) const EXCLUDES(mutex_);

  // The languages of the pads that are linked and whose downstream wants more; that of the always pad if
  // there is none.
  std::vector<std::string> languages() const EXCLUDES(mutex_);
  // No pad is linked, nor blocked by somebody who will link it: what would be asked now, nobody would get.
  bool are_loose() const EXCLUDES(mutex_);
  GstFlowReturn flow() const EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::vector<CaptionPadPtr> pads_ GUARDED_BY(mutex_);
};

}  // namespace genclip
