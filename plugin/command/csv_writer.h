// SPDX-License-Identifier: LGPL-2.1-or-later
//
// CSV (RFC 4180) of what --json prints, for spreadsheets.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/json.h"

namespace genclip {

// A line of heads, and one of cells for each of `rows`, which are objects. `names` are the members that it
// shows. Lines end in CR LF. Texts are in one line; null and what a row has not is an empty cell. A text that
// a spreadsheet would take for a formula has a ' before it.
std::string csv_of(const std::vector<std::string> &names, const Json::Array &rows);

}  // namespace genclip
