// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where captions go on the time of the stream, so that none overlaps another and people can read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "plugin/base/words.h"

namespace genclip {

// What a caption does that comes after its time has been given away.
enum class LatePolicy {
  drop,       // it is left out
  shift,      // it starts late and stays long enough to read; later ones move along
  immediate,  // it starts at once and is cut where its window ends
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

// Remembers up to where time is given away. Pure arithmetic; one thread at a time.
class CaptionTimeline {
 public:
  explicit CaptionTimeline(LatePolicy late_policy = LatePolicy::drop) : late_policy_(late_policy) {}

  // A new segment: nothing is given away before `start`, nor behind `stop`. Backwards, spans come in falling
  // order.
  void begin(uint64_t start, bool backwards, std::optional<uint64_t> stop = {});
  // The same segment, with another end.
  void set_stop(std::optional<uint64_t> stop) { stop_ = stop; }
  // No time is given to silence until the next segment begins.
  void end();
  bool has_begun() const { return begun_; }

  // The time up to `end` that is free yet, now given to silence. Nothing when there is none. Silence ends a
  // nanosecond before the segment does: GstAggregator drops what lies at its stop.
  std::optional<TimeSpan> silence_until(uint64_t end);

  // Where silence of no length lies that promises nothing before `end`, and nothing before what is given
  // away.
  std::optional<TimeSpan> promise_until(uint64_t end) const;

  // The whole of `text`, or the last sentence of it, in `window`; nothing when there is no place left.
  std::optional<TimeSpan> place(TimeSpan window, std::string_view text);

  // A sentence that others will follow: takes its reading time, and leaves room. Nothing: keep it for later.
  std::optional<TimeSpan> place_sentence(TimeSpan window, std::string_view sentence);

  // Has the beginning of the window been given away, and to silence?
  bool is_taken(TimeSpan window) const { return !backwards_ && given_ > window.start; }
  bool is_missed(TimeSpan window) const { return !backwards_ && silent_ > window.start; }

  uint64_t given() const { return given_; }

 private:
  std::optional<TimeSpan> take(TimeSpan span);
  // The last moment inside the segment.
  uint64_t last() const;

  LatePolicy late_policy_;
  uint64_t given_ = 0;
  uint64_t silent_ = 0;  // where the last silence ends
  std::optional<uint64_t> stop_;
  bool begun_ = false;
  bool backwards_ = false;
};

// About 20 characters a second, and a second at least.
uint64_t reading_time(std::string_view text);

}  // namespace genclip
