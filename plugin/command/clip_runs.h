// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Runs many generations, some at once, to their ends or until the user stops them. clip_governor.h decides
// how many at once, and when the next may begin.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/error.h"
#include "plugin/command/clip_governor.h"
#include "plugin/generation/clip_plan.h"
#include "plugin/generation/generation.h"

namespace genclip {

struct ClipToRun {
  ClipPlan plan;
  std::string key;                 // That of its folder.
  std::vector<std::string> links;  // Keys of the clips that it needs.
  // Its clip is stored, or its task exists: it costs nothing more, so it begins first, and in a pause too.
  bool is_paid = false;
};

// How one of them ended.
struct ClipEnd {
  GenerationState state;
  std::optional<Error> error;              // Nothing: the clip is stored.
  std::shared_ptr<Generation> generation;  // Keeps the clip in the store, for as long as this is held.
};

// Called on the caller's thread. `index`: in the vector that was given.
class ClipRunsListener {
 public:
  virtual ~ClipRunsListener() = default;
  // Idle: it was refused for now, and begins again later. `charged` is then of the clips before it.
  virtual void on_change(size_t index, const GenerationState &state) = 0;
  virtual void on_warning(size_t index, const std::string &text) = 0;
  // The budget has no room for it: it begins again when another one has ended, or is left to another run. A
  // sentence or two.
  virtual void on_refused(size_t index, const std::string &text) = 0;
  // The last of a clip that began, unless a signal stopped it. In the order in which they end.
  virtual void on_end(size_t index, const ClipEnd &end) = 0;
  // Of all of them: the service refused for now, or no further clip begins. A sentence or two.
  virtual void on_notice(const std::string &text) = 0;
  // How many are made at once from now on; 0: no further clip begins.
  virtual void on_jobs(unsigned) {}
  // Once a second.
  virtual void on_second() {}
};

struct ClipRunsEnd {
  // Those that were never begun, or were refused for now: another run can do them. In their order.
  std::vector<size_t> pending;
  // Those that a signal stopped. Their tasks, if they have any, stay with the service.
  std::vector<size_t> stopped;
  std::optional<Error> pause;  // Why it paused: a spent budget or quota, or a service that keeps refusing.
  int signal = 0;              // The signal that stopped it; 0: none.
  bool amid_submit = false;    // Stopped before the answer to a submit: leave with _exit().
};

// How many of these files a limit of the store's size has removed since they were stored.
size_t gone_from_store(const std::vector<std::string> &clips);

// An ExitCode, or 128 plus the signal's number. `failed`: how many clips.
int exit_code_of(const ClipRunsEnd &end, size_t failed);

// Blocks and iterates the main context; GStreamer must have been initialised. SIGINT, SIGTERM and SIGHUP end
// the run. What several clips need stays in the store until the last of them has ended: a limit of the
// store's size would have it paid for again. During a submit it first waits for the answer, because the
// task's ID is worth money; a second signal ends that wait. With `jobs` 0: one at a time.
ClipRunsEnd run_clips(std::vector<ClipToRun> clips, const GovernorSettings &settings,
                      ClipRunsListener &listener);

}  // namespace genclip
