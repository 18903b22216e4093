// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The fragment of a genclip URI that stands as a reference: #last, #first or #t=SECONDS.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace genclip {

// Which part of a clip: the whole result, or one frame of it.
struct ClipPart {
  bool is_frame = false;
  // When the frame is displayed, to the millisecond. Unset: the last frame; 0: the first.
  std::optional<std::chrono::nanoseconds> time;
  // In one spelling, because it becomes part of a clip's identity: "", "last", "first" or "t=2.5".
  std::string fragment;

  friend bool operator==(const ClipPart &, const ClipPart &) = default;
};

// `fragment` is what follows the "#"; empty: the whole result. Nothing for any other text.
std::optional<ClipPart> clip_part(std::string_view fragment);

}  // namespace genclip
