// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Posts an element's messages in order, on a separate thread.
//
// An application may handle a message in a sync handler, which can take long or call back into the element.
// So messages are posted neither from a thread that has other work nor under a lock.
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "plugin/base/clock.h"
#include "plugin/base/gref.h"
#include "plugin/base/interrupt.h"
#include "plugin/base/mutex.h"

namespace genclip {

// Thread-safe. Its lock is a leaf. Close it before the element is destroyed.
class MessageQueue : public std::enable_shared_from_this<MessageQueue> {
 public:
  using Post = std::function<void(GstElement *)>;

  // Borrows the element until close(), which waits for `patience` at most while the application handles a
  // message: a handler that takes longer does not keep a change of state waiting.
  explicit MessageQueue(GstElement *element,
                        std::chrono::milliseconds patience = std::chrono::milliseconds(50))
      : element_(element), patience_(patience) {}

  // Calls it on another thread, behind all earlier ones. Does nothing once the queue is closed.
  void add(Post post) EXCLUDES(mutex_);
  // One more comes, by add_expected(), of a thread that still makes it.
  void expect() EXCLUDES(mutex_);
  void add_expected(Post post) EXCLUDES(mutex_);
  // Waits until all of it is posted, and what is expected too, and at least until `earliest`; false if
  // interrupted.
  bool wait_posted(const Interrupt::Watch &watch, Clock::Time earliest = Clock::Time::min()) EXCLUDES(mutex_);
  // Makes it look at its watch.
  void wake() EXCLUDES(mutex_);
  // Posts what is left, on this thread. Afterwards nothing uses the element. But when the application still
  // handles a message, and does so for long or calls this, the other thread posts what is left, and holds the
  // element meanwhile. Call it without a lock.
  void close() EXCLUDES(mutex_);

 private:
  void enqueue(Post post) REQUIRES(mutex_);
  // Returns at once when another thread is at it.
  void post_all() EXCLUDES(mutex_);

  GstElement *const element_;
  const std::chrono::milliseconds patience_;
  Mutex mutex_;
  CondVar posted_;
  std::deque<Post> queue_ GUARDED_BY(mutex_);
  unsigned expected_ GUARDED_BY(mutex_) = 0;
  std::optional<std::thread::id> poster_ GUARDED_BY(mutex_);  // The thread that is in a post.
  bool is_closed_ GUARDED_BY(mutex_) = false;
  GRef<GstElement> held_ GUARDED_BY(mutex_);
};

}  // namespace genclip
