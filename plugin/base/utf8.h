// SPDX-License-Identifier: LGPL-2.1-or-later
//
// UTF-8 by GLib, of which some functions take no null pointer even for a text without a byte. A view of
// nothing has one.
#pragma once

#include <string_view>

#include "plugin/base/gref.h"

namespace genclip {

// A NUL is no character.
bool is_utf8(std::string_view text);

// With U+FFFD in place of what is not UTF-8. Never null.
GStringPtr valid_utf8(std::string_view text);

}  // namespace genclip
