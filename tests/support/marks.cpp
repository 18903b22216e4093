// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Has its own description of the marks: code that is shared with the simulator would hide mistakes.
#include "tests/support/marks.h"

#include <gst/video/video.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace genclip::test {
namespace {

constexpr int kColumns = 20;
constexpr unsigned kDark = 90, kLight = 160;
constexpr double kTickBegin = 0.1, kTickLength = 0.01, kTickFrequency = 2000;

unsigned crc8(std::span<const uint8_t> bytes) {
  unsigned sum = 0xFF;
  for (const uint8_t byte : bytes) {
    sum ^= byte;
    for (int i = 0; i < 8; ++i) sum = sum & 0x80 ? (sum << 1 ^ 0x07) & 0xFF : sum << 1;
  }
  return sum;
}

// Correlates with a tick: how strong one is that begins at a place.
class TickFilter {
 public:
  explicit TickFilter(unsigned rate) : size_(static_cast<size_t>(kTickLength * rate)) {
    for (size_t i = 0; i < size_; ++i) {
      const double time = static_cast<double>(i) / rate, angle = 2 * std::numbers::pi * kTickFrequency * time;
      const double window = 1 - std::cos(2 * std::numbers::pi * time / kTickLength);
      const double scale = 2.0 / static_cast<double>(size_);
      sine_.push_back(window * std::sin(angle) * scale);
      cosine_.push_back(window * std::cos(angle) * scale);
    }
  }

  size_t size() const { return size_; }

  // The tick's peak.
  double at(std::span<const float> sound, size_t place) const {
    double sine = 0, cosine = 0;
    for (size_t i = 0; i < size_; ++i) {
      sine += sound[place + i] * sine_[i];
      cosine += sound[place + i] * cosine_[i];
    }
    return std::hypot(sine, cosine);
  }

 private:
  const size_t size_;
  std::vector<double> sine_, cosine_;
};

}  // namespace

std::optional<FrameMark> read_frame_mark(const uint8_t *luma, ptrdiff_t stride, int width, int height) {
  std::array<uint8_t, 5> bytes{};
  for (int block = 0; block < 2 * kColumns; ++block) {
    // The middle of the block.
    const auto x = [&](double part) {
      return static_cast<int>((block % kColumns + part) * width / kColumns);
    };
    const double row_top = block < kColumns ? 0.6 : 0.7;
    const auto y = [&](double part) { return static_cast<int>((row_top + 0.1 * part) * height); };
    unsigned sum = 0, count = 0;
    for (int line = y(0.3); line <= y(0.7); ++line)
      for (int column = x(0.3); column <= x(0.7); ++column, ++count) sum += luma[line * stride + column];
    const unsigned mean = sum / count;
    if (mean > kDark && mean < kLight) return std::nullopt;
    if (mean >= kLight) bytes[static_cast<size_t>(block / 8)] |= static_cast<uint8_t>(0x80 >> block % 8);
  }
  if (crc8(std::span(bytes).first(4)) != bytes[4]) return std::nullopt;
  return FrameMark{unsigned{bytes[0]} << 8 | bytes[1], unsigned{bytes[2]} << 8 | bytes[3]};
}

std::optional<FrameMark> read_frame_mark(GstSample *sample) {
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) ||
      !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ))
    return std::nullopt;
  const auto mark = read_frame_mark(static_cast<const uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)),
                                    GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0), GST_VIDEO_FRAME_WIDTH(&frame),
                                    GST_VIDEO_FRAME_HEIGHT(&frame));
  gst_video_frame_unmap(&frame);
  return mark;
}

std::vector<int64_t> find_seconds(std::span<const float> sound, unsigned rate, double least) {
  const TickFilter filter(rate);
  const size_t step = rate / 500, reach = rate / 200;
  std::vector<int64_t> found;
  if (sound.size() < filter.size()) return found;
  const size_t last = sound.size() - filter.size();
  for (size_t place = 0; place <= last; place += step) {
    if (filter.at(sound, place) < least) continue;
    size_t best = place;
    double peak = 0;
    for (size_t near = place > reach ? place - reach : 0; near <= std::min(last, place + 2 * reach); ++near) {
      const double strength = filter.at(sound, near);
      if (strength <= peak) continue;
      peak = strength;
      best = near;
    }
    found.push_back(static_cast<int64_t>(best) - static_cast<int64_t>(kTickBegin * rate));
    place = best + filter.size() * 2;
  }
  return found;
}

std::vector<int64_t> find_seconds(std::span<const int16_t> interleaved, unsigned channels, unsigned rate,
                                  double least) {
  std::vector<float> sound;
  for (size_t i = 0; i < interleaved.size(); i += channels)
    sound.push_back(static_cast<float>(interleaved[i]) / 32768);
  return find_seconds(sound, rate, least);
}

}  // namespace genclip::test
