// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads parts of a file, wherever it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace genclip {

// Up to `size` bytes at `offset`; fewer at the end, none beyond.
using ReadRange = std::function<std::string(uint64_t offset, size_t size)>;

}  // namespace genclip
