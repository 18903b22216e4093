// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Work that cannot be ended, in a thread that nobody has to wait for.
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

// A codec at work on a large picture takes seconds, and has no way to be told to stop. So it works in a
// thread of its own, with references of its own; who waits for it can leave, and then what it made is
// dropped. One work at a time, those that were left included, so that not many large pictures are held at
// once. Threads: one runs, another leaves.
class DetachedWork {
 public:
  // Calls `work(GCancellable *)`, which must own all that it uses, and waits for what it returns. Nothing:
  // left, and the cancellable is cancelled.
  template <typename Work>
  auto run(Work work) -> std::optional<std::invoke_result_t<Work, GCancellable *>>;

  // Whoever waits in run() returns at once, and whoever comes, until enter().
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
    // What the work owns is gone before anybody is told that it is done: a process may exit then.
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
