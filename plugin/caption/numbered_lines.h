// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads the answer to a question about numbered lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace genclip {

// The answer for each number from 1 to `count`, in any order; a line without a number belongs to the line in
// front of it, but behind the last number a blank line ends the answers. Numbers may be written [1], (1), 1.,
// 1), 1: or 1|, or in the way of Chinese (1、, 【1】), all in the same way, with the digits of any script. If
// a number lacks, comes twice, or is another one, all answers are empty: then it is not certain which line is
// the answer to which.
std::vector<std::string> read_numbered_lines(std::string_view text, size_t count);

// The line without that number at its beginning, if it is there.
std::string without_number(std::string_view line, size_t number);

}  // namespace genclip
