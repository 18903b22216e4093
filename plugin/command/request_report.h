// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reports why a request is refused.
#pragma once

#include <string>
#include <vector>

#include "plugin/catalog/check_request.h"
#include "plugin/catalog/clip_request.h"

namespace genclip {

// Prints the problems on standard error, with the element's texts (on a terminal one per line); with `json`
// also as JSON on standard output. Returns the exit code.
int report_problems(const std::vector<Problem> &problems, bool json);

// "Request: MODEL FIELD=VALUE…", on one line. The words can be given to a command again, and are the same
// request, unless "(not complete)" follows them, which no shell runs: without long values and signed URLs.
std::string request_line(const ClipRequest &request);

}  // namespace genclip
