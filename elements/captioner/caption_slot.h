// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One caption in progress, from the frame that needs it to the text that is sent.
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

// In the line, the line's lock guards all members except `request`, which belongs to the thread that works on
// the slot.
struct CaptionSlot {
  enum class Progress {
    making_stills,
    waiting,  // for a worker
    asking,
    done,
  };

  TimeSpan window;           // in timestamps of the segment; the end is valid only if known
  bool end_known = true;     // otherwise the next buffer sets it; live, also the deadline
  uint64_t quiet_until = 0;  // after the window's end if the stream ends before the window
  bool one_piece = false;    // never split into sentences: it keeps the timing of the input
  uint64_t stream_time = 0;  // of the buffer that needs it
  unsigned texts = 1;        // number of texts in this request
  uint64_t came_at = 0;      // start of the last one
  uint64_t joins_until = 0;  // a text that starts before this time joins
  ContentRequest request;
  GRef<GCancellable> cancellable = GRef<GCancellable>::adopt(g_cancellable_new());

  Progress progress = Progress::making_stills;
  Clock::Time asked_at{};
  std::chrono::nanoseconds latency{};
  std::deque<std::string> sentences;   // complete, not sent yet
  bool begun = false;                  // a sentence was sent
  bool repeats_last = false;           // the picture has not changed
  uint64_t epoch = 0;                  // of the line, when it came in
  std::string key;                     // of its request, once a worker has it
  std::optional<ContentAnswer> known;  // answer that this run already has
  ContentAnswer answer;
  std::optional<Error> error;
  std::optional<Error> warning;
};
using SlotPtr = std::shared_ptr<CaptionSlot>;

// A picture to encode as a still, in stream order.
struct StillJob {
  Picture picture;
  uint64_t time = 0;  // stream time
  SlotPtr slot;       // the caption that needs it; null for a still of a later request
  uint64_t epoch = 0;
};

struct CaptionStats {
  uint64_t requests = 0;  // sent, including retries
  uint64_t captions = 0;  // buffers sent
  uint64_t skipped = 0;   // windows without a request, or whose request failed
  uint64_t late = 0;      // answers after their deadline
  uint64_t retries = 0;
  uint64_t prompt_tokens = 0;
  uint64_t output_tokens = 0;
  uint64_t total_tokens = 0;
  uint64_t answers = 0;
  std::chrono::nanoseconds latency_sum{};
};

}  // namespace genclip
