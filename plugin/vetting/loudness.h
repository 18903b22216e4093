// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Measures loudness and true peak as ITU-R BS.1770-4 says: pure arithmetic on samples.
//
// GStreamer could do parts of this (audioiirfilter, level, audioresample to 192 kHz), but the parts would
// need four elements on two branches, and the gating would still be ours. The measurement itself takes fewer
// lines.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace genclip {

struct Loudness {
  std::optional<double> lufs;  // Integrated. Nothing: silence, that is nothing above -70 LUFS.
  // dBTP; -infinity: digital silence.
  double true_peak_db = -std::numeric_limits<double>::infinity();
};

// Stereo at 48 kHz, in order. Keeps 100 ms, and two numbers for each 100 ms before.
class LoudnessMeter {
 public:
  static constexpr unsigned kRate = 48000;
  static constexpr unsigned kChannels = 2;

  LoudnessMeter();

  void add(std::span<const float> interleaved);
  // Pairs of samples so far.
  uint64_t size() const { return size_; }
  // Of the samples from `begin` to `end`, in pairs; both are rounded to 100 ms, for the peak outwards,
  // because the gain must hold for all that is played, and for the loudness inwards. Less than 400 ms are
  // measured as one block, without gates.
  Loudness measure(uint64_t begin = 0, uint64_t end = UINT64_MAX) const;

 private:
  static constexpr size_t kBin = kRate / 10;
  static constexpr size_t kTaps = 32;  // Of the filter of each phase.
  static constexpr size_t kPhases = 4;

  struct Bin {
    double energy = 0;  // Of both channels, after the K weighting: the sum of the squares.
    float peak = 0;
    uint64_t size = 0;
  };
  struct Biquad {
    double b0, b1, b2, a1, a2;
  };
  struct Channel {
    // The last samples of the bin before, and then this bin.
    std::array<float, kTaps + kBin> samples{};
    std::array<double, 4> state{};
  };

  static const Biquad kShelf, kHighPass;

  Bin bin_of(std::array<Channel, kChannels> &channels, size_t size) const;
  static double weighted_energy(Channel &channel, size_t size);
  float peak(const Channel &channel, size_t size) const;

  std::array<std::array<float, kTaps>, kPhases> phases_;
  std::array<Channel, kChannels> channels_;
  size_t filled_ = 0;  // Of the current bin.
  uint64_t size_ = 0;
  std::vector<Bin> bins_;
};

}  // namespace genclip
