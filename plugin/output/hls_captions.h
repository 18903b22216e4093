// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The texts of captions in HLS: segments of WebVTT, and the playlist that offers them beside the picture.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/output/caption_cues.h"

namespace genclip {

// What a segment of WebVTT has to say of its place in time. `begin`: of the segment's first picture, on the
// time line of its muxer. `to_muxer`: what must be added to the channel's running time to get that.
struct CaptionSegmentPlace {
  std::chrono::nanoseconds begin{};
  std::chrono::nanoseconds to_muxer{};
};

// A whole file. A cue that lasts longer than the segment is in each segment that it touches, with the same
// times, as RFC 8216 §3.5 asks for. X-TIMESTAMP-MAP is exact for each segment, because the 33 bits of a
// transport stream's timestamps begin anew after 26.5 hours.
std::string caption_segment_text(const std::vector<CaptionCue> &cues, const CaptionSegmentPlace &place);

// The multivariant playlist of one picture and its captions, if there are any. `bits_per_second`: the peak of
// picture and sound. `picture_codec`: codec_name(), or empty; the sound is AAC. `players_behind_s`: where
// players are asked to begin, in seconds before the end; 0: where they like.
std::string multivariant_text(std::string_view picture_playlist, std::string_view caption_playlist,
                              uint64_t bits_per_second, const std::string &picture_codec,
                              size_t players_behind_s = 0);

// The timestamp that mpegtsmux writes for that time of its input, in 1/90000 s, of 33 bits.
uint64_t muxed_timestamp(std::chrono::nanoseconds time);

}  // namespace genclip
