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
  std::optional<Error> error;              // Nothing: the clip is stored.
  int signal = 0;                          // The signal that stopped it; 0: none.
  bool warned = false;                     // There were warnings.
  bool amid_submit = false;                // Stopped before the answer to the submit.
  std::shared_ptr<Generation> generation;  // Keeps the clip in the store.
};

// Blocks and iterates the main context. SIGINT, SIGTERM and SIGHUP end the run. During a submit it first
// waits for the answer, because the task's ID is worth money; a second signal ends that wait.
RunEnd run_clip(ClipPlan plan, ProgressLine &progress);

}  // namespace genclip
