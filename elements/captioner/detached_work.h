// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Runs work that cannot be stopped, in a thread that can be abandoned.
#pragma once

#include <gio/gio.h>

#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"

namespace genclip {

// A codec takes seconds for a large picture and cannot be stopped, but the change to NULL must be fast. So
// the codec runs in its own thread with its own references. The thread that waits for it can leave, and then
// the result is dropped. Only one work runs at a time, including abandoned ones, to limit the number of large
// pictures in memory. Threads: one calls run(), another leave() and enter().
class DetachedWork {
 public:
  // Calls `work(GCancellable *)`, which must own everything that it uses, and waits for its result. Empty:
  // leave() was called, and the cancellable is cancelled.
  template <typename Work>
  auto run(Work work) -> std::optional<std::invoke_result_t<Work, GCancellable *>>;

  // run() returns at once, for current and later callers, until enter().
  void leave() {
    MutexLock lock(state_->mutex);
    state_->left = true;
    state_->changed.notify_all();
  }
  void enter() {
    MutexLock lock(state_->mutex);
    state_->left = false;
  }

 private:
  struct State {
    Mutex mutex;
    CondVar changed;
    bool left GUARDED_BY(mutex) = false;
    bool busy GUARDED_BY(mutex) = false;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

template <typename Work>
auto DetachedWork::run(Work work) -> std::optional<std::invoke_result_t<Work, GCancellable *>> {
  using Made = std::optional<std::invoke_result_t<Work, GCancellable *>>;
  State &state = *state_;
  const auto made = std::make_shared<Made>();  // guarded by the state's mutex
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  MutexLock lock(state.mutex);
  while (state.busy && !state.left) state.changed.wait(lock);
  if (state.left) return std::nullopt;
  state.busy = true;
  lock.unlock();
  std::thread([state = state_, made, cancellable, work = std::move(work)]() mutable {
    // Destroy everything that the work owns before signalling the end, because the process may exit then.
    auto result = [&] {
      auto own = std::move(work);
      return std::move(own)(cancellable.get());
    }();
    MutexLock done(state->mutex);
    *made = std::move(result);
    state->busy = false;
    state->changed.notify_all();
  }).detach();
  lock.lock();
  while (!*made && !state.left) state.changed.wait(lock);
  if (*made) return std::move(*made);
  lock.unlock();
  g_cancellable_cancel(cancellable.get());
  return std::nullopt;
}

}  // namespace genclip
