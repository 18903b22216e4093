// SPDX-License-Identifier: LGPL-2.1-or-later
//
// State and observers; clip_work does the work.
#include "plugin/generation/generation.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "plugin/base/disk_thread.h"
#include "plugin/base/shown_text.h"
#include "plugin/generation/clip_work.h"
#include "plugin/generation/exit_guard.h"
#include "plugin/generation/generation_log.h"
#include "plugin/task/poll_schedule.h"

namespace genclip {
namespace {

// So often does a run choose a folder. What a folder was chosen for may be gone when the run has its lock.
constexpr int kMostFolders = 4;

void log_change(const std::string &clip, const GenerationState &before, const GenerationState &now) {
  const std::string task = now.task_id.empty() ? "" : ", task " + shown_line(now.task_id);
  if (now.status != before.status)
    GST_CAT_INFO(generation_category(), "%s: %s -> %s%s", clip.c_str(), to_word(before.status),
                 to_word(now.status), task.c_str());
  else
    GST_CAT_DEBUG(generation_category(), "%s: %s, %d %%%s", clip.c_str(), to_word(now.status), now.progress,
                  task.c_str());
}

}  // namespace

Generation::Generation(GenerationJob job, GenerationServices services)
    : job_(std::move(job)),
      services_(std::move(services)),
      log_name_(clip_log_name(job_.identity)),
      cancellable_(GRef<GCancellable>::adopt(g_cancellable_new())),
      identified_(job_.identified ? *job_.identified : identified_as(job_.identity)),
      poll_interval_(job_.poll_interval) {
  state_.model = job_.model;
  state_.task_id = job_.task_id;
}

Generation::~Generation() {
  // A function is copied, a lock is not.
  if (use_) on_disk_thread([use = std::make_shared<StoreLock>(std::move(*use_))] {});
}

void Generation::look() {
  if (!has_thread_.test_and_set()) on_disk_thread([self = shared_from_this()] { self->run(); });
}

void Generation::start(std::function<void()> unless_stored) {
  look();
  MutexLock lock(mutex_);
  if (has_looked_) {
    lock.unlock();
    unless_stored();
    lock.lock();
  } else {
    unless_stored_.push_back(std::move(unless_stored));
  }
  is_wanted_ = true;
  changed_.notify_all();
}

void Generation::end_look(bool is_stored) {
  std::vector<std::function<void()>> told;
  {
    MutexLock lock(mutex_);
    has_looked_ = true;
    told.swap(unless_stored_);
    changed_.notify_all();
  }
  if (is_stored) return;
  for (const auto &tell : told) tell();
}

bool Generation::wait_for_look(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (!has_looked_ && changed_.wait_until(lock, end)) {
  }
  return has_looked_;
}

bool Generation::wait_until_wanted() {
  MutexLock lock(mutex_);
  while (!is_wanted_ && !closed_) changed_.wait(lock);
  return !closed_;
}

void Generation::run() {
  GST_CAT_INFO(generation_category(), "%s: model %s, take %u, store %s%s%s", log_name_.c_str(),
               shown_line(job_.model).c_str(), job_.identity.take, job_.store.c_str(),
               job_.task_id.empty() ? "" : ", task ", shown_line(job_.task_id).c_str());
  auto identified = job_.identified ? Result<IdentifiedRequest>(*job_.identified)
                                    : identify_request(job_, services_, true, cancellable());
  bool is_stored = false;
  if (identified) {
    identified_ = std::move(*identified);
    if (identified_.has_older_folder)
      GST_CAT_INFO(generation_category(), "%s: is stored as %s, which is its name of an older version",
                   log_name_.c_str(), clip_log_name(identified_.identity).c_str());
    else if (!identified_.names.empty())
      GST_CAT_INFO(generation_category(), "%s: is, with the content of its references, %s", log_name_.c_str(),
                   clip_log_name(identified_.identity).c_str());
    // Not on the stack, whose pages would stay with this thread while it waits.
    is_stored = std::make_unique<ClipWork>(*this)->serve_stored();
    GST_CAT_INFO(generation_category(), "%s: %s", log_name_.c_str(),
                 is_stored ? "is served from the store" : "is not in the store");
  }
  end_look(is_stored);
  if (is_stored || !wait_until_wanted()) return;
  if (!identified) {
    const RunEnding ending = ending_of(Outcome::not_submitted, identified.error(), -1);
    return end(with_ending(std::move(identified).error(), ending));
  }
  if (auto done = work_in_its_folder(); !done) end(std::move(done).error());
}

// Since the look, another process may have made the clip, or removed it, and may do so until this run has the
// folder's lock.
Result<void> Generation::work_in_its_folder() {
  for (int times = 1;; ++times) {
    choose_folder(identified_, job_, services_);
    ClipWork work(*this);
    auto done = work.run();
    if (done || !work.has_lost_folder() || times == kMostFolders) return done;
    GST_CAT_INFO(generation_category(), "%s: nothing is left under its name of an older version",
                 log_name_.c_str());
  }
}

void Generation::end(Error error) {
  if (error.kind == ErrorKind::cancelled)
    GST_CAT_INFO(generation_category(), "%s: stopped, because nobody wants it any more", log_name_.c_str());
  else
    GST_CAT_WARNING(generation_category(), "%s: failed: %s", log_name_.c_str(), log_text(error).c_str());
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  if (error.kind != ErrorKind::cancelled) {
    change([](GenerationState &state) { state.status = ClipStatus::failed; });
    Observers observers;
    {
      MutexLock lock(mutex_);
      observers = observers_;
    }
    for (const auto &observer : observers) observer->on_failure(error);
  }
  clip_.fail(std::move(error));
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
  changed_.notify_all();
  const GRef<GCancellable> pause = pause_;
  lock.unlock();
  ExitGuard::look_again();
  g_cancellable_cancel(cancellable_.get());
  g_cancellable_cancel(pause.get());
  lock.lock();
}

void Generation::poll_also_for(std::chrono::milliseconds interval) {
  MutexLock lock(mutex_);
  const auto before = std::exchange(poll_interval_, shorter_interval(poll_interval_, interval));
  if (poll_interval_ == before) return;
  const GRef<GCancellable> pause = pause_;
  lock.unlock();
  g_cancellable_cancel(pause.get());
  lock.lock();
}

GRef<GCancellable> Generation::begin_pause() {
  MutexLock lock(mutex_);
  pause_ = GRef<GCancellable>::adopt(g_cancellable_new());
  // Who leaves from now on cancels it. Who has left before may be about to cancel the one before it.
  if (closed_) g_cancellable_cancel(pause_.get());
  return pause_;
}

std::chrono::milliseconds Generation::poll_interval() const {
  MutexLock lock(mutex_);
  return poll_interval_;
}

GenerationState Generation::state() const {
  MutexLock lock(mutex_);
  return state_;
}

void Generation::change(const std::function<void(GenerationState &)> &edit) {
  Observers observers;
  GenerationState before;
  GenerationState state;
  {
    MutexLock lock(mutex_);
    state = state_;
    edit(state);
    if (state == state_) return;
    ++state.version;
    before = std::exchange(state_, state);
    observers = observers_;
  }
  log_change(log_name_, before, state);
  for (const auto &observer : observers) observer->on_change(state);
}

void Generation::warn(const Error &warning) {
  GST_CAT_WARNING(generation_category(), "%s: %s", log_name_.c_str(), log_text(warning).c_str());
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
