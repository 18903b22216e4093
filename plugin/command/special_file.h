// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Writes to a FIFO, a device or standard output. Whoever reads may come later, or never, so each wait for
// that can be ended.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "plugin/base/result.h"

namespace genclip {

// Not by name: a link to one is one, too. Such a file cannot be opened.
bool is_socket(const std::string &path);

// Calls `on_waiting` once, when a FIFO has no reader, or has had no room for a tenth of a second. Asks
// `is_stopped` about ten times a second while it waits; if so, fails with ErrorKind::cancelled.
Result<void> write_special(const std::string &path, std::string_view text,
                           const std::function<void()> &on_waiting, const std::function<bool()> &is_stopped);
// The same. Leaves the descriptor as it is, which other processes share.
Result<void> write_standard_output(std::string_view text, const std::function<void()> &on_waiting,
                                   const std::function<bool()> &is_stopped);

}  // namespace genclip
