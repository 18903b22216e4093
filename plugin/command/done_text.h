// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a person is told once a clip is there, above all what this run has cost.
#pragma once

#include <string>

#include "plugin/generation/clip_status.h"

namespace genclip {

// Of a completed clip: "Done, task t-7, 12 credits." A cost that an earlier run has caused is told as such.
std::string done_text(const GenerationState &state);

}  // namespace genclip
