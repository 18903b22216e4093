// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads one model from a catalog file; docs/adding-a-model.md describes every key.
#pragma once

#include <vector>

#include "plugin/catalog/field_reader.h"
#include "plugin/catalog/member_reader.h"
#include "plugin/catalog/model_spec.h"

namespace genclip {

// Do not use the result when `log` has mistakes afterwards.
ModelSpec read_model(const Json &json, const std::vector<FieldSpec> &common_fields, const MediaSets &sets,
                     MistakeLog &log);

// The model `json`, completed by the members of `base` that it lacks (the key "like").
Json inherit(const Json &base, const Json &json);

}  // namespace genclip
