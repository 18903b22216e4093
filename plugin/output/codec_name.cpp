// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/codec_name.h"

#include <glib.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"

namespace genclip {
namespace {

struct Profile {
  const char *media_type, *profile;
  const char *begin;   // Of the name, up to the level.
  int level_unit;      // What one level is in the name.
  const char *format;  // Of the level.
};

constexpr Profile kProfiles[] = {
    {"video/x-h264", "constrained-baseline", "avc1.42e0", 10, "%02x"},
    {"video/x-h264", "baseline", "avc1.4200", 10, "%02x"},
    {"video/x-h264", "main", "avc1.4d40", 10, "%02x"},
    {"video/x-h264", "high", "avc1.6400", 10, "%02x"},
    {"video/x-h264", "high-10", "avc1.6e00", 10, "%02x"},
    {"video/x-h264", "high-4:2:2", "avc1.7a00", 10, "%02x"},
    {"video/x-h265", "main", "hvc1.1.6.L", 30, "%d.B0"},
    {"video/x-h265", "main-10", "hvc1.2.4.L", 30, "%d.B0"},
};

}  // namespace

std::string codec_name(const GstCaps *caps) {
  if (!caps || gst_caps_get_size(caps) == 0) return "";
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  const char *profile = gst_structure_get_string(structure, "profile");
  const char *level = gst_structure_get_string(structure, "level");
  const auto row = std::ranges::find_if(kProfiles, [&](const Profile &each) {
    return gst_structure_has_name(structure, each.media_type) && g_strcmp0(profile, each.profile) == 0;
  });
  const auto number = level ? parse_number<double>(level) : std::nullopt;
  if (row == std::end(kProfiles) || !number) return "";
  const GStringPtr end(
      g_strdup_printf(row->format, static_cast<int>(std::lround(*number * row->level_unit))));
  return std::string(row->begin) + end.get();
}

}  // namespace genclip
