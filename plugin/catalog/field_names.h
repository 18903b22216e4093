// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Recognises names that stand among the fields of a request and are none: keys, settings of genclip, and
// fields that are spelled otherwise. A model with open fields would be sent them, and paid.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plugin/base/json.h"
#include "plugin/catalog/catalog.h"

namespace genclip {

// True for api_key, API-KEY, token, headers.Authorization, user_password and their like (secret_words.h);
// ignores case, "-" and "_". Such a thing must not be in a URI or a request.
bool names_credential(std::string_view field);
// Whether a field is a key, or has one in an object or a list: {"headers": {"Authorization": "…"}}. The "key"
// of a piece of music ("C minor") does not count.
bool is_credential(std::string_view field, const Json &value);

// How a text says where a setting belongs.
enum class SettingPlace { property, option };

// True for the names that stand beside fields and are none: model, take, api.
bool is_request_name(std::string_view name);

// Says that `name` is a setting and not a field of a request, and where it belongs. Nothing for any other
// name, for a field that the model itself has, and for a common field. `model` may be null.
std::optional<std::string> misplaced_setting_text(const Catalog &catalog, const ModelSpec *model,
                                                  std::string_view name, SettingPlace place);
// The same; and names the field that is meant by another spelling of it, in case, "-", "_" and blanks; or
// says that the name has a blank at an end, or a control character.
std::optional<std::string> misplaced_name_text(const Catalog &catalog, const ModelSpec &model,
                                               std::string_view name);

}  // namespace genclip
