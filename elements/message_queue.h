// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Posts an element's messages in order, on a separate thread.
//
// An application may handle a message in a sync handler, which can take long or call back into the element.
// So messages are posted neither from a thread that has other work nor under a lock.
#pragma once

#include <gst/gst.h>

#include <deque>
#include <functional>
#include <memory>

#include "plugin/base/interrupt.h"
#include "plugin/base/mutex.h"

namespace genclip {

// Thread-safe. Its lock is a leaf. Close it before the element is destroyed.
class MessageQueue : public std::enable_shared_from_this<MessageQueue> {
 public:
  using Post = std::function<void(GstElement *)>;

  // Borrows the element until close().
  explicit MessageQueue(GstElement *element) : element_(element) {}

  // Calls it on another thread, behind all earlier ones. Does nothing once the queue is closed.
  void add(Post post) EXCLUDES(mutex_);
  // Waits until all of it is posted; false if interrupted.
  bool wait_posted(const Interrupt::Watch &watch) EXCLUDES(mutex_);
  // Makes it look at its watch.
  void wake() EXCLUDES(mutex_);
  // What is in the queue is still posted.
  void close() EXCLUDES(mutex_);

 private:
  void drain(GstElement *element) EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar posted_;
  GstElement *element_ GUARDED_BY(mutex_);
  std::deque<Post> queue_ GUARDED_BY(mutex_);
  bool draining_ GUARDED_BY(mutex_) = false;
};

}  // namespace genclip
