// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Identifies the boot of this machine. Distinguishes the crash of a process from a power cut, and one machine
// from another.
#pragma once

#include <string>

namespace genclip {

// Empty when the system does not tell; then nothing counts as written during this boot.
std::string current_boot();

}  // namespace genclip
