// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Rules between the fields of one request.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/model_spec.h"

namespace genclip {

// `body` is the object of all fields that are set.
std::vector<Problem> rule_problems(const ModelSpec &spec, const Json &body);

// The rule in words, for people.
std::string rule_text(const Rule &rule);

}  // namespace genclip
