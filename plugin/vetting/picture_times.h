// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the times of frames say about frames that are missing: pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace genclip {

struct ShownFrame {
  std::chrono::nanoseconds begin{};
  std::chrono::nanoseconds length{};  // 0: the decoder does not know.
};

// All take frames in the order of their display.

// The interval that most frames have; nothing: there are too few frames, or their intervals vary.
std::optional<std::chrono::nanoseconds> usual_interval(const std::vector<ShownFrame> &frames);

// When the last frame ends; nothing: there is no frame.
std::optional<std::chrono::nanoseconds> picture_end(const std::vector<ShownFrame> &frames);

struct MissingFrames {
  size_t count = 0;
  std::chrono::nanoseconds first{};  // When the first of them would have begun.
};

// Frames that were left out between others, where nearly all have the usual interval.
std::optional<MissingFrames> gaps(const std::vector<ShownFrame> &frames);

// Those of `expected` (in order) that are not there.
std::optional<MissingFrames> missing(const std::vector<std::chrono::nanoseconds> &expected,
                                     const std::vector<ShownFrame> &frames);

}  // namespace genclip
