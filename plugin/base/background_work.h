// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What goes on after an element has let go of it: pipelines that decode, and jobs that make such pipelines.
//
// A change of state does not wait for a disk or a network, so these end in their own time. But gst_deinit()
// waits for streaming threads with a lock held that such a pipeline needs to end, and a program that ends
// like gst-launch-1.0 would then wait forever. So the last element of the process waits for this work.
#pragma once

#include <gst/gst.h>

#include "plugin/base/gref.h"

namespace genclip {

// Held by a job as long as it may make such pipelines.
class BackgroundWork {
 public:
  BackgroundWork();
  ~BackgroundWork();
  BackgroundWork(const BackgroundWork &) = delete;
  BackgroundWork &operator=(const BackgroundWork &) = delete;
};

// Counts as such work until it is destroyed.
GRef<GstElement> new_background_pipeline();

// An element whose work this is holds one. When the last one goes it waits until nothing goes on, but for no
// longer than a second in which nothing ends: a pipeline whose file hangs is left to its thread.
class BackgroundWorkUser {
 public:
  BackgroundWorkUser();
  ~BackgroundWorkUser();
  BackgroundWorkUser(const BackgroundWorkUser &) = delete;
  BackgroundWorkUser &operator=(const BackgroundWorkUser &) = delete;
};

}  // namespace genclip
