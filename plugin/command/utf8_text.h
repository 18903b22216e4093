// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A file's bytes as the text that they should be.
#pragma once

#include <string_view>

namespace genclip {

inline constexpr const char *kNotUtf8 = "The text is not UTF-8. Save the file as UTF-8.";

// The line of the first fault, from 1; 0: the text is UTF-8 without NULs. Lines end with LF, CR LF, or CR.
unsigned line_that_is_not_utf8(std::string_view text);

}  // namespace genclip
