// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Converts the texts of a URI to values of the types that the catalog says, and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/catalog/model_spec.h"

namespace genclip {

// The text as a value of that type (for a media field, as one item). A text that does not fit stays a string.
// With `any`, a text that is JSON (7.5, true, {"a":1}) is read as JSON, and any other is a string. Fails for
// JSON that would be sent as another value: a NUL, half a surrogate pair, a key twice, a number out of range.
Result<Json> value_of_text(FieldType type, const std::string &text);

// What JSON it may be meant as, to look for what must not stand in it.
Json tolerant_value(const std::string &text);

// The texts that read back as `value`, one for each time that the field is written.
std::vector<std::string> texts_of_value(FieldType type, const Json &value);

// Adds a further value of a field. False when the field takes only one.
bool add_value(FieldType type, Json value, Json &into);

}  // namespace genclip
