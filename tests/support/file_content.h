// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a file holds, byte for byte.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace genclip::test {

// Empty when it cannot be read.
inline std::string content(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace genclip::test
