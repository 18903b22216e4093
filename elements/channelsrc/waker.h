// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lets a thread wait for a time of the pipeline's clock, which other threads may cut short.
//
// The clock may be any, and N times as fast as the system's; so the waits are the clock's own.
#pragma once

#include <gst/gst.h>

#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"

namespace genclip {

enum class Waited { reached, woken, interrupted };

class Waker {
 public:
  // From here on, wake() ends the next wait, even if it comes before the wait begins.
  void arm() EXCLUDES(mutex_);
  // Until `time` of the clock, wake() or interrupt().
  Waited wait(GstClock *clock, GstClockTime time) EXCLUDES(mutex_);
  // Something came that an armed thread may wait for.
  void wake() EXCLUDES(mutex_);
  // Ends each wait at once until resume().
  void interrupt() EXCLUDES(mutex_);
  void resume() EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  GstClockID wait_ GUARDED_BY(mutex_) = nullptr;
  bool armed_ GUARDED_BY(mutex_) = false;
  bool woken_ GUARDED_BY(mutex_) = false;
  bool interrupted_ GUARDED_BY(mutex_) = false;
};

}  // namespace genclip
