// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/copy_stream.h"

#include <gst/pbutils/pbutils.h>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

constexpr Parser kParsers[] = {{"video/x-h264", "h264parse", "h264timestamper"},
                               {"video/x-h265", "h265parse", "h265timestamper"},
                               {"video/x-av1", "av1parse"}};
constexpr Parser kAacParser = {"audio/mpeg", "aacparse"};

}  // namespace

Parser parser_of(const GstStructure *structure) {
  const std::string_view name = gst_structure_get_name(structure);
  for (const Parser &parser : kParsers)
    if (parser.name == name) return parser;
  const GValue *version = gst_structure_get_value(structure, "mpegversion");
  const bool is_aac = version && (!G_VALUE_HOLDS_INT(version) || g_value_get_int(version) == 4);
  return name == kAacParser.name && is_aac ? kAacParser : Parser{};
}

const char *pad_for(std::string_view name) {
  if (name.starts_with("video/") || name.starts_with("image/")) return "video_%u";
  if (name.starts_with("audio/")) return "audio_%u";
  return "subtitle_%u";
}

std::string description_of(const GstCaps *caps) {
  // Those of a transport stream leave some open.
  const GStringPtr text(gst_caps_is_fixed(caps) ? gst_pb_utils_get_codec_description(caps) : nullptr);
  return text ? text.get() : gst_structure_get_name(gst_caps_get_structure(caps, 0));
}

bool is_in_3d(const GstStructure *structure) {
  const char *mode = gst_structure_get_string(structure, "multiview-mode");
  return mode && std::string_view(mode) != "mono";
}

bool is_picture_name(std::string_view name) {
  return name.starts_with("video/") || name.starts_with("image/");
}

}  // namespace genclip
