// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/vetting/access_unit.h"

#include <string_view>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

// Some encoders pad a unit with zeros.
constexpr size_t kMostPadding = 8;

// Of the decoder configuration (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1), the byte with the size of lengths.
constexpr size_t kLengthOfH264 = 4, kLengthOfHevc = 21;

bool is_slice(bool is_hevc, uint8_t header) {
  return is_hevc ? (header >> 1 & 0x3F) < 32 : (header & 0x1F) >= 1 && (header & 0x1F) <= 5;
}

// Three bytes 0, 0, and 0 to 2, with more than padding behind them.
bool has_forbidden_sequence(std::span<const uint8_t> unit) {
  size_t end = unit.size();
  while (end > 0 && unit.size() - end < kMostPadding && unit[end - 1] == 0) --end;
  unsigned zeros = 0;
  for (size_t i = 0; i < end; ++i) {
    if (zeros >= 2 && unit[i] <= 2) return true;
    zeros = unit[i] == 0 ? zeros + 1 : 0;
  }
  return false;
}

}  // namespace

std::optional<UnitFormat> unit_format(const GstCaps *caps) {
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  const std::string_view type = gst_structure_get_name(structure);
  const bool is_hevc = type == "video/x-h265";
  const GValue *value = gst_structure_get_value(structure, "codec_data");
  const char *format = gst_structure_get_string(structure, "stream-format");
  if ((!is_hevc && type != "video/x-h264") || !value || !format || std::string_view(format) == "byte-stream")
    return std::nullopt;
  uint8_t byte = 0;
  if (gst_buffer_extract(gst_value_get_buffer(value), is_hevc ? kLengthOfHevc : kLengthOfH264, &byte, 1) != 1)
    return std::nullopt;
  return UnitFormat{is_hevc, (byte & 3U) + 1};
}

bool is_damaged(const UnitFormat &format, std::span<const uint8_t> picture) {
  while (!picture.empty()) {
    if (picture.size() < format.length_size) return true;
    size_t length = 0;
    for (const uint8_t byte : picture.first(format.length_size)) length = length << 8 | byte;
    picture = picture.subspan(format.length_size);
    if (length == 0 || length > picture.size()) return true;
    const auto unit = picture.first(length);
    if (is_slice(format.is_hevc, unit[0]) && has_forbidden_sequence(unit)) return true;
    picture = picture.subspan(length);
  }
  return false;
}

}  // namespace genclip
