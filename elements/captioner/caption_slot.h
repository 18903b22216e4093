// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One caption in progress, from the frame that needs it to the text that is sent.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elements/captioner/caption_cache.h"
#include "elements/captioner/caption_timeline.h"
#include "plugin/base/clock.h"
#include "plugin/base/gref.h"
#include "plugin/caption/content_client.h"
#include "plugin/caption/cue_limits.h"
#include "plugin/caption/frame_encoder.h"

namespace genclip {

struct CueToSend {
  TimeSpan span;
  std::string text;
};

// What one source pad sends of a caption: the answer in the pad's language.
struct SlotPart {
  std::string language;                // as of its CaptionOutlet
  std::string key;                     // of its question, once a worker has it
  std::optional<ContentAnswer> known;  // answer that this run or the store already has
  bool cached = false;                 // the store had it
  bool asked_alone = false;
  bool done = false;     // answered, or given up
  ContentAnswer answer;  // with the token counts of its request, for one part of the request
  std::optional<Error> warning;
  std::deque<std::string> sentences;  // complete, not sent yet
  std::deque<CueToSend> cues;         // of the rest of the answer, once it has its time
  std::string left_out;               // of the answer, because nobody could read it in that time
  bool is_one_cue = false;            // and the whole answer is this one cue
  bool in_parts = false;              // its cues had their times before the end of the window was known
  uint64_t shown_until = 0;           // end of the repetitions that its cue has joined
  bool begun = false;                 // a sentence was sent
};

// In the line, the line's lock guards all members except `request`, which belongs to the thread that works on
// the slot.
struct CaptionSlot {
  enum class Progress {
    making_stills,
    waiting,  // for a worker
    asking,
    done,
  };

  TimeSpan window;        // in timestamps of the segment; the end is valid only if known
  bool end_known = true;  // otherwise the next buffer sets it; live, also the deadline
  // With the input's position: the window ends at a cut, but not before this time. Empty: no cut ends it.
  std::optional<uint64_t> sure_until;
  uint64_t quiet_until = 0;  // after the window's end if the stream ends before the window
  bool gathers = false;      // stills=within: the input has not shown all of its stills
  uint64_t shortest = 0;     // a cut may end the window once it has this length; 0: none will
  // The prompt lacks how much text the window has time for, because its end is known with the stills.
  bool tells_length = false;
  bool one_piece = false;    // not split into sentences: it keeps the timing of the input
  uint64_t stream_time = 0;  // of the buffer that needs it
  unsigned texts = 1;        // number of texts in this request
  uint64_t came_at = 0;      // start of the last one
  uint64_t joins_until = 0;  // a text that starts before this time joins
  ContentRequest request;
  bool in_flight = false;  // its request, or that of a batch that it begins, has not ended
  GRef<GCancellable> cancellable = GRef<GCancellable>::adopt(g_cancellable_new());

  Progress progress = Progress::making_stills;
  Clock::Time came_in_at{};                      // to the line
  std::optional<std::chrono::nanoseconds> took;  // from then to its first text
  bool observed = false;                         // took counts in the observed latency
  Clock::Time asked_at{};
  std::chrono::nanoseconds latency{};
  std::vector<SlotPart> parts{1};          // one for each language; set before it comes into the line
  unsigned outlets = 0;                    // number of those that it has not left yet
  bool repeats_last = false;               // the picture has not changed
  uint64_t epoch = 0;                      // of the line, when it came in
  CaptionCache cache = CaptionCache::off;  // in effect for it, set with the keys of its parts
  bool undecided = false;                  // a worker has it, and may find its answer in the store
  bool again = false;                      // asked again for the languages that its answer lacked
  std::optional<Error> error;              // of its request: no part has an answer but those that are done
  bool error_told = false;
  bool alone = false;  // a request about several texts has brought no answer
  std::optional<Error> warning;

  // How much text there is time for, as far as it is known. Of the thread that works on the slot.
  void tell_length(const CueLimits &limits, std::optional<uint64_t> length) {
    const std::string rule = sentence_about(limits, length, shortest);
    if (!rule.empty()) request.prompt += (request.prompt.empty() ? "" : "\n\n") + rule;
  }
  // Null: nothing was asked for in this language.
  SlotPart *part_in(const std::string &language) {
    for (SlotPart &part : parts)
      if (part.language == language) return &part;
    return nullptr;
  }
  // Parts that have not ended.
  size_t lacking() const {
    return static_cast<size_t>(
        std::count_if(parts.begin(), parts.end(), [](const SlotPart &part) { return !part.done; }));
  }
  // A request is necessary.
  bool lacks_answer() const {
    return std::any_of(parts.begin(), parts.end(),
                       [](const SlotPart &part) { return !part.done && !part.known; });
  }
};
using SlotPtr = std::shared_ptr<CaptionSlot>;
using SlotBatch = std::vector<SlotPtr>;  // asked about in one request

// A picture to encode as a still, in stream order.
struct StillJob {
  Picture picture;
  uint64_t time = 0;  // stream time
  SlotPtr slot;       // the caption that needs it; null for a still of a later request
  SlotPtr opens;      // stills=within: the caption whose window it begins
  uint64_t epoch = 0;

  // stills=within: no picture; the window of `slot` has ended.
  bool is_completion() const { return !picture.buffer; }
};

struct CaptionStats {
  uint64_t requests = 0;   // sent, including retries
  uint64_t captions = 0;   // buffers sent
  uint64_t skipped = 0;    // windows without a request, or whose request failed
  uint64_t late = 0;       // answers after their deadline
  uint64_t shortened = 0;  // captions of which a part was left out, because nobody could read it in time
  uint64_t retries = 0;
  uint64_t cached = 0;  // answers from the store
  uint64_t prompt_tokens = 0;
  uint64_t output_tokens = 0;
  uint64_t total_tokens = 0;
  uint64_t answers = 0;
  uint64_t in_flight = 0;  // requests that have not ended
  std::chrono::nanoseconds latency_sum{};
  std::chrono::nanoseconds longest{};  // live: from a picture to its caption
};

}  // namespace genclip
