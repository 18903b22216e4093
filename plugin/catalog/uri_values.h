// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Values of a URI's fields: texts that get the type the catalog says, and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/catalog/model_spec.h"

namespace genclip {

// One text as a value of that type; a text that does not fit stays a string. Of a media field, its item.
// `any` reads JSON where it is JSON (7.5, true, {"a":1}), else it is a string; "5" in quotes is a string too.
Json value_of_text(FieldType type, const std::string &text);

// The texts that read back as `value`, one for each time that the field is written.
std::vector<std::string> texts_of_value(FieldType type, const Json &value);

// Adds a field's value once more. False when the field takes only one.
bool add_value(FieldType type, Json value, Json &into);

}  // namespace genclip
