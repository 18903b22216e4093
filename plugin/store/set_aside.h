// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Keeps a damaged or foreign file in the store under another name, and reports that.
#pragma once

#include <functional>
#include <string>

#include "plugin/base/file_system.h"

namespace genclip {

// Receives one or two sentences: what was found, and what was done about it.
using OnDamage = std::function<void(const std::string &what)>;

// Renames `path`, whatever it is, to the first free name of ClipPath::aside, durably.
Result<void> set_aside(FileSystem &files, const std::string &path, const std::string &why,
                       const OnDamage &on_damage);

}  // namespace genclip
