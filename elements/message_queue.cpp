// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A queue that GStreamer's thread pool empties (gst_element_call_async).
#include "elements/message_queue.h"

#include <utility>
#include <vector>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

// Destroying a pipeline does not wait for this thread. A message passes through the parent bins of the
// element, so they must stay alive.
class Ancestors {
 public:
  explicit Ancestors(GstElement *element) {
    auto parent = GRef<GstObject>::adopt(gst_object_get_parent(GST_OBJECT(element)));
    while (parent) {
      held_.push_back(parent);
      parent = GRef<GstObject>::adopt(gst_object_get_parent(held_.back().get()));
    }
  }

 private:
  std::vector<GRef<GstObject>> held_;
};

}  // namespace

void MessageQueue::add(Post post) {
  MutexLock lock(mutex_);
  if (!element_) return;
  queue_.push_back(std::move(post));
  if (draining_) return;
  draining_ = true;
  // Takes its own reference to the element.
  gst_element_call_async(
      element_,
      [](GstElement *element, gpointer self) {
        (*static_cast<std::shared_ptr<MessageQueue> *>(self))->drain(element);
      },
      new std::shared_ptr<MessageQueue>(shared_from_this()),
      [](gpointer self) { delete static_cast<std::shared_ptr<MessageQueue> *>(self); });
}

void MessageQueue::drain(GstElement *element) {
  MutexLock lock(mutex_);
  while (!queue_.empty()) {
    const Post post = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    {
      const Ancestors alive(element);
      post(element);
    }
    lock.lock();
  }
  draining_ = false;
  posted_.notify_all();
}

bool MessageQueue::wait_posted(const Interrupt::Watch &watch) {
  MutexLock lock(mutex_);
  while (draining_ && !watch.interrupted()) posted_.wait(lock);
  return !watch.interrupted();
}

void MessageQueue::wake() {
  MutexLock lock(mutex_);
  posted_.notify_all();
}

void MessageQueue::close() {
  MutexLock lock(mutex_);
  element_ = nullptr;
}

}  // namespace genclip
