// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The answers that the store keeps, for the workers.
//
// A disk may hang for hours, so it is used on disk threads, and only the workers wait for it, as they wait
// for the gateway.
#pragma once

#include <gio/gio.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/error.h"
#include "plugin/base/file_system.h"
#include "plugin/base/mutex.h"
#include "plugin/caption/content_client.h"
#include "plugin/store/question_locks.h"

namespace genclip {

// Whether other runs may have this answer too. Not if it is empty, has broken off, or ends for another reason
// than that all was said: another try may do better. And not if it repeats the key, which must not be in the
// store.
bool is_worth_keeping(const ContentAnswer &answer, std::string_view api_key);

// Threads: the application begins a run; workers call the rest. Borrows both, which must outlive this and all
// disk threads.
class AnswerStore {
 public:
  explicit AnswerStore(FileSystem &files = FileSystem::posix(), Clock &clock = Clock::system())
      : files_(files), clock_(clock) {}

  // `folder`: the store's. Touches no disk.
  void begin(const std::string &folder) EXCLUDES(mutex_);

  enum class Use { noted, unnoted };
  // `key`: question_key(). Nothing if there is no answer that can be read, and once cancelled. A use that is
  // noted keeps the answer in the store for longer. One that is there and cannot be read now stays as it is:
  // unread() and problem() tell of it, and keep() does not replace it.
  std::optional<ContentAnswer> find(const std::string &key, Use use, GCancellable *cancellable)
      EXCLUDES(mutex_);
  // The warning to post, one in a run, where an answer to one of these is there and asked for again.
  std::optional<Error> unread(const std::vector<std::string> &keys) EXCLUDES(mutex_);

  // Held by whoever asks these questions until their answers are kept. Waits while somebody else does, for
  // two and a half minutes. Of nothing: the store cannot be locked, that time is over, or it is cancelled.
  std::shared_ptr<const QuestionLocks> lock(const std::vector<std::string> &keys,
                                            GCancellable *cancellable) const EXCLUDES(mutex_);
  // For whoever holds them: letting them go takes the disk. Once cancelled it does not wait for that.
  void let_go(std::shared_ptr<const QuestionLocks> locks, GCancellable *cancellable) const EXCLUDES(mutex_);

  // Why an answer to one of these would be paid for twice: it cannot be read, or none can be kept. In a run,
  // once it has found that answers can be kept it does not look again until one could not. Empty once
  // cancelled.
  std::optional<Error> problem(const std::vector<std::string> &keys, GCancellable *cancellable)
      EXCLUDES(mutex_);

  // The warning to post for `other`, which stands in the way of the ledger: mostly no answer can be kept
  // either, and that is the one warning of keep().
  std::optional<Error> warning_of(const Error &other, GCancellable *cancellable) EXCLUDES(mutex_);

  // For an answer that is not worth keeping, and is shown as it is: the warning to post, one in a run. Of one
  // that has a shortcoming, the caption's own warning tells.
  std::optional<Error> not_worth_keeping(const ContentAnswer &answer) EXCLUDES(mutex_);

  // On return the answer is durable. Once cancelled it does not wait for that. `locks`, which may be null,
  // are held until it is. Returns a warning to post: one in a run.
  std::optional<Error> keep(const std::string &key, const std::string &model, const ContentAnswer &answer,
                            std::shared_ptr<const QuestionLocks> locks, GCancellable *cancellable)
      EXCLUDES(mutex_);

 private:
  std::string folder() const EXCLUDES(mutex_);
  std::optional<Error> problem_of_writing(GCancellable *cancellable) EXCLUDES(mutex_);
  void note_unread(const std::string &key, const Error &error) EXCLUDES(mutex_);
  void forget_unread(const std::string &key) EXCLUDES(mutex_);
  std::optional<Error> unread_of(const std::vector<std::string> &keys) const EXCLUDES(mutex_);

  FileSystem &files_;
  Clock &clock_;
  mutable Mutex mutex_;
  std::string folder_ GUARDED_BY(mutex_);
  std::map<std::string, Error> unread_ GUARDED_BY(mutex_);  // by key
  bool has_warned_ GUARDED_BY(mutex_) = false;
  bool has_warned_of_unread_ GUARDED_BY(mutex_) = false;
  bool has_warned_of_unworthy_ GUARDED_BY(mutex_) = false;
  bool can_be_written_ GUARDED_BY(mutex_) = false;  // as far as was looked in this run
};

}  // namespace genclip
