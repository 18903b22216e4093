// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/answer_store.h"

#include <memory>
#include <utility>

#include "elements/element_log.h"
#include "plugin/base/disk_thread.h"
#include "plugin/base/lock_wait.h"
#include "plugin/base/log.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/utc_time.h"
#include "plugin/caption/question_fault.h"
#include "plugin/generation/exit_guard.h"
#include "plugin/store/caption_answers.h"

namespace genclip {
namespace {

constexpr size_t kLongestReason = 40;

// The result of work on a disk thread, and its end.
template <typename Made>
class DiskResult {
 public:
  void set(Made made) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    made_ = std::move(made);
    changed_.notify_all();
  }
  // Nothing once it is cancelled.
  std::optional<Made> wait(GCancellable *cancellable) EXCLUDES(mutex_) {
    const auto wake = +[](GCancellable *, gpointer data) { static_cast<DiskResult *>(data)->wake(); };
    const gulong handler = g_cancellable_connect(cancellable, G_CALLBACK(wake), this, nullptr);
    std::optional<Made> made = wait_here(cancellable);
    g_cancellable_disconnect(cancellable, handler);
    return made;
  }

 private:
  void wake() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    changed_.notify_all();
  }
  std::optional<Made> wait_here(GCancellable *cancellable) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!made_ && !g_cancellable_is_cancelled(cancellable)) changed_.wait(lock);
    return std::exchange(made_, std::nullopt);
  }

  Mutex mutex_;
  CondVar changed_;
  std::optional<Made> made_ GUARDED_BY(mutex_);
};

// `work` owns what it uses, because it may go on after this has returned.
template <typename Work>
auto on_disk(Work work, GCancellable *cancellable) {
  const auto result = std::make_shared<DiskResult<decltype(work())>>();
  on_disk_thread([result, work = std::move(work)]() mutable { result->set(work()); });
  return result->wait(cancellable);
}

void log_not_kept(const Error &error) {
  GST_CAT_WARNING(gencaption_category(), "an answer is not kept: %s", log_text(error).c_str());
}

Error not_kept(const Error &why) {
  return {why.kind,
          "The answers of captions cannot be kept in the store, so the next run would pay for them again: " +
              why.text};
}

// Another user's file, too many open files, a disk that fails: a run that can read it pays for nothing.
bool is_unread(const Error &error) {
  return error.kind == ErrorKind::not_authorized || error.kind == ErrorKind::open_read ||
         error.kind == ErrorKind::read;
}

StoredAnswer stored(const std::string &model, const ContentAnswer &answer, int64_t now) {
  return {model,
          answer.text,
          answer.finish_reason,
          answer.prompt_tokens,
          answer.output_tokens,
          answer.total_tokens,
          now};
}

}  // namespace

bool is_worth_keeping(const ContentAnswer &answer, std::string_view api_key) {
  const bool is_whole = is_natural_end(answer.finish_reason) && !answer.cut_short && !answer.broken_off;
  const bool has_key = !api_key.empty() && answer.text.find(api_key) != answer.text.npos;
  return is_whole && !has_key && has_text(answer);
}

void AnswerStore::begin(const std::string &folder) {
  MutexLock lock(mutex_);
  folder_ = folder;
  unread_.clear();
  has_warned_ = has_warned_of_unread_ = has_warned_of_unworthy_ = can_be_written_ = false;
}

std::string AnswerStore::folder() const {
  MutexLock lock(mutex_);
  return folder_;
}

std::optional<ContentAnswer> AnswerStore::find(const std::string &key, Use use, GCancellable *cancellable) {
  auto found = on_disk(
      [&files = files_, folder = folder(), key, use] {
        auto answer = read_answer(files, folder, key);
        if (answer && use == Use::noted) note_use_of_answer(files, folder, key);
        return answer;
      },
      cancellable);
  if (!found) return std::nullopt;
  if (!*found) {
    const Error &error = found->error();
    if (error.kind != ErrorKind::not_found)
      GST_CAT_WARNING(gencaption_category(), "a kept answer is not used: %s", log_text(error).c_str());
    if (is_unread(error)) note_unread(key, error);
    return std::nullopt;
  }
  forget_unread(key);
  ContentAnswer answer;
  answer.text = (*found)->text;
  answer.finish_reason = (*found)->finish_reason;
  return answer;
}

void AnswerStore::note_unread(const std::string &key, const Error &error) {
  MutexLock lock(mutex_);
  unread_.insert_or_assign(
      key, Error{error.kind,
                 "An answer that the store keeps cannot be read, and asking again is paid for again: " +
                     error.text});
}

void AnswerStore::forget_unread(const std::string &key) {
  MutexLock lock(mutex_);
  unread_.erase(key);
}

std::optional<Error> AnswerStore::unread_of(const std::vector<std::string> &keys) const {
  MutexLock lock(mutex_);
  for (const std::string &key : keys)
    if (const auto found = unread_.find(key); found != unread_.end()) return found->second;
  return std::nullopt;
}

std::optional<Error> AnswerStore::unread(const std::vector<std::string> &keys) {
  auto error = unread_of(keys);
  MutexLock lock(mutex_);
  if (!error || std::exchange(has_warned_of_unread_, true)) return std::nullopt;
  return error;
}

// Between two looks whether somebody else has an answer now.
constexpr std::chrono::milliseconds kLookAgain{100};

std::shared_ptr<const QuestionLocks> AnswerStore::lock(const std::vector<std::string> &keys,
                                                       GCancellable *cancellable) const {
  const auto end = clock_.now() + kLockPatience;
  for (;;) {
    auto taken = on_disk(
        [&files = files_, folder = folder(), keys] {
          auto locks = QuestionLocks::take(files, folder, keys);
          return locks ? std::make_shared<QuestionLocks>(*std::move(locks)) : nullptr;
        },
        cancellable);
    if (taken && *taken) return *std::move(taken);
    const bool is_over = clock_.now() >= end;
    if (is_over) GST_CAT_WARNING(gencaption_category(), "somebody else has asked the same for very long");
    if (!taken || is_over || !clock_.sleep_until(clock_.now() + kLookAgain, cancellable))
      return std::make_shared<const QuestionLocks>();
  }
}

void AnswerStore::let_go(std::shared_ptr<const QuestionLocks> locks, GCancellable *cancellable) const {
  if (!locks || locks->empty()) return;
  on_disk(
      [locks = std::move(locks)]() mutable {
        const ExitGuard until_removed;
        locks = nullptr;
        return true;
      },
      cancellable);
}

std::optional<Error> AnswerStore::problem(const std::vector<std::string> &keys, GCancellable *cancellable) {
  if (auto error = unread_of(keys)) return error;
  return problem_of_writing(cancellable);
}

std::optional<Error> AnswerStore::problem_of_writing(GCancellable *cancellable) {
  {
    MutexLock lock(mutex_);
    if (can_be_written_) return std::nullopt;
  }
  auto tried = on_disk([&files = files_, folder = folder()] { return try_writing_answers(files, folder); },
                       cancellable);
  if (!tried) return std::nullopt;
  if (!*tried) return not_kept(tried->error());
  MutexLock lock(mutex_);
  can_be_written_ = true;
  return std::nullopt;
}

std::optional<Error> AnswerStore::warning_of(const Error &other, GCancellable *cancellable) {
  auto found = problem_of_writing(cancellable);
  if (!found) return other;
  found->text += " Nor is noted what captions use.";
  MutexLock lock(mutex_);
  return std::exchange(has_warned_, true) ? std::nullopt : std::move(found);
}

std::optional<Error> AnswerStore::not_worth_keeping(const ContentAnswer &answer) {
  if (shortcoming(answer)) return std::nullopt;
  MutexLock lock(mutex_);
  if (std::exchange(has_warned_of_unworthy_, true)) return std::nullopt;
  const std::string why = is_natural_end(answer.finish_reason)
                              ? "has the API key in its text"
                              : "ends with " + shown_line(answer.finish_reason, kLongestReason) +
                                    " and not with STOP, so it may not be whole";
  return Error{.kind = ErrorKind::failed,
               .text = "An answer " + why +
                       ". Such answers are shown, and not kept in the store, so another run pays for them "
                       "again. Another model may help.",
               .details = {{kCaptionShown, true}}};
}

std::optional<Error> AnswerStore::keep(const std::string &key, const std::string &model,
                                       const ContentAnswer &answer,
                                       std::shared_ptr<const QuestionLocks> locks,
                                       GCancellable *cancellable) {
  {
    MutexLock lock(mutex_);
    if (unread_.contains(key)) return std::nullopt;
  }
  const int64_t now = to_utc(clock_.wall_now()).time_since_epoch() / std::chrono::seconds(1);
  auto kept = on_disk(
      [&files = files_, folder = folder(), key, record = stored(model, answer, now),
       locks = std::move(locks)]() mutable {
        const ExitGuard until_written;
        auto written = write_answer(files, folder, key, record);
        if (!written) log_not_kept(written.error());
        locks = nullptr;
        return written;
      },
      cancellable);
  if (!kept || *kept) return std::nullopt;
  MutexLock lock(mutex_);
  can_be_written_ = false;
  if (std::exchange(has_warned_, true)) return std::nullopt;
  return not_kept(kept->error());
}

}  // namespace genclip
