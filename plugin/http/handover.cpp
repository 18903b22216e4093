// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One mutex and one condition; a GCancellable reports through its signal.
#include "plugin/http/handover.h"

#include <algorithm>
#include <utility>

#include "plugin/base/number.h"
#include "plugin/http/http_fault.h"

namespace genclip {
namespace {

// Connects to a GCancellable while it exists. Make and destroy it without a lock: disconnecting waits for a
// handler that runs.
class CancelWatch {
 public:
  CancelWatch(GCancellable *cancellable, Handover &handover) : cancellable_(cancellable) {
    if (cancellable_)
      id_ = g_cancellable_connect(cancellable_, G_CALLBACK(+[](GCancellable *, gpointer target) {
                                    static_cast<Handover *>(target)->cancel();
                                  }),
                                  &handover, nullptr);
  }
  ~CancelWatch() {
    if (id_ != 0) g_cancellable_disconnect(cancellable_, id_);
  }
  CancelWatch(const CancelWatch &) = delete;
  CancelWatch &operator=(const CancelWatch &) = delete;

 private:
  GCancellable *const cancellable_;
  gulong id_ = 0;
};

std::string in_seconds(std::chrono::milliseconds time) {
  return rounded_text(std::chrono::duration<double>(time).count(), 3) + " s";
}

}  // namespace

Handover::Handover(std::string host, const Patience &patience)
    : host_(std::move(host)),
      patience_(patience),
      begin_(std::chrono::steady_clock::now()),
      last_progress_(begin_),
      timeout_(patience.step) {}

bool Handover::ready() const {
  if (error_) return true;
  return phase_ == Phase::reading ? chunk_size_ > 0 || at_end_ : head_.has_value();
}

HttpError Handover::leave(Error error, bool transient) {
  abandoned_ = true;
  error_ = HttpError{std::move(error), sent_, transient};
  return *error_;
}

Error Handover::timed_out() const {
  const std::string after = in_seconds(timeout_);
  Error error{ErrorKind::timed_out, ""};
  switch (phase_) {
    case Phase::connecting:
      error.text = proxy_.empty()
                       ? "No connection to " + host_ + " could be established within " + after +
                             ". Check the address and the network."
                       : "The proxy " + proxy_ + " made no connection within " + after + "." + kCheckProxy;
      break;
    case Phase::asking:
      error.text = host_ + " did not answer within " + after + ". Try again later, or with a longer timeout.";
      break;
    case Phase::reading:
      if (std::chrono::steady_clock::now() >= begin_ + patience_.whole)
        error.text = host_ + " did not complete its answer within " + in_seconds(patience_.whole) +
                     ". Try again later, or with a longer timeout.";
      else
        error.text = host_ + " sent nothing more for " + after + ". Try again, or with a longer timeout.";
      break;
  }
  return error;
}

std::optional<HttpError> Handover::wait(GCancellable *cancellable) {
  const CancelWatch watch(cancellable, *this);
  MutexLock lock(mutex_);
  for (;;) {
    if (cancelled_) return leave(cancelled(), false);
    if (ready()) return std::nullopt;
    const Time deadline = std::min(last_progress_ + timeout_, begin_ + patience_.whole);
    if (std::chrono::steady_clock::now() >= deadline) return leave(timed_out(), true);
    changed_.wait_until(lock, deadline);
  }
}

Result<HttpReply, HttpError> Handover::wait_for_head(GCancellable *cancellable) {
  if (auto failure = wait(cancellable)) return std::move(*failure);
  MutexLock lock(mutex_);
  if (error_) return *error_;
  phase_ = Phase::reading;
  return *std::exchange(head_, std::nullopt);
}

void Handover::begin_chunk() {
  MutexLock lock(mutex_);
  last_progress_ = std::chrono::steady_clock::now();  // The reader took the time until now.
}

void Handover::set_timeout(std::chrono::milliseconds timeout) {
  MutexLock lock(mutex_);
  timeout_ = timeout;
}

Result<size_t, HttpError> Handover::take_chunk(std::vector<std::byte> &chunk, GCancellable *cancellable) {
  if (auto failure = wait(cancellable)) return std::move(*failure);
  MutexLock lock(mutex_);
  if (chunk_size_ > 0) {
    std::swap(chunk, chunk_);
    return std::exchange(chunk_size_, 0);
  }
  if (error_) return *error_;
  return size_t{0};
}

std::vector<std::byte> Handover::take_used() {
  MutexLock lock(mutex_);
  return std::move(chunk_);
}

void Handover::cancel() {
  MutexLock lock(mutex_);
  cancelled_ = true;
  changed_.notify_all();
}

bool Handover::begin_sending() {
  MutexLock lock(mutex_);
  if (abandoned_) return false;
  sent_ = true;
  phase_ = Phase::asking;
  last_progress_ = std::chrono::steady_clock::now();
  return true;
}

bool Handover::was_sent() {
  MutexLock lock(mutex_);
  return sent_;
}

void Handover::end_sending() {
  MutexLock lock(mutex_);
  timeout_ = patience_.answer;
  last_progress_ = std::chrono::steady_clock::now();
  changed_.notify_all();  // The worker waits longer from now on.
}

void Handover::progress() {
  MutexLock lock(mutex_);
  last_progress_ = std::chrono::steady_clock::now();
}

void Handover::set_proxy(std::string proxy) {
  MutexLock lock(mutex_);
  proxy_ = std::move(proxy);
}

void Handover::give_head(HttpReply head) {
  MutexLock lock(mutex_);
  head_ = std::move(head);
  changed_.notify_all();
}

void Handover::give_chunk(std::vector<std::byte> chunk, size_t count) {
  MutexLock lock(mutex_);
  chunk_ = std::move(chunk);
  chunk_size_ = count;
  at_end_ = count == 0;
  changed_.notify_all();
}

void Handover::fail(HttpError error) {
  MutexLock lock(mutex_);
  error_ = std::move(error);
  changed_.notify_all();
}

}  // namespace genclip
