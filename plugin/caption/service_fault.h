// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The error object of the text gateway, in every shape that was seen (§7 shows none).
#pragma once

#include <optional>

#include "plugin/caption/content_wire.h"

namespace genclip {

// Reads `{"error": …}` (object, string, or JSON text inside `message`), `{"message": …}` beside a code, and
// `{"detail": …}`. Nothing when the document reports no error; null, {} and a code of 0 report none.
std::optional<ServiceFault> read_service_fault(const Json &document);

}  // namespace genclip
