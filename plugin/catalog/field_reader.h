// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads one field of a model from a catalog file; docs/adding-a-model.md describes every key.
#pragma once

#include <map>
#include <string>

#include "plugin/catalog/media_limits.h"
#include "plugin/catalog/member_reader.h"
#include "plugin/catalog/model_spec.h"

namespace genclip {

using MediaSets = std::map<std::string, MediaLimits, std::less<>>;

// `inherited` is the common field of that name, or null.
FieldSpec read_field(const std::string &name, const Json &json, const FieldSpec *inherited,
                     const MediaSets &sets, MistakeLog &log);

// A field that the elements have a property for.
FieldSpec read_common_field(const std::string &name, const Json &json, const MediaSets &sets,
                            MistakeLog &log);

// An object of limits, as in the section "media".
MediaLimits read_media_limits(const std::string &name, const Json &json, MistakeLog &log);

}  // namespace genclip
