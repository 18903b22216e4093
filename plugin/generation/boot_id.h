// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The boot that the machine is in: tells the crash of a process from a power cut, and one machine from
// another.
#pragma once

#include <string>

namespace genclip {

// Empty when the system does not say: then nothing is taken to be of this boot.
std::string current_boot();

}  // namespace genclip
