// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which pictures of a window become its stills (stills=within).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace genclip {

// Positions of up to `count` of these times, spread evenly over them: of one, the middle. The times ascend,
// or descend. Pure.
std::vector<size_t> spread_stills(const std::vector<uint64_t> &times, size_t count);

}  // namespace genclip
