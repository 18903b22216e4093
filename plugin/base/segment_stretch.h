// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which stretch of its material a stream of known length plays.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>

namespace genclip {

// In nanoseconds of the stream's time.
struct Stretch {
  uint64_t begin = 0, end = 0;

  friend bool operator==(const Stretch &, const Stretch &) = default;
};

// `duration`: of the material in nanoseconds, 0 or less if it is unknown. Nothing: no end is known.
std::optional<Stretch> stretch_of(const GstSegment &segment, int64_t duration);

}  // namespace genclip
