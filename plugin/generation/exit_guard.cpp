// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An exit handler waits. For the signals that would end the process and that nobody handles there is a
// handler as long as there is a guard. It may interrupt any thread, also the one that waits for the answer,
// so it only wakes another one, which waits and then ends the process.
#include "plugin/generation/exit_guard.h"

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <thread>

#include "plugin/base/mutex.h"

namespace genclip {
namespace {

// A service answers a submit within a second or two. A hung one must not keep the user waiting.
constexpr auto kPatience = std::chrono::seconds(3);
constexpr int kEndings[] = {SIGINT, SIGTERM, SIGHUP};

// A signal handler may call it.
std::chrono::nanoseconds monotonic_time() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

struct Outstanding {
  Mutex mutex;
  CondVar changed;
  std::chrono::milliseconds patience GUARDED_BY(mutex) = kPatience;
  // These change under the mutex; the signal handler reads them.
  std::atomic<int> count = 0;
  std::atomic<pid_t> owner = 0;  // A forked child has the count, but not the threads.
  std::atomic<int> signal = 0;   // The first one that came.
  // When the first signal came. Minimum: none has.
  std::atomic<std::chrono::nanoseconds> end_began = std::chrono::nanoseconds::min();
  std::atomic<std::chrono::nanoseconds (*)()> clock = monotonic_time;
  sem_t has_signal = {};

  bool is_any() const { return count > 0 && owner == ::getpid(); }
  // Nothing: it begins now. Otherwise when it began.
  std::optional<std::chrono::nanoseconds> begin_end(std::chrono::nanoseconds now) {
    auto began = std::chrono::nanoseconds::min();
    if (end_began.compare_exchange_strong(began, now)) return std::nullopt;
    return began;
  }
};

Outstanding &outstanding() {
  static auto &all = *new Outstanding;  // Never destroyed: exit handlers and threads outlive main().
  return all;
}

void wait_for_answers() {
  Outstanding &all = outstanding();
  if (!all.is_any()) return;  // The mutex of a forked child may be locked for ever.
  MutexLock lock(all.mutex);
  const auto end = std::chrono::steady_clock::now() + all.patience;
  while (all.is_any() && all.changed.wait_until(lock, end)) {
  }
}

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

void end_after_signal() {
  sigset_t every;
  ::sigfillset(&every);
  ::pthread_sigmask(SIG_BLOCK, &every, nullptr);
  Outstanding &all = outstanding();
  while (::sem_wait(&all.has_signal) != 0 && errno == EINTR) {
  }
  wait_for_answers();
  set_handler(all.signal, SIG_DFL);
  ::kill(::getpid(), all.signal);  // This thread blocks it, so another one takes it.
}

// A second stop does what the first one would have done.
void delay(int signal) {
  Outstanding &all = outstanding();
  if (all.is_any()) {
    const auto now = all.clock.load()();
    const auto began = all.begin_end(now);
    if (!began) {
      all.signal = signal;
      ::sem_post(&all.has_signal);
    }
    if (!began || ExitGuard::is_same_stop(*began, now)) return;
  }
  set_handler(signal, SIG_DFL);
  std::raise(signal);
}

bool has_handler(int signal, void (*handler)(int)) {
  struct sigaction now = {};
  return ::sigaction(signal, nullptr, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == handler;
}

void delay_unhandled() {
  for (const int signal : kEndings)
    if (has_handler(signal, SIG_DFL)) set_handler(signal, delay);
}

void end_after_exit() {
  ExitGuard::look_again();
  wait_for_answers();
}

void register_once() {
  static const int registered = std::atexit(end_after_exit);
  static_cast<void>(registered);
}

// Once in a process, also in one that was forked.
void begin_process(Outstanding &all) {
  all.count = 0;
  all.signal = 0;
  all.end_began = std::chrono::nanoseconds::min();
  ::sem_init(&all.has_signal, 0, 0);
  std::thread(end_after_signal).detach();
}

}  // namespace

ExitGuard::ExitGuard() {
  register_once();
  Outstanding &all = outstanding();
  MutexLock lock(all.mutex);
  if (all.owner.exchange(::getpid()) != ::getpid()) begin_process(all);
  if (all.count++ == 0) delay_unhandled();
}

// A handler that the application has set meanwhile stays.
ExitGuard::~ExitGuard() {
  Outstanding &all = outstanding();
  MutexLock lock(all.mutex);
  if (--all.count == 0)
    for (const int signal : kEndings)
      if (has_handler(signal, delay)) set_handler(signal, SIG_DFL);
  all.changed.notify_all();
}

void ExitGuard::look_again() {
  Outstanding &all = outstanding();
  if (!all.is_any()) return;  // As in wait_for_answers().
  MutexLock lock(all.mutex);
  if (all.is_any()) delay_unhandled();
}

bool ExitGuard::is_ending() { return outstanding().is_any() && outstanding().signal != 0; }

void ExitGuard::set_patience(std::chrono::milliseconds patience) {
  MutexLock lock(outstanding().mutex);
  outstanding().patience = patience;
}

void ExitGuard::set_clock(std::chrono::nanoseconds (*clock)()) { outstanding().clock = clock; }

}  // namespace genclip
