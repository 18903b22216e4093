// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Models as JSON for scripts; docs/command.md describes it.
#pragma once

#include "plugin/base/json.h"
#include "plugin/catalog/catalog.h"

namespace genclip {

// Without its fields.
Json model_summary_json(const ModelSpec &spec);
// All of it.
Json model_json(const ModelSpec &spec);
Json text_model_json(const TextModel &model);

const char *name_of(Api api);
const char *name_of(ResultKind kind);
const char *name_of(TextModel::Variant variant);

}  // namespace genclip
