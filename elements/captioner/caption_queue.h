// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Carries the schedule of captions out: what gencaption's threads share about captions, under one lock.
//
// Almost every decision depends on several captions at once: whether there is room, which request comes next,
// and whether a late caption still has a place. So each thread tells the schedule what has happened, or asks
// it what to do next, and does the slow work without the lock. The schedule calls no other code.
#pragma once

#include <gio/gio.h>

#include <functional>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "elements/captioner/caption_schedule.h"
#include "plugin/base/clock.h"
#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"

namespace genclip {

// What a worker has to do. Cancelled once nobody wants the answer any more.
struct Work {
  Question question;
  GRef<GCancellable> cancellable;
};

// Any thread.
class CaptionQueue {
  // Cancels when the lock is released, because cancelling calls handlers.
  struct Cancelled {
    ~Cancelled() {
      for (const auto &one : all) g_cancellable_cancel(one.get());
    }
    std::vector<GRef<GCancellable>> all;
  };

  // What has changed is spread at the end.
  template <typename Method, typename... Args>
  auto call(Cancelled &cancelled, Method method, Args &&...args) REQUIRES(mutex_) {
    struct Spread {
      ~Spread() NO_THREAD_SAFETY_ANALYSIS { queue.spread(cancelled); }
      CaptionQueue &queue;
      Cancelled &cancelled;
    } const spread{*this, cancelled};
    if constexpr (std::is_invocable_v<Method, CaptionSchedule &, Args..., Instant>)
      return std::invoke(method, schedule_, std::forward<Args>(args)..., Clock::system().now());
    else
      return std::invoke(method, schedule_, std::forward<Args>(args)...);
  }

  void spread(Cancelled &cancelled) REQUIRES(mutex_) {
    for (const uint64_t question : schedule_.take_cancelled())
      if (const auto found = works_.find(question); found != works_.end())
        cancelled.all.push_back(found->second);
    if (schedule_.take_changed()) changed_.notify_all();
  }

 public:
  // Tells the schedule what has happened: calls that method, with the time as its last argument if it takes
  // it.
  template <typename Method, typename... Args>
  auto tell(Method method, Args &&...args) EXCLUDES(mutex_) {
    Cancelled cancelled;
    MutexLock lock(mutex_);
    return call(cancelled, method, std::forward<Args>(args)...);
  }

  // Calls a method that returns a Next until it has an action, and waits in between.
  template <typename Method, typename... Args>
  auto await(Method method, Args &&...args) EXCLUDES(mutex_) {
    for (;;)
      if (auto action = look_once(method, args...)) return *std::move(action);
  }

  // The same, but empty after one wait: the caller has to look at other things, too.
  template <typename Method, typename... Args>
  auto look_once(Method method, Args &&...args) EXCLUDES(mutex_) {
    Cancelled cancelled;
    MutexLock lock(mutex_);
    auto next = call(cancelled, method, args...);
    std::optional<std::variant_alternative_t<0, decltype(next)>> action;
    if (auto *found = std::get_if<0>(&next))
      action = std::move(*found);
    else if (const auto until = std::get<WaitUntil>(next).time; until && cancelled.all.empty())
      changed_.wait_until(lock, *until);
    else if (cancelled.all.empty())
      changed_.wait(lock);
    return action;
  }

  // Empty: end the worker.
  std::optional<Work> next_work() EXCLUDES(mutex_) {
    return await([this](CaptionSchedule &schedule, Instant now)
                     REQUIRES(mutex_) -> Next<std::optional<Work>> {
                       const auto next = schedule.next_question(now);
                       if (const auto *wait = std::get_if<WaitUntil>(&next)) return *wait;
                       const auto &question = std::get<0>(next);
                       if (!question) return std::nullopt;
                       Work work{*question, GRef<GCancellable>::adopt(g_cancellable_new())};
                       works_[question->id] = work.cancellable;
                       return work;
                     });
  }
  void end_work(uint64_t question) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    works_.erase(question);
  }
  // Ends what the workers wait for. A question that has ended is not cancelled any more, while its worker
  // still lets go of the question's locks on the disk.
  void cancel_works() EXCLUDES(mutex_) {
    Cancelled cancelled;
    MutexLock lock(mutex_);
    for (const auto &[question, cancellable] : works_) cancelled.all.push_back(cancellable);
  }

  Flow flow() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return schedule_.flow();
  }
  CaptionStats stats() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return schedule_.stats();
  }

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  CaptionSchedule schedule_ GUARDED_BY(mutex_);
  std::map<uint64_t, GRef<GCancellable>> works_ GUARDED_BY(mutex_);  // by their questions
};

}  // namespace genclip
