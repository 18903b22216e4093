// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/vetting/loudness.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace genclip {
namespace {

constexpr double kOffset = -0.691;     // BS.1770-4, formula 2.
constexpr double kAbsoluteGate = -70;  // LUFS
constexpr double kRelativeGate = -10;  // LU
constexpr size_t kBinsOfBlock = 4;     // Blocks of 400 ms begin each 100 ms.

double lufs_of(double mean_square) { return kOffset + 10 * std::log10(mean_square); }

double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

// The mean of those blocks that are above the gate; 0: there are none.
double mean_above(std::span<const double> blocks, double gate) {
  double sum = 0;
  size_t count = 0;
  for (const double block : blocks) {
    if (block <= 0 || lufs_of(block) <= gate) continue;
    sum += block;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

}  // namespace

// BS.1770-4, tables 1 and 2.
const LoudnessMeter::Biquad LoudnessMeter::kShelf{1.53512485958697, -2.69169618940638, 1.19839281085285,
                                                  -1.69065929318241, 0.73248077421585};
const LoudnessMeter::Biquad LoudnessMeter::kHighPass{1, -2, 1, -1.99004745483398, 0.99007225036621};

LoudnessMeter::LoudnessMeter() {
  // Phase p is the sound p quarters of a sample later than the middle of its taps.
  for (size_t p = 0; p < kPhases; ++p) {
    const double shift = static_cast<double>(p) / kPhases;
    double sum = 0;
    for (size_t tap = 0; tap < kTaps; ++tap) {
      const double x = static_cast<double>(tap) - (kTaps / 2.0 - 1) - shift;
      const double window = std::pow(std::cos(std::numbers::pi * x / kTaps), 2);
      phases_[p][tap] = static_cast<float>(sinc(x) * window);
      sum += phases_[p][tap];
    }
    for (float &tap : phases_[p]) tap = static_cast<float>(tap / sum);
  }
}

void LoudnessMeter::add(std::span<const float> interleaved) {
  for (size_t at = 0; at + kChannels <= interleaved.size();) {
    const size_t count = std::min(kBin - filled_, (interleaved.size() - at) / kChannels);
    for (size_t i = 0; i < count; ++i)
      for (size_t c = 0; c < kChannels; ++c) {
        const float sample = interleaved[at + i * kChannels + c];
        // A decoder of a damaged stream may put out anything.
        channels_[c].samples[kTaps + filled_ + i] = std::isfinite(sample) ? sample : 0;
      }
    filled_ += count;
    size_ += count;
    at += count * kChannels;
    if (filled_ < kBin) continue;
    bins_.push_back(bin_of(channels_, kBin));
    filled_ = 0;
  }
}

LoudnessMeter::Bin LoudnessMeter::bin_of(std::array<Channel, kChannels> &channels, size_t size) const {
  Bin bin{.size = size};
  for (Channel &channel : channels) {
    bin.peak = std::max(bin.peak, peak(channel, size));
    bin.energy += weighted_energy(channel, size);
    std::copy(channel.samples.begin() + static_cast<ptrdiff_t>(size),
              channel.samples.begin() + static_cast<ptrdiff_t>(size + kTaps), channel.samples.begin());
  }
  return bin;
}

double LoudnessMeter::weighted_energy(Channel &channel, size_t size) {
  // Transposed direct form II.
  auto [s1, s2, h1, h2] = channel.state;
  double energy = 0;
  for (size_t i = 0; i < size; ++i) {
    const double in = channel.samples[kTaps + i];
    const double shelved = kShelf.b0 * in + s1;
    s1 = kShelf.b1 * in - kShelf.a1 * shelved + s2;
    s2 = kShelf.b2 * in - kShelf.a2 * shelved;
    const double out = kHighPass.b0 * shelved + h1;
    h1 = kHighPass.b1 * shelved - kHighPass.a1 * out + h2;
    h2 = kHighPass.b2 * shelved - kHighPass.a2 * out;
    energy += out * out;
  }
  channel.state = {s1, s2, h1, h2};
  return energy;
}

float LoudnessMeter::peak(const Channel &channel, size_t size) const {
  float peak = 0;
  std::array<float, kBin> upsampled;
  for (const auto &taps : phases_) {
    std::fill_n(upsampled.begin(), size, 0.0F);
    // In this order, the compiler makes vectors of it.
    for (size_t tap = 0; tap < kTaps; ++tap) {
      const float *from = channel.samples.data() + 1 + tap;
      for (size_t i = 0; i < size; ++i) upsampled[i] += taps[tap] * from[i];
    }
    for (size_t i = 0; i < size; ++i) peak = std::max(peak, std::abs(upsampled[i]));
  }
  return peak;
}

Loudness LoudnessMeter::measure(uint64_t begin, uint64_t end) const {
  std::vector<Bin> bins = bins_;
  // What is left, and half of the filter's length behind it.
  auto channels = channels_;
  for (Channel &channel : channels)
    std::fill(channel.samples.begin() + static_cast<ptrdiff_t>(kTaps + filled_), channel.samples.end(), 0.0F);
  Bin rest = bin_of(channels, std::min(kBin, filled_ + kTaps / 2));
  rest.size = filled_;
  bins.push_back(rest);

  const auto bins_between = [&](uint64_t from, uint64_t to) {
    const size_t first = static_cast<size_t>(std::min<uint64_t>(from, bins.size()));
    const size_t last = end >= size_ ? bins.size() : static_cast<size_t>(to);
    return std::span<const Bin>(bins).subspan(first, std::max(first, last) - first);
  };
  const auto part = bins_between((begin + kBin - 1) / kBin, end / kBin);

  Loudness result;
  float peak = 0;
  for (const Bin &bin : bins_between(begin / kBin, (std::min(end, size_) + kBin - 1) / kBin))
    peak = std::max(peak, bin.peak);
  result.true_peak_db = 20 * std::log10(peak);

  std::vector<double> blocks;
  for (size_t i = 0; i + kBinsOfBlock <= part.size(); ++i) {
    const auto block = part.subspan(i, kBinsOfBlock);
    if (block.back().size < kBin) break;
    double energy = 0;
    for (const Bin &bin : block) energy += bin.energy;
    blocks.push_back(energy / (kBinsOfBlock * kBin));
  }
  if (blocks.empty()) {
    double energy = 0;
    uint64_t size = 0;
    for (const Bin &bin : part) {
      energy += bin.energy;
      size += bin.size;
    }
    if (size > 0) blocks.push_back(energy / static_cast<double>(size));
  }
  const double ungated = mean_above(blocks, kAbsoluteGate);
  if (ungated <= 0) return result;
  const double gate = std::max(kAbsoluteGate, lufs_of(ungated) + kRelativeGate);
  result.lufs = lufs_of(mean_above(blocks, gate));
  return result;
}

}  // namespace genclip
