// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Finds damage in the pictures of H.264 and HEVC that a decoder would conceal. Any bytes are safe.
//
// A decoder fills the place of what it cannot decode with what was there before, and says nothing. But a
// range of zeros, which an interrupted copy or a bad disk leaves, contradicts the format itself: the lengths
// of the units (ISO/IEC 14496-15, 5.3.2) do not fit, or a unit contains a sequence that is never in one
// (ITU-T H.264, 7.4.1; H.265, 7.4.2).
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>
#include <span>

namespace genclip {

struct UnitFormat {
  bool is_hevc = false;
  unsigned length_size = 4;  // Bytes of the length before each unit.
};

// Nothing: it is another codec, or its units have no lengths.
std::optional<UnitFormat> unit_format(const GstCaps *caps);

bool is_damaged(const UnitFormat &format, std::span<const uint8_t> picture);

}  // namespace genclip
