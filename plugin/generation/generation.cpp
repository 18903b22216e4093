// SPDX-License-Identifier: LGPL-2.1-or-later
//
// State and observers; the procedure itself is in clip_work.
#include "plugin/generation/generation.h"

#include <algorithm>
#include <thread>

#include "plugin/generation/clip_work.h"

namespace genclip {

Generation::Generation(GenerationJob job, GenerationServices services)
    : job_(std::move(job)),
      services_(std::move(services)),
      cancellable_(GRef<GCancellable>::adopt(g_cancellable_new())) {
  state_.model = job_.model;
  state_.task_id = job_.task_id;
}

void Generation::start(const std::function<void()> &unless_stored) {
  const bool is_first = !started_.test_and_set();
  if (is_first && ClipWork(*this).serve_stored()) return;
  unless_stored();
  if (!is_first) return;
  std::thread([self = shared_from_this()] { self->run(); }).detach();
}

void Generation::run() {
  auto done = ClipWork(*this).run();
  if (done) return;
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  if (done.error().kind != ErrorKind::cancelled)
    change([](GenerationState &state) { state.status = ClipStatus::failed; });
  clip_.fail(std::move(done).error());
}

std::optional<GenerationState> Generation::join(std::shared_ptr<GenerationObserver> observer) {
  MutexLock lock(mutex_);
  if (closed_) return std::nullopt;
  observers_.push_back(std::move(observer));
  return state_;
}

void Generation::leave(const GenerationObserver *observer) {
  MutexLock lock(mutex_);
  std::erase_if(observers_, [&](const auto &other) { return other.get() == observer; });
  if (!observers_.empty()) return;
  closed_ = true;
  lock.unlock();
  g_cancellable_cancel(cancellable_.get());
  lock.lock();
}

GenerationState Generation::state() const {
  MutexLock lock(mutex_);
  return state_;
}

void Generation::change(const std::function<void(GenerationState &)> &edit) {
  Observers observers;
  GenerationState state;
  {
    MutexLock lock(mutex_);
    state = state_;
    edit(state);
    if (state == state_) return;
    ++state.version;
    state_ = state;
    observers = observers_;
  }
  for (const auto &observer : observers) observer->on_change(state);
}

void Generation::warn(const Error &warning) {
  Observers observers;
  {
    MutexLock lock(mutex_);
    observers = observers_;
  }
  for (const auto &observer : observers) observer->on_warning(warning);
}

void Generation::hold(std::optional<StoreLock> use) {
  MutexLock lock(mutex_);
  use_ = std::move(use);
}

}  // namespace genclip
