// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the simulated model sees in a picture.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/result.h"

namespace genclip::sim {

struct SeenPicture {
  int width = 0;
  int height = 0;
  std::string colour;  // the name of its mean colour: black, grey, white, red, orange, …
};

// Decodes a JPEG with GStreamer. Fails if it is not a JPEG, or if there are bytes before or after it.
Result<SeenPicture> look_at_jpeg(std::string_view bytes);

// The closest of the names.
std::string colour_name(double red, double green, double blue);

}  // namespace genclip::sim
