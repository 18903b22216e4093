// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A GstStructure as JSON: nested structures are objects, arrays and lists are arrays, a string without a text
// is null.
#pragma once

#include <gst/gst.h>

#include "plugin/base/gref.h"
#include "plugin/base/json.h"

namespace genclip {

Json json_of(const GValue *value);
// An object of the structure's fields; its name is dropped.
Json json_of(const GstStructure *structure);

// The reverse: a structure named "params". Null for an object without members.
StructurePtr structure_of(const Json &object);

}  // namespace genclip
