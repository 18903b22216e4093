// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a task asks to be rendered, worked out of the request and the model's defaults.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "examples/simulator/model_book.h"

namespace genclip::sim {

struct ClipOrder {
  bool image = false;
  std::string prompt;
  int seconds = 0;  // of a video
  int width = 0, height = 0;
  bool audio = false;
  int64_t seed = -1;

  auto operator<=>(const ClipOrder &) const = default;
};

// `request` is judged and under the canonical names.
ClipOrder clip_order(const Model &model, const Json &request);

}  // namespace genclip::sim
