// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads the marks of clips that the simulator rendered (docs/simulator.md, Marks), and makes other media with
// the same marks.
#pragma once

#include <gst/gst.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace genclip::test {

struct FrameMark {
  unsigned clip = 0;    // Modulo 2^16, as the number.
  unsigned number = 0;  // From 0.

  friend bool operator==(const FrameMark &, const FrameMark &) = default;
};

// `luma` (8 bits): of the clip's picture, without any border around it, 160×90 or larger. Nothing: there is
// no mark, or not for sure.
std::optional<FrameMark> read_frame_mark(const uint8_t *luma, ptrdiff_t stride, int width, int height);
// Of a whole frame in I420, NV12, GRAY8 or another format whose first plane is luma.
std::optional<FrameMark> read_frame_mark(GstSample *frame);

// Positions in a sound of one channel at which a second of a clip begins (the tick comes 0.1 s later), to
// about 0.1 ms. A tick is found if its peak is above `least`; the simulator's have 0.3, times the channel's
// gain.
std::vector<int64_t> find_seconds(std::span<const float> sound, unsigned rate, double least = 0.02);
// Of the first channel.
std::vector<int64_t> find_seconds(std::span<const int16_t> interleaved, unsigned channels, unsigned rate,
                                  double least = 0.02);

struct MarkedMedia {
  unsigned clip = 1;
  unsigned frames = 50;
  std::string rate = "25/1";
  std::string size = "width=320,height=180";
  std::string pattern = "ball";  // Of videotestsrc.
  // A part of a pipeline that ends with an encoded stream, and the muxer.
  std::string video = "x264enc speed-preset=ultrafast key-int-max=25 ! h264parse";
  std::string muxer = "mp4mux";
  // Empty: no sound. The encoder's delay is what it puts before the sound, in samples.
  std::string audio = "avenc_aac ! aacparse";
  unsigned audio_delay = 1024;
  double audio_seconds = 0;  // 0: as long as the picture.
  double tone = -20;         // Its peak, in dB of full scale.
  unsigned channels = 2;     // At 48 kHz.

  auto operator<=>(const MarkedMedia &) const = default;
};

// Writes a file. Throws when that is not possible.
void make_marked_media(const std::string &path, const MarkedMedia &media = {});
// A still; `encoder` is "pngenc", "jpegenc" or "webpenc".
void make_marked_still(const std::string &path, unsigned clip, const std::string &encoder = "pngenc",
                       const std::string &size = "width=320,height=180");

}  // namespace genclip::test
