// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/caption_timeline.h"

#include <algorithm>
#include <limits>

#include "plugin/caption/cue_layout.h"

namespace genclip {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;
// Shorter captions are not noticed; the rest of the answer is then sent as one.
constexpr uint64_t kShortest = kSecondNs / 2;

}  // namespace

void CaptionTimeline::begin(uint64_t start, bool backwards, std::optional<uint64_t> stop) {
  backwards_ = backwards;
  begun_ = true;
  given_ = silent_ = start;
  stop_ = stop;
}

void CaptionTimeline::go_on(uint64_t start, bool backwards, std::optional<uint64_t> stop) {
  if (backwards != backwards_ || (backwards && !begun_)) return begin(start, backwards, stop);
  begun_ = true;
  if (!backwards) given_ = std::max(given_, start);
  stop_ = stop;
}

void CaptionTimeline::end() { begun_ = false; }

uint64_t CaptionTimeline::last() const {
  return stop_ ? std::max<uint64_t>(*stop_, 1) - 1 : std::numeric_limits<uint64_t>::max();
}

std::optional<TimeSpan> CaptionTimeline::take(TimeSpan span) {
  if (stop_ && !backwards_) span.end = std::min(span.end, *stop_);
  if (span.end <= span.start) return std::nullopt;
  given_ = backwards_ ? span.start : span.end;
  return span;
}

std::optional<TimeSpan> CaptionTimeline::silence_until(uint64_t end) {
  if (backwards_ || !begun_) return std::nullopt;
  const auto span = take({given_, std::min(end, last())});
  if (span) silent_ = span->end;
  return span;
}

std::optional<TimeSpan> CaptionTimeline::promise_until(uint64_t end) const {
  if (!begun_) return std::nullopt;
  // Where the time of playback begins, while nothing was sent.
  if (backwards_) return stop_ && given_ >= last() ? std::optional(TimeSpan{last(), last()}) : std::nullopt;
  const uint64_t at = std::min(std::max(end, given_), last());
  return TimeSpan{at, at};
}

std::optional<TimeSpan> CaptionTimeline::place(TimeSpan window, std::string_view text) {
  if (backwards_) return take({window.start, std::min(window.end, given_)});
  const uint64_t start = std::max(window.start, given_);
  uint64_t end = window.end;
  if (start > window.start && late_policy_ == LatePolicy::shift)
    end = std::max(end, start + std::min(reading_time(text, limits_), window.end - window.start));
  return take({start, end});
}

std::optional<TimeSpan> CaptionTimeline::place_sentence(TimeSpan window, std::string_view sentence) {
  if (backwards_) return std::nullopt;
  const uint64_t start = std::max(window.start, given_);
  if (start >= window.end) return std::nullopt;
  const uint64_t half = (window.end - start) / 2;
  if (half < kShortest) return std::nullopt;
  const uint64_t needed = reading_time(sentence, limits_);
  if (limits_.columns_per_second > 0 && needed > half) return std::nullopt;
  return take({start, start + std::min(half, needed)});
}

}  // namespace genclip
