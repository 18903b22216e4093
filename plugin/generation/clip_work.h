// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The way of one clip, step by step, on the generation's thread; a stored one on any.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "plugin/base/clock.h"
#include "plugin/base/result.h"
#include "plugin/generation/clip_follower.h"
#include "plugin/http/retry_policy.h"
#include "plugin/store/clip_folder.h"
#include "plugin/store/media_container.h"
#include "plugin/store/store_lock.h"
#include "plugin/task/task_client.h"

namespace genclip {

class Generation;

// One use, one thread. Borrows the generation, which must outlive it.
class ClipWork {
 public:
  explicit ClipWork(Generation &generation);

  // True: the clip is stored, as wanted, and is served. Else nothing has changed; then it takes a run.
  bool serve_stored();
  // Success: the clip is stored, whole. Cancelled: everybody left.
  Result<void> run();

 private:
  // clip_work.cpp: the store.
  Result<std::optional<StoreLock>> wait_for_turn();
  Result<bool> serve_without_lock(const ClipRecord &record);
  Result<void> serve(const ClipRecord &record, std::shared_ptr<File> file, std::optional<StoreLock> use);
  Result<std::optional<ClipRecord>> read_journal();
  bool is_usable(const ClipRecord &record) const;
  std::optional<Error> fate_of(const ClipRecord &record) const;
  Result<void> work_on(std::optional<ClipRecord> found);
  void put_behind(const ClipRecord &earlier);
  Result<void> fetch(const std::string &url);
  Result<void> commit(const std::shared_ptr<File> &part, uint64_t size, const MediaContainer &container);
  void make_room();
  Result<void> save();
  Result<void> come_back(Error lost);
  void save_if_possible();
  void give_up_task();
  void warn(std::string text);
  OnDamage tell_damage();

  // clip_work_task.cpp: the service.
  Result<std::string> attach();
  Result<std::string> submit();
  Result<std::string> follow(const std::string &task_id);
  Result<Task> query(const std::string &task_id, std::optional<Clock::Time> deadline);
  void show(const Task &task);
  Result<bool> knows(const ClipRecord &lost);
  Error lose_task(Error error);
  Error task_failed(const std::string &message) const;

  Generation &generation_;
  Clock &clock_;
  const RetryPolicy retries_;
  TaskClient tasks_;
  ClipFolder folder_;
  ClipFollower follower_;
  std::optional<StoreLock> lock_;  // While it is this one's turn.
  ClipRecord record_;              // As it is, or is about to be, on disk.
  bool is_new_ = false;            // This run submitted the task, and the service has not told of it since.
  // The user named the task, and the service has not told of it: what is in the journal stays until it does.
  bool is_unheard_of_ = false;
  bool warned_of_status_ = false;
  std::optional<Clock::Time> deadline_;
};

}  // namespace genclip
