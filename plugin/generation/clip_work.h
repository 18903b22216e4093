// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The way of one clip, step by step, on the generation's thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "plugin/base/clock.h"
#include "plugin/base/result.h"
#include "plugin/http/retry_policy.h"
#include "plugin/store/clip_folder.h"
#include "plugin/store/store_lock.h"
#include "plugin/task/task_client.h"

namespace genclip {

class Generation;

// One use, one thread. Borrows the generation, which must outlive it.
class ClipWork {
 public:
  explicit ClipWork(Generation &generation);

  // Success: the clip is stored, whole. Cancelled: everybody left.
  Result<void> run();

 private:
  Result<StoreLock> lock_folder(const ClipFolder &folder);
  Result<std::optional<ClipRecord>> find_record(ClipFolder &folder);
  Result<bool> serve_stored(ClipFolder &folder, const ClipRecord &record);
  Result<std::string> task_to_follow(ClipFolder &folder, const std::optional<ClipRecord> &found);
  Result<std::string> submit(ClipFolder &folder);
  Result<std::string> follow(const std::string &task_id);
  Result<std::string> clip_url_of(Task task, const std::string &task_id);
  Result<void> fetch(ClipFolder &folder, const std::string &url);
  Result<Task> query(const std::string &task_id, std::optional<Clock::Time> deadline);
  Result<void> save(ClipFolder &folder);
  void show(const Task &task);
  void warn(std::string text);
  Error task_failed(const Task &task) const;

  Generation &generation_;
  Clock &clock_;
  const RetryPolicy retries_;
  TaskClient tasks_;
  ClipRecord record_;
  bool is_new_ = false;  // This run submitted the task, and the service has not told of it since.
  bool warned_of_status_ = false;
  std::optional<Clock::Time> deadline_;
};

}  // namespace genclip
