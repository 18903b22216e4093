// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/lock_wait.h"

#include <set>
#include <utility>

#include "plugin/base/mutex.h"

namespace genclip {
namespace {

constexpr auto kLong = std::chrono::seconds(5);
// Between two tries. Of various lengths, so that those who wait do not keep step.
constexpr int kLeastPauseMs = 2, kMostPauseMs = 12;
constexpr int kLongerPauses = 10;  // Times as long, once the wait has become a long one.

// Of those in this process that wait for a lock, one says so.
class Speaker {
 public:
  explicit Speaker(const std::string &path) : path_(path) {}
  Speaker(const Speaker &) = delete;
  Speaker &operator=(const Speaker &) = delete;
  ~Speaker() {
    if (!speaks_) return;
    MutexLock lock(all().mutex);
    all().paths.erase(path_);
  }

  // False: another one has.
  bool may_speak() {
    MutexLock lock(all().mutex);
    return speaks_ = all().paths.insert(path_).second;
  }

 private:
  struct All {
    Mutex mutex;
    std::set<std::string> paths GUARDED_BY(mutex);
  };
  static All &all() {
    static auto &all = *new All;  // Never destroyed: threads may outlive main().
    return all;
  }

  const std::string path_;
  bool speaks_ = false;
};

}  // namespace

Result<FileLock> wait_for_lock(const std::string &path, Clock &clock, GCancellable *cancellable,
                               const OnLockWait &on_wait, std::chrono::seconds patience) {
  const auto begin = clock.now();
  bool is_long = false;
  Speaker speaker(path);
  while (true) {
    if (g_cancellable_is_cancelled(cancellable)) return cancelled();
    auto lock = FileLock::try_lock(path);
    if (!lock) return std::move(lock).error();
    if (*lock) return std::move(**lock);
    const auto waited = clock.now() - begin;
    if (waited >= patience)
      return Error{ErrorKind::busy, "Another process has held " + path + " for " +
                                        std::to_string(patience.count()) +
                                        " s. Run again when it has ended."};
    if (waited >= kLong && !std::exchange(is_long, true) && on_wait && speaker.may_speak())
      on_wait("Waiting for " + path + ", for up to " + std::to_string(patience.count()) +
              " s: another process has locked it. If that was on a machine that has died, the file server "
              "drops the lock when its lease ends (NFS: after 90 s, unless set otherwise).");
    const int pause = g_random_int_range(kLeastPauseMs, kMostPauseMs) * (is_long ? kLongerPauses : 1);
    if (!clock.sleep_until(clock.now() + std::chrono::milliseconds(pause), cancellable)) return cancelled();
  }
}

}  // namespace genclip
