// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One clip on its way, shared by all elements that want it: submit, poll, download, stored.
#pragma once

#include <gio/gio.h>

#include <atomic>
#include <chrono>
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
// end. All that waits for the disk is done there, or on other threads of that kind.
class Generation : public std::enable_shared_from_this<Generation> {
 public:
  Generation(GenerationJob job, GenerationServices services);
  // Gives the store's lock back elsewhere: who lets go may be an application that stops.
  ~Generation();
  Generation(const Generation &) = delete;
  Generation &operator=(const Generation &) = delete;

  // All of these: whoever has joined, with no lock held; they never wait for the disk nor the network.
  // Has the work's thread look for the clip in the store. The first call counts.
  void look();
  // A clip that is not stored is wanted: submit, poll, download. The first call counts. `unless_stored` is
  // called, by whichever thread, before anything is told that comes of it; not when the look finds the clip.
  void start(std::function<void()> unless_stored) EXCLUDES(mutex_);
  // Waits for the end of the look, no longer than that. False: it goes on.
  bool wait_for_look(std::chrono::milliseconds patience) EXCLUDES(mutex_);

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

  void run() EXCLUDES(mutex_);
  void end_look(bool is_stored) EXCLUDES(mutex_);
  // False: everybody has left.
  bool wait_until_wanted() EXCLUDES(mutex_);

  const GenerationJob job_;
  const GenerationServices services_;
  const GRef<GCancellable> cancellable_;
  GrowingClip clip_;
  std::atomic_flag has_thread_;

  mutable Mutex mutex_;
  CondVar changed_;  // The three that follow, and closed_.
  bool has_looked_ GUARDED_BY(mutex_) = false;
  bool is_wanted_ GUARDED_BY(mutex_) = false;
  std::vector<std::function<void()>> unless_stored_ GUARDED_BY(mutex_);  // Until the look is over.
  GenerationState state_ GUARDED_BY(mutex_);
  Observers observers_ GUARDED_BY(mutex_);
  std::optional<StoreLock> use_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;  // Nobody can join any more.
};

}  // namespace genclip
