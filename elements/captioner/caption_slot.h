// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One caption on its way: from the frame that asks for it to the text that goes out.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "elements/captioner/caption_timeline.h"
#include "plugin/base/clock.h"
#include "plugin/base/gref.h"
#include "plugin/caption/content_client.h"
#include "plugin/caption/frame_encoder.h"

namespace genclip {

// Once in the line all of it belongs to the line's lock, but `request`, which belongs to whoever works on the
// slot.
struct CaptionSlot {
  enum class Progress {
    making_stills,
    waiting,  // for a worker
    asking,
    done,
  };

  TimeSpan window;           // in timestamps of the segment; the end counts only when it is known
  bool end_known = true;     // else the next buffer tells, or, live, the deadline
  uint64_t quiet_until = 0;  // beyond the window's end, where the material ends before the window does
  bool one_piece = false;    // never cut into sentences: its timing is the input's
  uint64_t stream_time = 0;  // of what asks for it
  unsigned texts = 1;        // that were joined to one question
  uint64_t came_at = 0;      // where the last of them began
  uint64_t joins_until = 0;  // a text that begins before that is one more of them
  ContentRequest request;
  GRef<GCancellable> cancellable = GRef<GCancellable>::adopt(g_cancellable_new());

  Progress progress = Progress::making_stills;
  Clock::Time asked_at{};
  std::chrono::nanoseconds latency{};
  std::deque<std::string> sentences;   // complete, not yet out
  bool begun = false;                  // a sentence of it is out
  bool repeats_last = false;           // the picture has not changed
  uint64_t epoch = 0;                  // of the line, when it came in
  std::string key;                     // of its question, once a worker has it
  std::optional<ContentAnswer> known;  // this run has asked that before
  ContentAnswer answer;
  std::optional<Error> error;
  std::optional<Error> warning;
};
using SlotPtr = std::shared_ptr<CaptionSlot>;

// A picture to become a still, in the order of the stream.
struct StillJob {
  Picture picture;
  uint64_t time = 0;  // stream time
  SlotPtr slot;       // the caption that it asks for; null for a still of a later request
  uint64_t epoch = 0;
};

struct CaptionStats {
  uint64_t requests = 0;  // sent, retries included
  uint64_t captions = 0;  // buffers out
  uint64_t skipped = 0;   // windows that were not asked, or failed
  uint64_t late = 0;      // answers that missed their time
  uint64_t retries = 0;
  uint64_t prompt_tokens = 0;
  uint64_t output_tokens = 0;
  uint64_t total_tokens = 0;
  uint64_t answers = 0;
  std::chrono::nanoseconds latency_sum{};
};

}  // namespace genclip
