// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Brings one clip into the store, on the generation's thread; serves a stored one on any thread.
//
// A clip costs money, and any step towards it may be the last one: the process is killed, the disk is full,
// the answer to the POST is lost. So what was learnt is written to the journal before the next step relies on
// it, and a later run decides from the journal alone. All decisions that can cost money are in one pure
// function, react() (core/clip_run.h), which tests explore exhaustively. This class takes the steps that
// react() names: it looks, asks, submits, polls and downloads, and reports each outcome back as an event.
//
// Only one process works on a clip at a time, under the writer's lock of the clip's folder. Others that want
// the same clip read its journal and its growing file meanwhile (ClipFollower), and take over when the lock
// is free, wherever the writer stopped.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/result.h"
#include "plugin/core/clip_run.h"
#include "plugin/generation/clip_account.h"
#include "plugin/generation/clip_follower.h"
#include "plugin/generation/exit_guard.h"
#include "plugin/generation/task_watch.h"
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

  // True: the wanted clip is stored and served. False: nothing has changed, and run() is needed.
  bool serve_stored();
  // Success: the whole clip is stored. ErrorKind::cancelled: all observers have left.
  Result<void> run();
  // run() has changed nothing: what its folder was chosen for is gone, and another one is to be chosen.
  bool has_lost_folder() const { return has_lost_folder_; }

 private:
  // clip_work.cpp: the store.
  Result<void> take_turn();
  Result<std::optional<StoreLock>> wait_for_turn();
  bool is_news(const ClipRecord &record) const { return follower_.has_seen_become(record); }
  Result<bool> serve_without_lock(const ClipRecord &record);
  Result<bool> serve_whole();
  Result<void> serve(const ClipRecord &record, std::shared_ptr<File> file, std::optional<StoreLock> use);
  Result<std::optional<ClipRecord>> read_journal();
  bool is_folder_empty(const TurnBegins &turn) const;
  Result<void> work_on(std::optional<ClipRecord> found);
  Result<void> take_step();
  Result<void> learn(const ClipEvent &event);
  void learn_if_possible(const ClipEvent &event);
  void show(const ClipView &view);
  Error shared_end() const;
  Result<void> fetch(std::vector<ResultUrl> urls);
  Result<void> serve_instead(Error missing);
  void note_further(const std::vector<ResultUrl> &further);
  Result<void> commit(const std::shared_ptr<File> &part, uint64_t size, const MediaContainer &container);
  void note_provenance();
  void make_room();
  Result<void> save();
  Result<void> save_intent();
  Result<void> come_back(Error lost);
  void save_if_possible();
  void warn(std::string text);
  const char *name() const;  // For the log.
  OnDamage tell_damage();

  // clip_work_task.cpp: the service.
  Result<void> look();
  Result<void> ask();
  Result<void> submit();
  Result<void> intend(std::optional<ExitGuard> &guard);
  Result<void> reserve(const std::optional<ClipRecord> &found);
  std::optional<ClipRecord> found_in_journal() const { return run_.is_of_ledger ? std::nullopt : run_.found; }
  Result<void> follow();
  bool is_successor() const { return has_looked_ && run_.whole; }
  Result<void> attach();
  Result<std::vector<ResultUrl>> poll(const std::string &task_id);
  Result<void> sleep_until_next_poll(const std::string &task_id);
  Result<std::vector<ResultUrl>> urls_of(const Task &task) const;
  std::optional<ResultKind> wanted_kind() const;
  Result<Task> query(const std::string &task_id, std::optional<Clock::Time> deadline);
  // The service has told this of the task that is followed.
  void hear(const Task &task);
  bool is_result_in_doubt(const Task &task) const;
  static TaskNews news_of(const Task &task, TaskCall call = TaskCall::query);
  ClipEvent answer_of(const Task &task) const;
  std::optional<Clock::Time> deadline_from_now() const;
  void warn_of_outage(TaskCall call, const Error &failure);
  void warn_of_other_model(const Task &task);
  Error unknown_task(const std::string &task_id, Error error) const;
  Error task_failed(const std::string &task_id, const std::string &message) const;
  Error stays_in_doubt() const;
  std::string not_in_store() const;
  Error stays_unsubmitted() const;
  Error lacks_key() const;

  Generation &generation_;
  Clock &clock_;
  const RetryPolicy retries_;
  TaskClient tasks_;
  ClipFolder folder_;
  ClipFollower follower_;
  ClipAccount account_;
  std::optional<StoreLock> lock_;  // Held during this run's turn.
  ClipRun run_;                    // What this run knows. Only react() changes what can cost money.
  ClipRecord &record_ = run_.record;
  std::string first_whole_;  // The task of the whole clip that the first look found.
  bool is_new_ = false;      // This run submitted the task, and the service has not reported it since.
  // When the task that is followed was submitted, until the service reports it. Nothing: too long ago.
  std::optional<Clock::Time> unreported_since_;
  std::optional<Task> told_at_submit_;  // It was completed at once, and the service may not know it later.
  bool takes_last_resort_ = false;      // Enough answers had nothing better.
  bool has_looked_ = false;             // At the task whose clip will replace one that was whole then.
  bool has_lost_folder_ = false;
  bool has_damage_ = false;  // Something in the folder was set aside, perhaps the journal.
  bool warned_of_status_ = false;
  bool warned_of_model_ = false;
  std::vector<UsedReference> references_;  // Of the submit.
  std::optional<Clock::Time> deadline_;
  std::optional<TaskWatch> watch_;  // Of the task that is followed.
  Outlook outlook_;                 // … as the last answer about it has it.
};

}  // namespace genclip
