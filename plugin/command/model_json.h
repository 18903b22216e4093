// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Models as JSON for scripts; docs/command.md describes it.
#pragma once

#include "plugin/base/json.h"
#include "plugin/catalog/catalog.h"

namespace genclip {

// A model without its fields.
Json model_summary_json(const ModelSpec &spec);
// A model with its fields, rules and remarks.
Json model_json(const ModelSpec &spec);
Json text_model_json(const TextModel &model);

// "low-cost" for the catalog's low_cost.
std::string name_of(TextModel::Variant variant);

}  // namespace genclip
