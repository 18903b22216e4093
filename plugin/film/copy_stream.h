// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a stream of a film needs to stand in a copy.
#pragma once

#include <gst/gst.h>

#include <string>
#include <string_view>

namespace genclip {

// A container may want another form of the same stream; its parser converts it without decoding.
// MP4 also wants decoding times, which Matroska does not have.
struct Parser {
  std::string_view name;
  const char *factory = nullptr;
  const char *timestamper = nullptr;
};

Parser parser_of(const GstStructure *structure);

// The muxer's pads for a stream.
const char *pad_for(std::string_view name);

// For a person: "H.264 (High Profile)".
std::string description_of(const GstCaps *caps);

// Two pictures in one.
bool is_in_3d(const GstStructure *structure);

bool is_picture_name(std::string_view name);

}  // namespace genclip
