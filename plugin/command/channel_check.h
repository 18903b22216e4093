// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip channel --check: every item of a rundown, validated and priced.
#pragma once

#include <string>

#include "plugin/catalog/run_settings.h"
#include "plugin/channel/preparer.h"

namespace genclip {

// Prints a table, or JSON; the problem of a rundown that cannot be used goes to standard error with its line.
// Sends nothing and needs no key. Returns the exit code: 1 if an item or the rundown is refused.
int check_channel(const std::string &rundown, const RunSettings &run, OnUnknown on_unknown, bool json);

}  // namespace genclip
