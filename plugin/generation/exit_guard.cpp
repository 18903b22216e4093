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
#include <thread>

#include "plugin/base/mutex.h"

namespace genclip {
namespace {

// A service answers a submit within a second or two. A hung one must not keep the user waiting.
constexpr auto kPatience = std::chrono::seconds(3);
constexpr int kEndings[] = {SIGINT, SIGTERM, SIGHUP};

struct Outstanding {
  Mutex mutex;
  CondVar changed;
  std::chrono::milliseconds patience GUARDED_BY(mutex) = kPatience;
  // These change under the mutex; the signal handler reads them.
  std::atomic<int> count = 0;
  std::atomic<pid_t> owner = 0;  // A forked child has the count, but not the threads.
  std::atomic<int> signal = 0;   // The first one that came.
  sem_t has_signal = {};

  bool is_any() const { return count > 0 && owner == ::getpid(); }
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

// A second signal does what the first one would have done.
void delay(int signal) {
  Outstanding &all = outstanding();
  int none = 0;
  if (all.is_any() && all.signal.compare_exchange_strong(none, signal)) {
    ::sem_post(&all.has_signal);
    return;
  }
  set_handler(signal, SIG_DFL);
  std::raise(signal);
}

bool has_handler(int signal, void (*handler)(int)) {
  struct sigaction now = {};
  return ::sigaction(signal, nullptr, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == handler;
}

void register_once() {
  static const int registered = std::atexit(wait_for_answers);
  static_cast<void>(registered);
}

// Once in a process, also in one that was forked.
void begin_process(Outstanding &all) {
  all.count = 0;
  all.signal = 0;
  ::sem_init(&all.has_signal, 0, 0);
  std::thread(end_after_signal).detach();
}

}  // namespace

ExitGuard::ExitGuard() {
  register_once();
  Outstanding &all = outstanding();
  MutexLock lock(all.mutex);
  if (all.owner.exchange(::getpid()) != ::getpid()) begin_process(all);
  if (all.count++ > 0) return;
  for (const int signal : kEndings)
    if (has_handler(signal, SIG_DFL)) set_handler(signal, delay);
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

bool ExitGuard::is_ending() { return outstanding().is_any() && outstanding().signal != 0; }

void ExitGuard::set_patience(std::chrono::milliseconds patience) {
  MutexLock lock(outstanding().mutex);
  outstanding().patience = patience;
}

}  // namespace genclip
