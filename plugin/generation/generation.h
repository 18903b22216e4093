// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The generation of one clip, from submit to the stored file, shared by all elements that want the clip.
#pragma once

#include <gio/gio.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "plugin/generation/clip_status.h"
#include "plugin/generation/generation_job.h"
#include "plugin/generation/growing_clip.h"
#include "plugin/generation/request_identity.h"
#include "plugin/store/store_lock.h"

namespace genclip {

// Called on the generation's thread, with no lock held.
class GenerationObserver {
 public:
  virtual ~GenerationObserver() = default;
  virtual void on_change(const GenerationState &state) = 0;
  virtual void on_warning(const Error &warning) = 0;
  // Why it failed, after the state has told that it did.
  virtual void on_failure(const Error &) {}
};

// Thread-safe. The work runs on a thread of its own, which keeps this object alive, so that no caller waits
// for its end. Everything that waits for the disk happens there or on further disk threads.
class Generation : public std::enable_shared_from_this<Generation> {
 public:
  Generation(GenerationJob job, GenerationServices services);
  // Releases the store's lock on another thread, because the caller may be an application that stops.
  ~Generation();
  Generation(const Generation &) = delete;
  Generation &operator=(const Generation &) = delete;

  // The next three are for observers that have joined. Call them with no lock held; none of them waits for
  // the disk or the network.
  // Makes the work's thread look for the clip in the store. Only the first call has an effect.
  void look();
  // Makes the work generate a clip that is not stored: submit, poll, download. Only the first call has an
  // effect. If the clip is not stored, calls `unless_stored`, on any thread, before any report about that
  // work.
  void start(std::function<void()> unless_stored) EXCLUDES(mutex_);
  // Waits for the end of the look, but no longer than `patience`. False: it has not ended.
  bool wait_for_look(std::chrono::milliseconds patience) EXCLUDES(mutex_);

  // The state at the moment of joining; later states go to the observer. Nothing: it has failed, or its last
  // observer has left, so start another one.
  std::optional<GenerationState> join(std::shared_ptr<GenerationObserver> observer) EXCLUDES(mutex_);
  // When the last observer leaves, the local work stops; the task stays with the service. Never waits.
  void leave(const GenerationObserver *observer) EXCLUDES(mutex_);

  // Another run of this process, with other options, wants the same clip, and one of the two will wait for
  // the other's work: from now on the shorter of all their intervals holds.
  void poll_also_for(std::chrono::milliseconds interval) EXCLUDES(mutex_);

  GenerationState state() const EXCLUDES(mutex_);
  GrowingClip &clip() { return clip_; }

  // For the work.
  const GenerationJob &job() const { return job_; }
  // The job's request by its content, which only the work's thread finds out. The job's own identity has
  // names of files and of other clips where this one has what they contain.
  const IdentifiedRequest &identified() const { return identified_; }
  const GenerationServices &services() const { return services_; }
  std::chrono::milliseconds poll_interval() const EXCLUDES(mutex_);
  // For a pause between two polls: cancelled with the work, and as soon as the interval becomes shorter than
  // it is from now on.
  GRef<GCancellable> begin_pause() EXCLUDES(mutex_);
  // How the log calls the clip.
  const std::string &log_name() const { return log_name_; }
  GCancellable *cancellable() const { return cancellable_.get(); }
  // Tells the observers, unless the edit changes nothing.
  void change(const std::function<void(GenerationState &)> &edit) EXCLUDES(mutex_);
  void warn(const Error &warning) EXCLUDES(mutex_);
  // Keeps the clip in the store as long as this lives.
  void hold(std::optional<StoreLock> use) EXCLUDES(mutex_);

 private:
  using Observers = std::vector<std::shared_ptr<GenerationObserver>>;

  Result<void> work_in_its_folder() EXCLUDES(mutex_);
  void run() EXCLUDES(mutex_);
  void end(Error error) EXCLUDES(mutex_);
  void end_look(bool is_stored) EXCLUDES(mutex_);
  // False: all observers have left.
  bool wait_until_wanted() EXCLUDES(mutex_);

  const GenerationJob job_;
  const GenerationServices services_;
  const std::string log_name_;
  const GRef<GCancellable> cancellable_;
  GrowingClip clip_;
  std::atomic_flag has_thread_;
  IdentifiedRequest identified_;  // For the work's thread alone.

  mutable Mutex mutex_;
  CondVar changed_;  // Signals the next three members and closed_.
  bool has_looked_ GUARDED_BY(mutex_) = false;
  bool is_wanted_ GUARDED_BY(mutex_) = false;
  std::vector<std::function<void()>> unless_stored_ GUARDED_BY(mutex_);  // Until the look is over.
  GenerationState state_ GUARDED_BY(mutex_);
  Observers observers_ GUARDED_BY(mutex_);
  std::optional<StoreLock> use_ GUARDED_BY(mutex_);
  std::chrono::milliseconds poll_interval_ GUARDED_BY(mutex_);
  GRef<GCancellable> pause_ GUARDED_BY(mutex_);  // The latest.
  bool closed_ GUARDED_BY(mutex_) = false;       // No observer can join any more.
};

}  // namespace genclip
