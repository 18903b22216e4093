// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A generation's changes as messages, posted in order on a thread that is neither the streaming nor the
// network one.
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

// Thread-safe. One for each run of an element; close it before the element goes.
class ClipMessages final : public GenerationObserver, public std::enable_shared_from_this<ClipMessages> {
 public:
  // Borrows the element until close().
  explicit ClipMessages(GstElement *element) : element_(element) {}

  // States older than one that was seen already are dropped.
  void on_change(const GenerationState &state) override EXCLUDES(mutex_);
  void on_warning(const Error &warning) override EXCLUDES(mutex_);
  // Any other post, in its turn.
  void post_in_turn(std::function<void(GstElement *)> post) EXCLUDES(mutex_);

  // Waits until all so far is posted; false when interrupted.
  bool wait_posted(const Interrupt::Watch &watch) EXCLUDES(mutex_);
  // The same, where any progress was told. A stored clip has none, and its reader nothing to wait for.
  bool wait_progress_posted(const Interrupt::Watch &watch) EXCLUDES(mutex_);
  void wake() EXCLUDES(mutex_);
  // Says CANCELED for what is open; nothing is queued from then on.
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
  const char *open_ GUARDED_BY(mutex_) = nullptr;  // The progress code that was started and not ended.
  bool has_progress_ GUARDED_BY(mutex_) = false;   // One was started.
};

}  // namespace genclip
