// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Bytes that open and end like a clip, of any size, without an encoder.
#pragma once

#include <cstddef>
#include <string>

namespace genclip::test {

// An MP4 of exactly `size` bytes (at least 64): ftyp, moov, and an mdat of noise that `seed` decides. No
// player would play it.
std::string sample_mp4(size_t size, unsigned seed = 1);

// A PNG with that many bytes of data, which show nothing.
std::string sample_png(size_t size);

}  // namespace genclip::test
