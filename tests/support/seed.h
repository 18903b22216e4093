// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The seed of what tests do at random: the same in each run of the gate, another one in each run of the
// proof, which sets and prints GENCLIP_SEED.
#pragma once

#include <cstdlib>

namespace genclip::test {

inline unsigned test_seed() {
  const char *seed = std::getenv("GENCLIP_SEED");
  return seed != nullptr ? static_cast<unsigned>(std::strtoul(seed, nullptr, 10)) : 1;
}

}  // namespace genclip::test
