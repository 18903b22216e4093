// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Posts the changes of a generation as messages, in order (elements/message_queue.h).
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "elements/clipsrc/buffering_gauge.h"
#include "elements/message_queue.h"
#include "plugin/base/clock.h"
#include "plugin/base/interrupt.h"
#include "plugin/base/mutex.h"
#include "plugin/generation/generation.h"

namespace genclip {

// A code of progress messages, and its texts.
struct ProgressCode {
  const char *name;
  const char *begins;  // Continued by what.
  const char *done;
  const char *failed;
  const char *stopped;
};

// Thread-safe. One per run of an element; close it before the element is destroyed.
class ClipMessages final : public GenerationObserver {
 public:
  // Borrows the element until close(). `with_buffering`: BUFFERING messages too, from when a reader is
  // expected.
  explicit ClipMessages(GstElement *element, bool with_buffering = false)
      : queue_(std::make_shared<MessageQueue>(element)),
        element_(element),
        buffering_(with_buffering ? std::make_shared<Buffering>() : nullptr) {}

  // Drops states that are older than the last one.
  void on_change(const GenerationState &state) override EXCLUDES(mutex_);
  void on_warning(const Error &warning) override EXCLUDES(mutex_);
  // A warning, unless a reader gets the error.
  void on_failure(const Error &error) override EXCLUDES(mutex_);
  // From now on the streaming thread posts the error of a generation that fails. `joins`: a pipeline that has
  // played already.
  void expect_reader(bool joins = false) EXCLUDES(mutex_);
  // Any other message, which another thread makes: see MessageQueue.
  void expect() { queue_->expect(); }
  void add_expected(MessageQueue::Post post) { queue_->add_expected(std::move(post)); }

  // Waits until all queued messages are posted, and at least until `earliest`; false if interrupted.
  bool wait_posted(const Interrupt::Watch &watch, Clock::Time earliest = Clock::Time::min()) {
    return queue_->wait_posted(watch, earliest);
  }
  // The same, if there was any progress. A stored clip has none, so its reader need not wait.
  bool wait_progress_posted(const Interrupt::Watch &watch) EXCLUDES(mutex_);
  void wake() { queue_->wake(); }
  // Posts CANCELED for open progress codes and accepts no more messages. On return, BUFFERING has ended.
  void close() EXCLUDES(mutex_);

 private:
  // What BUFFERING says, for the queue's thread and for the one that closes.
  class Buffering {
   public:
    auto locked(const auto &use) EXCLUDES(mutex_) {
      MutexLock lock(mutex_);
      return use(gauge_);
    }

   private:
    Mutex mutex_;
    BufferingGauge gauge_ GUARDED_BY(mutex_);
  };

  void enqueue_progress(const GenerationState &state) REQUIRES(mutex_);
  void enqueue_buffering(const GenerationState &state) REQUIRES(mutex_);
  void enqueue_progress_message(GstProgressType type, std::string text, int percent) REQUIRES(mutex_);

  const std::shared_ptr<MessageQueue> queue_;
  GstElement *const element_;                   // Until close().
  const std::shared_ptr<Buffering> buffering_;  // May be null.

  Mutex mutex_;
  bool closed_ GUARDED_BY(mutex_) = false;
  std::optional<GenerationState> last_ GUARDED_BY(mutex_);
  const ProgressCode *open_ GUARDED_BY(mutex_) = nullptr;  // It was started but not ended.
  bool has_progress_ GUARDED_BY(mutex_) = false;           // A progress code was started.
  bool has_reader_ GUARDED_BY(mutex_) = false;
  bool joins_ GUARDED_BY(mutex_) = false;
};

}  // namespace genclip
