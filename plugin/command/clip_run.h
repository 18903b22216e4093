// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Runs one generation to its end, or until the user stops it.
#pragma once

#include <memory>
#include <optional>

#include "plugin/command/progress_line.h"
#include "plugin/generation/clip_plan.h"
#include "plugin/generation/generation.h"

namespace genclip {

struct RunEnd {
  GenerationState state;
  std::optional<Error> error;  // Nothing: the clip is stored.
  int signal = 0;              // The one that stopped it; 0: none.
  bool warned = false;         // Something was said on the way.
  bool amid_submit = false;    // Stopped without the answer: the process's exit would wait for it once more.
  std::shared_ptr<Generation> generation;  // Keeps the clip in the store.
};

// Blocks, with the main context iterating. SIGINT, SIGTERM and SIGHUP end the run; one that is submitting
// waits for the answer first, as the task's ID is worth money, until a second signal.
RunEnd run_clip(ClipPlan plan, ProgressLine &progress);

}  // namespace genclip
