// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/message_queue.h"

#include <utility>
#include <vector>

#include "plugin/base/disk_thread.h"

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

// Not gst_element_call_async(): its thread gives the element's reference back in its own time, after NULL. A
// handler may take as long as a disk.
void MessageQueue::enqueue(Post post) {
  if (is_closed_) return;
  const bool is_idle = queue_.empty() && !poster_;
  queue_.push_back(std::move(post));
  if (is_idle) on_disk_thread([self = shared_from_this()] { self->post_all(); });
}

void MessageQueue::add(Post post) {
  MutexLock lock(mutex_);
  enqueue(std::move(post));
}

void MessageQueue::expect() {
  MutexLock lock(mutex_);
  ++expected_;
}

void MessageQueue::add_expected(Post post) {
  MutexLock lock(mutex_);
  --expected_;
  enqueue(std::move(post));
  posted_.notify_all();
}

void MessageQueue::post_all() {
  MutexLock lock(mutex_);
  if (poster_) return;  // Which goes on until the queue is empty.
  while (!queue_.empty()) {
    const Post post = std::move(queue_.front());
    queue_.pop_front();
    poster_ = std::this_thread::get_id();
    lock.unlock();
    {
      const Ancestors alive(element_);
      post(element_);
    }
    lock.lock();
    poster_.reset();
  }
  const GRef<GstElement> held = std::move(held_);
  posted_.notify_all();
  lock.unlock();
}

bool MessageQueue::wait_posted(const Interrupt::Watch &watch, Clock::Time earliest) {
  MutexLock lock(mutex_);
  while ((expected_ > 0 || !queue_.empty() || poster_) && !watch.interrupted()) posted_.wait(lock);
  while (!watch.interrupted() && Clock::system().now() < earliest) posted_.wait_until(lock, earliest);
  return !watch.interrupted();
}

void MessageQueue::wake() {
  MutexLock lock(mutex_);
  posted_.notify_all();
}

void MessageQueue::close() {
  MutexLock lock(mutex_);
  if (std::exchange(is_closed_, true)) return;
  const auto end = std::chrono::steady_clock::now() + patience_;
  while (poster_ || !queue_.empty()) {
    while (poster_ && *poster_ != std::this_thread::get_id() && posted_.wait_until(lock, end)) {
    }
    if (poster_) {
      held_ = GRef<GstElement>::share(element_);
      return;
    }
    // Another thread may be at it first.
    lock.unlock();
    post_all();
    lock.lock();
  }
}

}  // namespace genclip
