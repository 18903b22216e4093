// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A model's limits on reference media (§2.3, §2.4); plugin/task/media_check measures the media.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace genclip {

// A range of numbers. Each end may be absent, inclusive or exclusive.
struct Bounds {
  std::optional<double> lower;
  std::optional<double> upper;
  bool lower_inclusive = true;
  bool upper_inclusive = true;

  bool empty() const { return !lower && !upper; }
  bool contains(double value) const;
  // For people: "2 to 15", "above 0.4 and below 2.5", "at most 20"; in multiples of `unit`.
  std::string text(double unit = 1) const;

  friend bool operator==(const Bounds &, const Bounds &) = default;
};

// The service says MB without defining it; this takes the decimal megabyte, which is what MB means.
inline constexpr double kBytesPerMegabyte = 1e6;

struct MediaLimits {
  std::vector<std::string> formats;  // lower case, such as "jpeg"; empty: any
  Bounds bytes;                      // of one file
  Bounds width;                      // pixels
  Bounds height;                     // pixels
  Bounds ratio;                      // width / height
  Bounds duration;                   // seconds, of one file
  Bounds total_duration;             // seconds, of all files of the field together
  Bounds frame_rate;                 // frames a second
  bool similar_formats = false;      // the list of formats is not complete (§2.3: "and similar")

  bool empty() const;
  // For people: "jpeg, png; below 30 MB; 2 to 15 seconds".
  std::string text() const;
};

}  // namespace genclip
