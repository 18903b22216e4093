// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads the text gateway's error object in every known shape (§7 documents none).
#pragma once

#include <optional>

#include "plugin/caption/content_wire.h"

namespace genclip {

// Reads `{"error": …}` (object, string, or JSON text inside `message`), `{"message": …}` beside a code, and
// `{"detail": …}`. Nothing when the document reports no error; null, {} and a code of 0 report none.
std::optional<ServiceFault> read_service_fault(const Json &document);

}  // namespace genclip
