// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The catalog, with the user's own models.
#pragma once

#include "plugin/catalog/catalog.h"

namespace genclip {

// Catalog::shared(); the mistakes in the files of $GENCLIP_MODELS go to standard error, with file and line.
Catalog::Ptr known_models();

}  // namespace genclip
