// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/clip_marks.h"

#include <glib.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>

namespace genclip::sim {
namespace {

// The bars: two rows of blocks over the whole width, between 60 % and 80 % of the height.
constexpr int kColumns = 20, kRows = 2;
constexpr double kTop = 0.6, kRowHeight = 0.1;
constexpr guint8 kBlack = 16, kWhite = 235;

// The tick: a burst under a Hann window.
constexpr double kTickBegin = 0.1, kTickLength = 0.01;  // s, behind the full second
constexpr double kTickFrequency = 2000, kTickPeak = 0.3;

// CRC-8 (polynomial 0x07, begun with 0xFF).
unsigned checksum(uint32_t bits) {
  unsigned sum = 0xFF;
  for (int shift = 24; shift >= 0; shift -= 8) {
    sum ^= bits >> shift & 0xFF;
    for (int i = 0; i < 8; ++i) sum = (sum << 1 ^ (sum & 0x80 ? 0x07 : 0)) & 0xFF;
  }
  return sum;
}

}  // namespace

unsigned clip_mark(const std::string &prompt) {
  const size_t digit = prompt.find_first_of("0123456789");
  if (digit != prompt.npos)
    return static_cast<unsigned>(std::strtoull(prompt.c_str() + digit, nullptr, 10) & 0xFFFF);
  return g_str_hash(prompt.c_str()) & 0xFFFF;
}

void draw_frame_mark(GstVideoFrame &frame, unsigned clip, uint64_t number) {
  const auto payload = static_cast<uint32_t>((clip & 0xFFFF) << 16 | (number & 0xFFFF));
  const uint64_t bits = uint64_t{payload} << 8 | checksum(payload);
  const int width = GST_VIDEO_FRAME_COMP_WIDTH(&frame, 0), height = GST_VIDEO_FRAME_COMP_HEIGHT(&frame, 0);
  const auto row_top = [&](int row) {
    return static_cast<int>(std::lround((kTop + kRowHeight * row) * height));
  };
  for (int row = 0; row < kRows; ++row) {
    for (int y = row_top(row); y < row_top(row + 1); ++y) {
      guint8 *line = static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                     ptrdiff_t{y} * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
      for (int x = 0; x < width; ++x) {
        const int block = row * kColumns + x * kColumns / width;
        line[x] = bits >> (kColumns * kRows - 1 - block) & 1 ? kWhite : kBlack;
      }
    }
  }
  // The bars have no colour.
  for (int component = 1; component < 3; ++component) {
    const int half = GST_VIDEO_FRAME_COMP_HEIGHT(&frame, component);
    for (int y = static_cast<int>(kTop * half); y < static_cast<int>((kTop + kRowHeight * kRows) * half); ++y)
      std::memset(static_cast<guint8 *>(GST_VIDEO_FRAME_COMP_DATA(&frame, component)) +
                      ptrdiff_t{y} * GST_VIDEO_FRAME_COMP_STRIDE(&frame, component),
                  128, static_cast<size_t>(GST_VIDEO_FRAME_COMP_WIDTH(&frame, component)));
  }
}

void add_ticks(float *samples, size_t frames, unsigned channels, uint64_t position, unsigned rate,
               unsigned delay) {
  const auto begin = static_cast<uint64_t>(kTickBegin * rate) - delay;
  for (size_t i = 0; i < frames; ++i) {
    const uint64_t in_second = (position + i) % rate;
    if (in_second < begin) continue;
    const double time = static_cast<double>(in_second - begin) / rate;
    if (time >= kTickLength) continue;
    const double window = 0.5 * (1 - std::cos(2 * std::numbers::pi * time / kTickLength));
    const double tick = kTickPeak * window * std::sin(2 * std::numbers::pi * kTickFrequency * time);
    for (unsigned channel = 0; channel < channels; ++channel)
      samples[i * channels + channel] += static_cast<float>(tick);
  }
}

}  // namespace genclip::sim
