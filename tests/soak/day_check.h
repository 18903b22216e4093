// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Compares what left a channel with what its as-run log says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/soak/day_watch.h"

namespace genclip::test {

struct Checked {
  uint64_t lines = 0, clips = 0, fallbacks = 0, slates = 0;
  uint64_t told = 0;      // Frames.
  uint64_t repeated = 0;  // Frames that show once more what the one before showed.
  std::vector<uint64_t> repeats;
  std::vector<std::string> wrong;
};
// Each line of the log against the pictures.
Checked check_log(const std::string &path, const DayWatch &watch);

struct Sounds {
  uint64_t expected = 0, lost = 0, stray = 0;
  int64_t most_apart = 0;
};
// Each frame that begins a second of a clip has its tick, and each tick its frame, unless frames near it came
// too late: `repeats`.
Sounds check_sound(DayWatch &watch, const std::vector<uint64_t> &repeats);

}  // namespace genclip::test
