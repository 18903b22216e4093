// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Posts the changes of a generation as messages, in order, on a separate thread.
//
// An application may handle a message in a sync handler, which can take long or call back into the element.
// So messages are posted neither from the streaming thread nor from the network thread, and never under a
// lock.
#pragma once

#include <gst/gst.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

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
class ClipMessages final : public GenerationObserver, public std::enable_shared_from_this<ClipMessages> {
 public:
  // Borrows the element until close().
  explicit ClipMessages(GstElement *element) : element_(element) {}

  // Drops states that are older than the last one.
  void on_change(const GenerationState &state) override EXCLUDES(mutex_);
  void on_warning(const Error &warning) override EXCLUDES(mutex_);
  // Any other message, in order.
  void post_in_turn(std::function<void(GstElement *)> post) EXCLUDES(mutex_);

  // Waits until all queued messages are posted; false if interrupted.
  bool wait_posted(const Interrupt::Watch &watch) EXCLUDES(mutex_);
  // The same, if there was any progress. A stored clip has none, so its reader need not wait.
  bool wait_progress_posted(const Interrupt::Watch &watch) EXCLUDES(mutex_);
  void wake() EXCLUDES(mutex_);
  // Posts CANCELED for open progress codes and accepts no more messages.
  void close() EXCLUDES(mutex_);

 private:
  using Post = std::function<void(GstElement *)>;

  void enqueue(Post post) REQUIRES(mutex_);
  void drain(GstElement *element) EXCLUDES(mutex_);
  void enqueue_progress(const GenerationState &state) REQUIRES(mutex_);
  void enqueue_progress_message(GstProgressType type, std::string text, int percent) REQUIRES(mutex_);

  Mutex mutex_;
  CondVar posted_;
  GstElement *element_ GUARDED_BY(mutex_);
  std::deque<Post> queue_ GUARDED_BY(mutex_);
  bool draining_ GUARDED_BY(mutex_) = false;
  std::optional<GenerationState> last_ GUARDED_BY(mutex_);
  const ProgressCode *open_ GUARDED_BY(mutex_) = nullptr;  // It was started but not ended.
  bool has_progress_ GUARDED_BY(mutex_) = false;           // A progress code was started.
};

}  // namespace genclip
