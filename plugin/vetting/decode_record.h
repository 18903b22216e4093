// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What one decoding of media has found.
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plugin/vetting/loudness.h"
#include "plugin/vetting/picture_times.h"

namespace genclip {

struct DecodeRecord {
  bool has_demuxer = false;  // Otherwise a picture alone, for example.
  bool has_picture = false;
  bool has_sound = false;
  std::vector<ShownFrame> frames;  // As they came. All times are from the beginning of the media.
  // Pictures of H.264 and HEVC that went to the decoder and are to be shown; 0: another codec, or fields.
  size_t encoded = 0;
  // Those that came out with a flag, or that contradict their format.
  size_t damaged = 0;
  std::optional<std::chrono::nanoseconds> first_damaged;
  std::optional<std::chrono::nanoseconds> sound_begin, sound_end;
  // The last end of a frame or sound by the file's own clock, which need not begin at 0.
  std::chrono::nanoseconds own_end{};
  LoudnessMeter loudness;

  // Of the sound while there is a picture, from `begin` to `end`.
  Loudness loudness_between(std::chrono::nanoseconds begin, std::chrono::nanoseconds end) const;
};

}  // namespace genclip
