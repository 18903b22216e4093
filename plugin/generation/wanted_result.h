// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is known of a request's result before an answer names it.
#pragma once

#include <optional>

#include "plugin/store/clip_record.h"
#include "plugin/task/clip_result.h"

namespace genclip {

// With the request's own URLs: as it was written, as it was `sent` (null: that is unknown), and, of what an
// earlier run has published, the names of the copies. `kind`: what its model makes.
WantedResult wanted_result(const ClipRecord &record, std::optional<ResultKind> kind, const Json &sent = {});

}  // namespace genclip
