// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Judges the value of one field by its row of the table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plugin/catalog/model_spec.h"

namespace genclip {

// What is wrong with the value, as a sentence; nullopt when nothing is. `taker` is who takes the field: a
// Model ID. Text limits and media references are judged elsewhere.
std::optional<std::string> value_problem(const FieldSpec &spec, const Json &value, std::string_view taker);

// Why some string in `value`, or some name in it, cannot be sent: not UTF-8, a NUL, or a number that is none.
std::optional<std::string> encoding_problem(const Json &value);

// What the field may be, for people: "4 to 15", "720p or 1080p", "0 to 9 items"; empty: anything of its type.
std::string allowed_text(const FieldSpec &spec);

}  // namespace genclip
