// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a model says about the media it takes (§2.3, §2.4); plugin/task/media_check measures it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace genclip {

// A range of numbers; each end may be open, and may be in or out of the range.
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

// The service says MB and not which: the decimal one, as its unit says.
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
