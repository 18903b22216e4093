// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Works out from the request and the model's defaults what a task has to render.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "examples/simulator/model_book.h"
#include "plugin/base/gref.h"

namespace genclip::sim {

struct GivenPicture {
  std::string sha256;  // Empty: none was given.
  GRef<GBytes> bytes;  // A file such as PNG or JPEG.

  bool operator==(const GivenPicture &other) const { return sha256 == other.sha256; }
  auto operator<=>(const GivenPicture &other) const { return sha256 <=> other.sha256; }
};

struct ClipOrder {
  bool image = false;
  std::string prompt;
  int seconds = 0;  // of a video
  int width = 0, height = 0;
  bool audio = false;
  int64_t seed = -1;
  // Of a video.
  GivenPicture first_frame, last_frame;

  auto operator<=>(const ClipOrder &) const = default;
};

// The request's value; without one, the model's default; without that, the first allowed value. Null: none of
// these.
const Json *effective_value(const Model &model, const Json &request, const char *name);

// `request` is validated, and has canonical names.
ClipOrder clip_order(const Model &model, const Json &request);

}  // namespace genclip::sim
