// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The log category genclip-generation, and the texts of its lines.
#pragma once

#include <string>

#include "plugin/base/log.h"
#include "plugin/core/clip_run.h"

namespace genclip {

// "genclip-generation". Any thread. Each line begins with the clip's name, "clip " and the beginning of its
// folder's name. WARNING: a failure and what the user is warned of, INFO: a step, DEBUG: a turn of the
// download or of the polling, LOG: bytes.
GstDebugCategory *generation_category();

std::string clip_log_name(const ClipIdentity &identity);

// What happened, and what a run does next.
std::string event_text(const ClipEvent &event);
const char *step_text(ClipStep step);

}  // namespace genclip
