// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One clip on its way, shared by all elements that want it: submit, poll, download, stored.
#pragma once

#include <gio/gio.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "plugin/generation/clip_status.h"
#include "plugin/generation/generation_job.h"
#include "plugin/generation/growing_clip.h"
#include "plugin/store/store_lock.h"

namespace genclip {

// Called on the generation's thread, with no lock held.
class GenerationObserver {
 public:
  virtual ~GenerationObserver() = default;
  virtual void on_change(const GenerationState &state) = 0;
  virtual void on_warning(const Error &warning) = 0;
};

// Thread-safe. The work runs on a thread of its own that keeps this alive, so that nobody waits for it to
// end.
class Generation : public std::enable_shared_from_this<Generation> {
 public:
  Generation(GenerationJob job, GenerationServices services);

  // Everybody who joined calls it, with no lock held; the first call counts. A stored clip is there when it
  // returns, which takes some reads of the disk; everything else happens on the work's own thread, after
  // `unless_stored`.
  void start(const std::function<void()> &unless_stored);

  // The state at the moment of joining; later ones go to the observer. Nothing: it has failed or is being
  // left, so start another one.
  std::optional<GenerationState> join(std::shared_ptr<GenerationObserver> observer) EXCLUDES(mutex_);
  // The last one to leave stops the local work; the task stays with the service. Never waits.
  void leave(const GenerationObserver *observer) EXCLUDES(mutex_);

  GenerationState state() const EXCLUDES(mutex_);
  GrowingClip &clip() { return clip_; }

  // For the work.
  const GenerationJob &job() const { return job_; }
  const GenerationServices &services() const { return services_; }
  GCancellable *cancellable() const { return cancellable_.get(); }
  // Tells nobody when the edit changes nothing.
  void change(const std::function<void(GenerationState &)> &edit) EXCLUDES(mutex_);
  void warn(const Error &warning) EXCLUDES(mutex_);
  // Keeps the clip in the store as long as this lives.
  void hold(std::optional<StoreLock> use) EXCLUDES(mutex_);

 private:
  using Observers = std::vector<std::shared_ptr<GenerationObserver>>;

  void run();

  const GenerationJob job_;
  const GenerationServices services_;
  const GRef<GCancellable> cancellable_;
  GrowingClip clip_;
  std::atomic_flag started_;

  mutable Mutex mutex_;
  GenerationState state_ GUARDED_BY(mutex_);
  Observers observers_ GUARDED_BY(mutex_);
  std::optional<StoreLock> use_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;  // Nobody can join any more.
};

}  // namespace genclip
