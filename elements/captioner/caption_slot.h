// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One caption in progress, from the frame that needs it to the text that is sent.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "elements/captioner/caption_cache.h"
#include "elements/captioner/caption_timeline.h"
#include "plugin/base/error.h"
#include "plugin/caption/content_answer.h"
#include "plugin/caption/content_wire.h"
#include "plugin/caption/cue_limits.h"

namespace genclip {

using Instant = std::chrono::steady_clock::time_point;
// Ascends in the order of the stream; 0 for none.
using SlotId = uint64_t;

struct CueToSend {
  TimeSpan span;
  std::string text;
};

// What one source pad sends of a caption: the answer in the pad's language.
struct SlotPart {
  std::string language;  // as of its CaptionOutlet
  std::string borrowed;  // of the always pad: the first language of the others, if there are any
  std::string key;       // of its question, once it was looked up
  std::optional<ContentAnswer> known;  // answer that this run or the store already has
  bool cached = false;                 // the store had it
  unsigned asked = 0;                  // number of requests about it, except those about several texts
  bool asked_alone = false;            // by the last of them
  bool done = false;                   // answered, or given up
  ContentAnswer answer;                // with the token counts of its request, for one part of the request
  std::optional<Error> warning;
  std::deque<std::string> sentences;  // complete, not sent yet
  std::deque<CueToSend> cues;         // of the rest of the answer, once it has its time
  std::string left_out;               // of the answer, because nobody could read it in that time
  bool is_one_cue = false;            // and the whole answer is this one cue
  bool in_parts = false;              // its cues had their times before the end of the window was known
  uint64_t shown_until = 0;           // end of the repetitions that its cue has joined
  bool begun = false;                 // a sentence was sent

  bool lacks_answer() const { return !done && !known; }
  // The language that it is asked for in.
  const std::string &asked_in() const { return borrowed.empty() ? language : borrowed; }
};

// For pads in these languages, in their order. The always pad says what the first of the others says.
inline std::vector<SlotPart> parts_in(const std::vector<std::string> &languages) {
  const auto first = std::find_if(languages.begin(), languages.end(),
                                  [](const std::string &language) { return !language.empty(); });
  std::vector<SlotPart> parts;
  for (const std::string &language : languages) {
    SlotPart &part = parts.emplace_back();
    part.language = language;
    if (language.empty() && first != languages.end()) part.borrowed = *first;
  }
  return parts;
}

struct CaptionSlot {
  enum class Progress {
    making_stills,
    waiting,  // for a worker
    asking,
    done,
  };

  SlotId id = 0;
  TimeSpan window;        // in timestamps of the segment; the end is valid only if known
  bool end_known = true;  // otherwise the next buffer sets it; live, also the deadline
  // With the input's position: the window ends at a cut, but not before this time. Empty: no cut ends it.
  std::optional<uint64_t> sure_until;
  bool gathers = false;   // stills=within: some of its stills are still to come
  uint64_t shortest = 0;  // a cut may end the window once it has this length; 0: none will
  // The prompt lacks how much text the window has time for, because its end is known with the stills.
  bool tells_length = false;
  bool one_piece = false;    // not split into sentences: it keeps the timing of the input
  uint64_t stream_time = 0;  // of the buffer that needs it
  uint64_t timestamp = 0;    // of the same, in the outgoing segment
  bool has_place = false;    // a text has its time among the others
  unsigned texts = 1;        // number of texts in this request
  uint64_t came_at = 0;      // start of the last one
  uint64_t joins_until = 0;  // a text that starts before this time joins
  ContentRequest request;

  Progress progress = Progress::making_stills;
  Instant came_in_at{};
  std::optional<std::chrono::nanoseconds> took;  // from then to its first text
  bool observed = false;                         // took counts in the observed latency
  Instant asked_at{};
  std::chrono::nanoseconds latency{};
  std::vector<SlotPart> parts{1};          // one for each language; set before it comes in
  unsigned outlets = 0;                    // number of those that it has not left yet
  bool repeats_last = false;               // the picture has not changed
  bool answered = false;                   // in one language at least, perhaps without text
  uint64_t epoch = 0;                      // of the schedule, when it came in
  CaptionCache cache = CaptionCache::off;  // in effect for it, set with the keys of its parts
  uint64_t question = 0;                   // the last one about it
  bool undecided = false;                  // a worker has it, and may find its answer in the store
  std::optional<SlotId> share_until;       // none behind that one shares its request
  bool again = false;                      // asked again for the languages that its answer lacked
  std::optional<Error> error;              // of its request: no part has an answer but those that are done
  bool error_told = false;
  bool alone = false;  // a request about several texts has brought no answer
  std::optional<Error> warning;

  // How much text there is time for, as far as it is known.
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
  // Number of parts that have not ended.
  size_t lacking() const {
    return static_cast<size_t>(
        std::count_if(parts.begin(), parts.end(), [](const SlotPart &part) { return !part.done; }));
  }
  // Number of languages in which a part lacks.
  size_t lacking_languages() const {
    std::set<std::string> languages;
    for (const SlotPart &part : parts)
      if (!part.done) languages.insert(part.asked_in());
    return languages.size();
  }
  // No cut ends the window before this time.
  uint64_t sure_end() const { return std::min(sure_until.value_or(0), window.end); }
  // Its picture need not be asked about again: what there is of its caption can be repeated, or the same
  // question would have the same answer.
  bool is_settled() const {
    if (repeats_last || answered) return true;
    if (error) return error->kind == ErrorKind::failed;
    return std::any_of(parts.begin(), parts.end(), [](const SlotPart &part) { return part.begun; });
  }
  // A request is necessary.
  bool lacks_answer() const {
    return std::any_of(parts.begin(), parts.end(), [](const SlotPart &part) { return part.lacks_answer(); });
  }
};

// Of the encoder; nobody else looks inside.
struct Picture;

// A picture to encode as a still, in stream order.
struct StillJob {
  std::shared_ptr<const Picture> picture;
  uint64_t time = 0;  // stream time
  SlotId slot = 0;    // the caption that needs it; 0 for a still of a later request
  SlotId opens = 0;   // stills=within: the caption whose window it begins
  uint64_t epoch = 0;
  // With `slot`: there is no caption that an equal picture could repeat.
  bool counts_as_changed = false;

  // stills=within: the window of `slot` has ended.
  bool is_completion() const { return !picture; }
};

struct CaptionStats {
  uint64_t requests = 0;   // sent, including retries
  uint64_t captions = 0;   // buffers sent
  uint64_t skipped = 0;    // windows without a request, or whose request failed
  uint64_t unasked = 0;    // of these, those without a request
  uint64_t late = 0;       // answers after their deadline
  uint64_t shortened = 0;  // captions of which a part was left out, because nobody could read it in time
  uint64_t retries = 0;
  uint64_t cached = 0;  // answers from the store
  uint64_t prompt_tokens = 0;
  uint64_t output_tokens = 0;
  uint64_t answer_tokens = 0;  // of the answers alone, all that they took
  uint64_t total_tokens = 0;   // of all requests, as max-tokens counts them
  uint64_t most_tokens = 0;    // of the largest of them
  uint64_t answers = 0;
  uint64_t in_flight = 0;  // requests that have not ended
  std::chrono::nanoseconds latency_sum{};
  std::chrono::nanoseconds longest{};  // live: from a picture to its caption
};

}  // namespace genclip
