// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One form for all requests that the service cannot tell apart.
#pragma once

#include "plugin/base/json.h"
#include "plugin/catalog/model_spec.h"

namespace genclip {

// The body of a checked request, as it counts for whether two requests are the same; it is never sent.
// - An optional field that has the default of the built-in catalog is left out. A default that is ever
// corrected
//   there gives other names to what was paid by the former one; see docs/adding-a-model.md.
// - The prompt and other documented texts are in Unicode's form NFC: an "é" is one character, however it was
//   typed.
// References, URLs and fields of which the service's document says nothing stay as they are.
Json meaning_of(const ModelSpec &model, const Json &body);

// What a request of that built-in model means by leaving the field out. Null: no document says it, it hangs
// on other fields, or the field is always sent.
const Json *meaning_of_unset(const ModelSpec &documented, std::string_view field);

}  // namespace genclip
