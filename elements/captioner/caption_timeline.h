// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Assigns stream time to captions, so that they never overlap and people can read them.
//
// Time that was sent downstream, as a caption or as silence, cannot be used again.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "plugin/base/words.h"
#include "plugin/caption/cue_limits.h"

namespace genclip {

// What happens to a caption whose time was already sent.
enum class LatePolicy {
  drop,       // it is dropped
  shift,      // it starts late and stays long enough to read, which delays later ones
  immediate,  // it starts at once and ends with its window
};
template <>
inline constexpr Word<LatePolicy> kWords<LatePolicy>[] = {
    {LatePolicy::drop, "drop"}, {LatePolicy::shift, "shift"}, {LatePolicy::immediate, "immediate"}};

// [start, end) in nanoseconds of the stream's timestamps.
struct TimeSpan {
  uint64_t start = 0;
  uint64_t end = 0;
  friend bool operator==(const TimeSpan &, const TimeSpan &) = default;
};

// Remembers up to where time was sent. Pure arithmetic; one thread at a time.
class CaptionTimeline {
 public:
  explicit CaptionTimeline(LatePolicy late_policy = LatePolicy::drop, CueLimits limits = {})
      : late_policy_(late_policy), limits_(limits) {}

  // A new segment: sends no time before `start` or after `stop`. Backwards, spans come in descending order.
  void begin(uint64_t start, bool backwards, std::optional<uint64_t> stop = {});
  // A further segment of the same time: what was sent stays sent.
  void go_on(uint64_t start, bool backwards, std::optional<uint64_t> stop);
  // No silence until the next segment starts.
  void end();
  bool has_begun() const { return begun_; }
  bool is_backwards() const { return backwards_; }

  // Uses the free time up to `end` for silence. Empty if there is none. Silence ends one nanosecond before
  // the segment, because GstAggregator drops data at the stop of a segment.
  std::optional<TimeSpan> silence_until(uint64_t end);

  // Time of a silence of zero length, which promises that nothing comes before `end`, or before the time that
  // was already sent. Backwards, only for the beginning.
  std::optional<TimeSpan> promise_until(uint64_t end) const;

  // Time for the whole `text`, or for its last sentence, in `window`. Empty if no time is left.
  std::optional<TimeSpan> place(TimeSpan window, std::string_view text);

  // Time for a sentence that others will follow: its reading time, but leaves room for them. Empty: keep it
  // for later. With a limit of speed, it gets its reading time or nothing.
  std::optional<TimeSpan> place_sentence(TimeSpan window, std::string_view sentence);

  // Whether the start of the window was already sent (taken), or sent as silence (missed).
  bool is_taken(TimeSpan window) const { return !backwards_ && given_ > window.start; }
  bool is_missed(TimeSpan window) const { return !backwards_ && silent_ > window.start; }

  uint64_t given() const { return given_; }

 private:
  std::optional<TimeSpan> take(TimeSpan span);
  // The last moment inside the segment.
  uint64_t last() const;

  LatePolicy late_policy_;
  CueLimits limits_;
  uint64_t given_ = 0;
  uint64_t silent_ = 0;  // end of the last silence
  std::optional<uint64_t> stop_;
  bool begun_ = false;
  bool backwards_ = false;
};

}  // namespace genclip
