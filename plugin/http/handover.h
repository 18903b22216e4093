// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where one exchange passes from the I/O thread to the worker that waits for it.
//
// A worker must be able to leave within milliseconds, because a user stops a pipeline or a timeout expires.
// libsoup cannot stop that fast: a cancelled call still ends later, and only on the I/O thread. So neither
// side waits for the other. Both share this object, and it lives until the second one has left. The worker
// leaves by marking the exchange as abandoned. What arrives afterwards is dropped.
//
// The lock decides the one question that costs money: may the service have got the request? begin_sending()
// and a worker that leaves exclude each other. If the worker was told that nothing was sent, begin_sending()
// fails and nothing ever is. One chunk of the body fits in here. The I/O thread reads the next one only when
// it is asked to, so a slow reader slows the server down instead of filling the memory.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/mutex.h"
#include "plugin/http/http_client.h"

namespace genclip {

class Handover {
 public:
  struct Patience {
    std::chrono::milliseconds step;    // Without progress.
    std::chrono::milliseconds answer;  // Without progress, once the request was sent.
    std::chrono::milliseconds whole;   // From now to the end.
  };

  // `host` is for the texts of errors. Each duration must be small enough to be added to any time.
  Handover(std::string host, const Patience &patience);

  // ---- The worker's side. Each wait ends when `cancellable` fires or a timeout expires. That is the end of
  // the exchange: the worker abandons it.

  Result<HttpReply, HttpError> wait_for_head(GCancellable *cancellable) EXCLUDES(mutex_);
  // Call it before asking the I/O thread for a chunk: the timeout counts from here.
  void begin_chunk() EXCLUDES(mutex_);
  // Without progress, for the chunks that are not taken yet.
  void set_timeout(std::chrono::milliseconds timeout) EXCLUDES(mutex_);
  // Waits for the chunk that was asked for, and swaps it with `chunk`, which is used up. Returns its size; 0
  // is the end.
  Result<size_t, HttpError> take_chunk(std::vector<std::byte> &chunk, GCancellable *cancellable)
      EXCLUDES(mutex_);
  void cancel() EXCLUDES(mutex_);  // From any thread: ends the wait.

  // ---- The I/O thread's side.

  // The request is about to be written. False: the worker has left, and was told that nothing was sent.
  bool begin_sending() EXCLUDES(mutex_);
  bool was_sent() EXCLUDES(mutex_);
  // All of the request was written.
  void end_sending() EXCLUDES(mutex_);
  void progress() EXCLUDES(mutex_);
  // The proxy that the connection goes through (empty: none), for the texts of errors.
  void set_proxy(std::string proxy) EXCLUDES(mutex_);
  void give_head(HttpReply head) EXCLUDES(mutex_);
  // The buffer of a used chunk, to be filled again.
  std::vector<std::byte> take_used() EXCLUDES(mutex_);
  // The first `count` bytes of `chunk`; 0: the clean end.
  void give_chunk(std::vector<std::byte> chunk, size_t count) EXCLUDES(mutex_);
  void fail(HttpError error) EXCLUDES(mutex_);

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class Phase { connecting, asking, reading };

  bool ready() const REQUIRES(mutex_);
  // Nothing when the head or chunk is there; otherwise the reason why the worker leaves.
  std::optional<HttpError> wait(GCancellable *cancellable) EXCLUDES(mutex_);
  HttpError leave(Error error, bool transient) REQUIRES(mutex_);
  Error timed_out() const REQUIRES(mutex_);

  const std::string host_;
  const Patience patience_;
  const Time begin_;

  Mutex mutex_;
  CondVar changed_;
  Phase phase_ GUARDED_BY(mutex_) = Phase::connecting;
  std::string proxy_ GUARDED_BY(mutex_);
  Time last_progress_ GUARDED_BY(mutex_);
  bool sent_ GUARDED_BY(mutex_) = false;
  std::chrono::milliseconds timeout_ GUARDED_BY(mutex_);
  bool abandoned_ GUARDED_BY(mutex_) = false;
  bool cancelled_ GUARDED_BY(mutex_) = false;
  std::optional<HttpReply> head_ GUARDED_BY(mutex_);
  std::optional<HttpError> error_ GUARDED_BY(mutex_);
  std::vector<std::byte> chunk_ GUARDED_BY(mutex_);  // Given, or used.
  size_t chunk_size_ GUARDED_BY(mutex_) = 0;         // 0: used.
  bool at_end_ GUARDED_BY(mutex_) = false;
};

}  // namespace genclip
