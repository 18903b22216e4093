// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Validates the value of one field against its row of the table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plugin/catalog/model_spec.h"

namespace genclip {

// What is wrong with the value, as a sentence; nullopt when nothing is. `taker` is the Model ID that the
// sentence names. Text limits and media references are validated elsewhere.
std::optional<std::string> value_problem(const FieldSpec &spec, const Json &value, std::string_view taker);

// Why some part of `value` cannot be sent: a string or a name that is not UTF-8 or holds a NUL, or a number
// that is not finite.
std::optional<std::string> encoding_problem(const Json &value);

// The allowed values, for people: "4 to 15", "720p or 1080p", "0 to 9 items"; empty: anything of its type.
std::string allowed_text(const FieldSpec &spec);

}  // namespace genclip
