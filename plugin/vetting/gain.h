// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which gain a clip gets.
#pragma once

#include <string>

#include "plugin/vetting/loudness.h"

namespace genclip {

inline constexpr double kMaxGain = 20;  // dB

struct Gain {
  double db = 0;
  std::string note;  // Why it is not what the loudness asks for; empty: it is.
};

// To the target (LUFS), but at most kMaxGain, and at most to that true peak (dBTP). A target of 0: no gain.
Gain gain_for(const Loudness &loudness, double target_lufs, double true_peak_limit_db);

}  // namespace genclip
