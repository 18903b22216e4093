// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/vetting/gain.h"

#include <cmath>

#include "plugin/base/number.h"

namespace genclip {

Gain gain_for(const Loudness &loudness, double target_lufs, double true_peak_limit_db) {
  if (target_lufs == 0) return {};
  if (!loudness.lufs) return {0, "The sound is silent."};
  const double wanted = target_lufs - *loudness.lufs;
  const double room = true_peak_limit_db - loudness.true_peak_db;
  const auto limited = [&](double db, const std::string &why) {
    return Gain{db, "The gain of " + rounded_text(wanted, 1) + " dB is limited to " + rounded_text(db, 1) +
                        " dB" + why};
  };
  if (wanted > room && room <= kMaxGain)
    return limited(room, ": the true peak is " + rounded_text(loudness.true_peak_db, 1) + " dBTP.");
  if (wanted > kMaxGain) return limited(kMaxGain, ".");
  return {wanted, ""};
}

}  // namespace genclip
