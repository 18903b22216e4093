// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The fields of a request that have a property.
//
// Each is one row of "common_fields" in models.json. The elements' properties, the words of the command, its
// help and its completion, URIs and docs/models.md are all made of these rows, so none of them names a field.
#pragma once

#include <string>
#include <string_view>

#include "plugin/catalog/catalog.h"
#include "plugin/catalog/clip_request.h"

namespace genclip {

// "aspect-ratio" for the field aspect_ratio.
std::string property_name(std::string_view field);

// Whether the property can hold a value of a request, which would otherwise be lost or cut.
bool has_room(const PropertySpec &property, const Json &value);

// The fields in the order of the catalog, others after them. So neither an error nor a URI depends on the
// order in which the properties were set.
Json in_order(const Catalog &catalog, Json fields);

// What setting a property does: sets the field, or erases it when the value is the one that stands for
// "unset" (null always does). The field is then no longer one that a URI named.
void set_request_field(const Catalog &catalog, const FieldSpec &field, Json value, ClipRequest &request);

// What setting the extra parameters does: replaces them all. None of them is then one that a URI named.
void set_extra_fields(Json extra, ClipRequest &request);

}  // namespace genclip
