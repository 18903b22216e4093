// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The thread of the outer generation sleeps while the inner one works on its own thread.
#include "plugin/generation/inner_clip.h"

#include "plugin/generation/generations.h"
#include "plugin/generation/request_identity.h"

namespace genclip {
namespace {

class InnerObserver final : public GenerationObserver {
 public:
  explicit InnerObserver(Generation &outer) : outer_(outer.weak_from_this()) {}

  void on_change(const GenerationState &state) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (state.version < state_.version) return;
    state_ = state;
    is_new_ = true;
    changed_.notify_all();
  }

  // May come while the outer one ends.
  void on_warning(const Error &warning) override {
    if (const auto outer = outer_.lock()) outer->warn(warning);
  }

  void wake() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    is_new_ = true;
    changed_.notify_all();
  }

  // The next state, or the last one again after wake().
  GenerationState wait() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!is_new_) changed_.wait(lock);
    is_new_ = false;
    return state_;
  }

 private:
  const std::weak_ptr<Generation> outer_;
  Mutex mutex_;
  CondVar changed_;
  bool is_new_ GUARDED_BY(mutex_) = false;
  GenerationState state_ GUARDED_BY(mutex_);
};

// Wakes the observer when the outer generation is cancelled. Lives as long as the wait.
class WakeOnCancel {
 public:
  WakeOnCancel(GCancellable *cancellable, InnerObserver &observer)
      : cancellable_(cancellable),
        handler_(g_cancellable_connect(cancellable, G_CALLBACK(wake), &observer, nullptr)) {}
  ~WakeOnCancel() { g_cancellable_disconnect(cancellable_, handler_); }
  WakeOnCancel(const WakeOnCancel &) = delete;
  WakeOnCancel &operator=(const WakeOnCancel &) = delete;

 private:
  static void wake(GCancellable *, InnerObserver *observer) { observer->wake(); }

  GCancellable *const cancellable_;
  const gulong handler_;
};

void show(Generation &outer, const GenerationState &inner, unsigned link) {
  outer.change([&](GenerationState &state) {
    state.status = ClipStatus::preparing;
    state.link = link;
    state.links = static_cast<unsigned>(count_links(*outer.job().request));
    state.progress = inner.status == ClipStatus::completed ? 100 : inner.progress;
    state.link_submits = inner.is_submitting();
    state.charged = state.charged || inner.charged;
  });
}

Error error_of(Generation &inner, const MediaReference &reference) {
  // The state is reported a moment before the error is set.
  const Interrupt never;
  const auto bytes = inner.clip().wait(0, UINT64_MAX, false, Interrupt::Watch(never));
  Error error = bytes ? Error{ErrorKind::failed, "It could not be generated."} : bytes.error();
  if (error.task_id.empty()) error.task_id = inner.state().task_id;
  error.text.insert(0, "The clip of " + reference.field + " (" + reference.clip->model() + "): ");
  return error;
}

}  // namespace

Result<InnerClip> make_inner_clip(Generation &outer, const MediaReference &reference, unsigned links_before) {
  const auto observer = std::make_shared<InnerObserver>(outer);
  const Joined joined =
      join_generation(job_of_inner(outer.job(), *reference.clip), outer.services(), observer);
  Generation &inner = *joined.generation;
  const auto own_links = static_cast<unsigned>(count_links(*reference.clip));
  observer->on_change(joined.state);
  inner.start([] {});
  GenerationState state;
  {
    const WakeOnCancel wake(outer.cancellable(), *observer);
    do {
      state = observer->wait();
      const bool is_preparing = state.status == ClipStatus::preparing && state.link > 0;
      show(outer, state, links_before + (is_preparing ? state.link : own_links));
    } while (state.status != ClipStatus::completed && state.status != ClipStatus::failed &&
             !g_cancellable_is_cancelled(outer.cancellable()));
  }
  inner.leave(observer.get());
  if (state.status == ClipStatus::completed)
    return InnerClip{joined.generation, state.clip_location, state.task_id};
  if (state.status == ClipStatus::failed) return error_of(inner, reference);
  return cancelled();
}

}  // namespace genclip
