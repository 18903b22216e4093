// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Says why a request is refused.
#pragma once

#include <vector>

#include "plugin/catalog/check_request.h"

namespace genclip {

// On standard error, in the element's words, one problem a line on a terminal; with `json` also as JSON on
// standard output. Returns the exit code.
int report_problems(const std::vector<Problem> &problems, bool json);

}  // namespace genclip
