// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What an element's properties set, and in which states each of them can change.
#pragma once

#include <utility>

#include "elements/property_table.h"
#include "plugin/base/mutex.h"

namespace genclip {

// Any thread. Its lock is a leaf as long as the functions that it is given lock nothing.
template <typename Told>
class ElementSettings {
 public:
  // Calls edit(Told &). False, and nothing has changed: the element runs, and a property of that access can
  // change in NULL and READY only.
  template <typename Edit>
  bool edit(Access access, Edit edit) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (running_ && access != Access::while_playing) return false;
    edit(told_);
    return true;
  }

  // What read(const Told &) makes of it.
  template <typename Read>
  auto read(Read read) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return read(std::as_const(told_));
  }
  Told get() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return told_;
  }

  // On the way to PAUSED: what holds for the run that begins.
  Told begin_run() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    running_ = true;
    return told_;
  }
  // On the way back to READY, and when a run could not begin.
  void end_run() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    running_ = false;
  }

 private:
  mutable Mutex mutex_;
  Told told_ GUARDED_BY(mutex_);
  bool running_ GUARDED_BY(mutex_) = false;
};

}  // namespace genclip
