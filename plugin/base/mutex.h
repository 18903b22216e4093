// SPDX-License-Identifier: LGPL-2.1-or-later
//
// std::mutex and std::condition_variable with the annotations that clang's -Wthread-safety checks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define GENCLIP_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define GENCLIP_THREAD_ANNOTATION(x)
#endif

#define CAPABILITY(x) GENCLIP_THREAD_ANNOTATION(capability(x))
#define SCOPED_CAPABILITY GENCLIP_THREAD_ANNOTATION(scoped_lockable)
#define GUARDED_BY(x) GENCLIP_THREAD_ANNOTATION(guarded_by(x))
#define PT_GUARDED_BY(x) GENCLIP_THREAD_ANNOTATION(pt_guarded_by(x))
#define ACQUIRED_BEFORE(...) GENCLIP_THREAD_ANNOTATION(acquired_before(__VA_ARGS__))
#define REQUIRES(...) GENCLIP_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) GENCLIP_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) GENCLIP_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) GENCLIP_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS GENCLIP_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace genclip {

class CondVar;

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex &mutex) ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() RELEASE() {}  // NOLINT(modernize-use-equals-default): the annotation needs a body.
  MutexLock(const MutexLock &) = delete;
  MutexLock &operator=(const MutexLock &) = delete;

  // Releases the lock for a call to the outside (to post a message, say); lock() takes it again.
  void unlock() RELEASE() { lock_.unlock(); }
  void lock() ACQUIRE() { lock_.lock(); }

 private:
  friend class CondVar;
  std::unique_lock<std::mutex> lock_;
};

// Waits in a loop that tests the condition: `while (!ready_) changed_.wait(lock);`
class CondVar {
 public:
  void wait(MutexLock &lock) { condition_.wait(lock.lock_); }

  // False when the time has come without a notification.
  bool wait_until(MutexLock &lock, std::chrono::steady_clock::time_point time) {
    return condition_.wait_until(lock.lock_, time) == std::cv_status::no_timeout;
  }

  void notify_all() { condition_.notify_all(); }
  // Only where any of those that wait will do.
  void notify_one() { condition_.notify_one(); }

 private:
  std::condition_variable condition_;
};

}  // namespace genclip
