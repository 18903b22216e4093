// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The known facts about one reference medium: from its headers, from its content, or from the request that
// will make it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace genclip {

// Unknown facts stay unset.
struct MediaFacts {
  // A media type, lower case, without parameters, such as "image/png". Empty: unknown.
  std::string media_type;
  // The Content-Type that came, if it does not tell the type: "binary/octet-stream". Empty: none came.
  std::string sent_type;
  std::optional<uint64_t> bytes;
  std::optional<double> width;  // pixels
  std::optional<double> height;
  std::optional<double> ratio;       // width / height, where only that is known
  std::optional<double> duration;    // seconds
  std::optional<double> longest;     // What it lasts at most, where only that is known.
  std::optional<double> frame_rate;  // frames a second
  // The media type in GStreamer's caps, such as "video/mpegts". Empty: unknown.
  std::string container;
  // What the content holds; unset when the content was not examined.
  std::optional<bool> has_picture;
  std::optional<bool> has_sound;
};

}  // namespace genclip
