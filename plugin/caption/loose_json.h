// SPDX-License-Identifier: LGPL-2.1-or-later
//
// JSON as models write it: as JavaScript and Python print it, with a comma behind the last member, with line
// breaks inside of strings.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "plugin/base/json.h"

namespace genclip {

// All of the text. Empty where the quotation marks leave a doubt.
std::optional<Json> read_loose_json(std::string_view text);

// The object that begins at that brace; `end`: where it ends.
std::optional<Json> read_loose_object(std::string_view text, size_t begin, size_t &end);

}  // namespace genclip
