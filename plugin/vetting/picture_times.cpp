// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/vetting/picture_times.h"

#include <algorithm>

namespace genclip {
namespace {

using std::chrono::nanoseconds;

// Containers round times, WebM and Matroska to milliseconds.
constexpr nanoseconds kRounding = std::chrono::milliseconds(2);
// Fewer intervals have no usual one.
constexpr size_t kFewestIntervals = 8;
constexpr double kNearlyAll = 0.9;

std::vector<nanoseconds> intervals_of(const std::vector<ShownFrame> &frames) {
  std::vector<nanoseconds> intervals;
  for (size_t i = 1; i < frames.size(); ++i) intervals.push_back(frames[i].begin - frames[i - 1].begin);
  return intervals;
}

}  // namespace

std::optional<nanoseconds> usual_interval(const std::vector<ShownFrame> &frames) {
  auto intervals = intervals_of(frames);
  if (intervals.size() < kFewestIntervals) return std::nullopt;
  const auto middle = intervals.begin() + static_cast<ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), middle, intervals.end());
  const nanoseconds usual = *middle;
  const auto count = std::count_if(intervals.begin(), intervals.end(), [&](nanoseconds interval) {
    return std::chrono::abs(interval - usual) <= kRounding;
  });
  if (usual <= 2 * kRounding ||
      static_cast<double>(count) < kNearlyAll * static_cast<double>(intervals.size()))
    return std::nullopt;
  return usual;
}

std::optional<nanoseconds> picture_end(const std::vector<ShownFrame> &frames) {
  if (frames.empty()) return std::nullopt;
  const ShownFrame &last = frames.back();
  if (last.length > nanoseconds::zero()) return last.begin + last.length;
  if (frames.size() == 1) return last.begin;
  return last.begin + usual_interval(frames).value_or(last.begin - frames[frames.size() - 2].begin);
}

std::optional<MissingFrames> gaps(const std::vector<ShownFrame> &frames) {
  const auto usual = usual_interval(frames);
  if (!usual) return std::nullopt;
  MissingFrames found;
  for (size_t i = 1; i < frames.size(); ++i) {
    const nanoseconds interval = frames[i].begin - frames[i - 1].begin;
    if (interval <= *usual + *usual / 2 + kRounding) continue;
    if (found.count == 0) found.first = frames[i - 1].begin + *usual;
    found.count += static_cast<size_t>((interval + *usual / 2) / *usual) - 1;
  }
  return found.count > 0 ? std::optional(found) : std::nullopt;
}

std::optional<MissingFrames> missing(const std::vector<nanoseconds> &expected,
                                     const std::vector<ShownFrame> &frames) {
  MissingFrames found;
  auto at = frames.begin();
  for (const nanoseconds begin : expected) {
    while (at != frames.end() && at->begin < begin - kRounding) ++at;
    if (at != frames.end() && at->begin <= begin + kRounding) continue;
    if (found.count++ == 0) found.first = begin;
  }
  return found.count > 0 ? std::optional(found) : std::nullopt;
}

}  // namespace genclip
