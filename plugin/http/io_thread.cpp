// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A main loop with one source, a queue of jobs. Its lock is not GLib's, so that ThreadSanitizer sees it.
#include "plugin/http/io_thread.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

namespace genclip {
namespace {

// exit() waits at most this long for a busy thread.
constexpr auto kLongestStop = std::chrono::milliseconds(500);

}  // namespace

struct IoThread::JobSource {
  GSource base;
  IoThread *thread;

  static gboolean prepare(GSource *source, gint *timeout) {
    *timeout = -1;
    return check(source);
  }
  static gboolean check(GSource *source) { return reinterpret_cast<JobSource *>(source)->thread->has_jobs(); }
  static gboolean dispatch(GSource *source, GSourceFunc, gpointer) {
    reinterpret_cast<JobSource *>(source)->thread->run_jobs();
    return G_SOURCE_CONTINUE;
  }
};

IoThread &IoThread::get() {
  static IoThread &thread = *new IoThread;
  return thread;
}

IoThread::IoThread() : context_(g_main_context_new()), loop_(g_main_loop_new(context_, FALSE)) {
  static GSourceFuncs functions = {
      JobSource::prepare, JobSource::check, JobSource::dispatch, nullptr, nullptr, nullptr};
  GSource *source = g_source_new(&functions, sizeof(JobSource));
  reinterpret_cast<JobSource *>(source)->thread = this;
  g_source_set_static_name(source, "genclip jobs");
  g_source_attach(source, context_);
  g_source_unref(source);
  std::thread([this] { run(); }).detach();
  static const pid_t owner = ::getpid();
  std::atexit([] {
    if (::getpid() == owner) get().stop();  // A forked child has the loop but not its thread.
  });
}

void IoThread::run() {
  g_main_context_push_thread_default(context_);
  g_main_loop_run(loop_);
  g_main_context_pop_thread_default(context_);
  MutexLock lock(mutex_);
  stopped_ = true;
  stopped_changed_.notify_all();
}

void IoThread::stop() {
  post([this] { g_main_loop_quit(loop_); });
  const auto deadline = std::chrono::steady_clock::now() + kLongestStop;
  MutexLock lock(mutex_);
  while (!stopped_)
    if (!stopped_changed_.wait_until(lock, deadline)) return;
}

void IoThread::post(std::function<void()> job) {
  {
    MutexLock lock(mutex_);
    jobs_.push_back(std::exchange(job, nullptr));  // See on_disk_thread().
  }
  g_main_context_wakeup(context_);
}

bool IoThread::has_jobs() {
  MutexLock lock(mutex_);
  return !jobs_.empty();
}

void IoThread::run_jobs() {
  std::deque<std::function<void()>> due;
  {
    MutexLock lock(mutex_);
    due.swap(jobs_);
  }
  for (auto &job : due) {
    job();
    job = nullptr;  // What it holds is destroyed in the order of the queue.
  }
}

}  // namespace genclip
