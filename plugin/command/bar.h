// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The bar of a progress line.
#pragma once

#include <cstddef>
#include <string>

namespace genclip {

// Columns of a bar besides its `room`.
inline constexpr size_t kBesideBar = 11;

// "  [####------]   42 %", at most `room` columns between the brackets; empty if that is too narrow. `part`
// is from 0 to 1. An `amount` that is longer than a percentage takes its columns from the room.
std::string bar_text(size_t room, double part, std::string amount);

}  // namespace genclip
