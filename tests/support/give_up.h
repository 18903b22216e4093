// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The end of a test program whose world cannot be made, where ASSERT cannot stand.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace genclip::test {

// Ends at once, with 1: threads that still run find all that they use.
[[noreturn]] inline void give_up(const std::string &why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace genclip::test
