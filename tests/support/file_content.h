// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a file holds, byte for byte.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace genclip::test {

// Empty when it cannot be read.
inline std::string content(const std::string &path) {
  const std::ifstream file(path, std::ios::binary);
  // Not byte by byte: tests are not optimized.
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

}  // namespace genclip::test
