// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The one thread of the process that touches libsoup.
#pragma once

#include <gio/gio.h>

#include <deque>
#include <functional>
#include <memory>

#include "plugin/base/mutex.h"

namespace genclip {

class IoThread {
 public:
  // Started at the first call. Never destroyed, because other threads may outlive main(). At exit it stops
  // before the libraries that it uses are torn down.
  static IoThread &get();

  // Runs `job` on the thread, in the order of the calls. Any thread.
  void post(std::function<void()> job) EXCLUDES(mutex_);

  // Keeps `object` until the last reference is gone, then destroys it on the thread.
  template <typename T>
  static std::shared_ptr<T> owned(T *object) {
    return std::shared_ptr<T>(object, [](T *last) { get().post([last] { delete last; }); });
  }

 private:
  struct JobSource;

  IoThread();
  void run();
  void stop() EXCLUDES(mutex_);
  bool has_jobs() EXCLUDES(mutex_);
  void run_jobs() EXCLUDES(mutex_);

  GMainContext *const context_;  // Neither is ever freed.
  GMainLoop *const loop_;

  Mutex mutex_;
  CondVar stopped_changed_;
  std::deque<std::function<void()>> jobs_ GUARDED_BY(mutex_);
  bool stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace genclip
