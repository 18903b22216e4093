// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Renders ordered clips, each of them once, on threads of its own.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "examples/simulator/clip_renderer.h"
#include "plugin/base/mutex.h"

namespace genclip::sim {

struct RenderedClip {
  GRef<GBytes> bytes;
  std::string etag;           // with its quotes
  std::string last_modified;  // an HTTP date
  const char *content_type = "video/mp4";
};

// May be used from any thread.
class ClipKitchen {
 public:
  static constexpr size_t kMostKept = 512 << 20;  // Bytes

  // `served` is given out for every order, and nothing is rendered.
  ClipKitchen(const ClipLayout &layout, std::optional<std::string> served, size_t most_kept = kMostKept);
  // Stops what is being rendered.
  ~ClipKitchen();
  ClipKitchen(const ClipKitchen &) = delete;
  ClipKitchen &operator=(const ClipKitchen &) = delete;

  // Starts rendering, unless the clip was ordered before.
  void order(const ClipOrder &order) EXCLUDES(mutex_);
  // Nothing while it is not ready. Renders a clip again that was dropped for lack of room.
  std::optional<Result<RenderedClip>> look(const ClipOrder &order) EXCLUDES(mutex_);
  // Whether rendering it has succeeded or failed; nothing while it has not ended. A clip that was dropped for
  // lack of room has succeeded.
  std::optional<Result<void>> outcome(const ClipOrder &order) EXCLUDES(mutex_);

 private:
  struct Dish {
    std::optional<Result<RenderedClip>> result;  // Nothing while it is rendered, or when it was dropped.
    std::optional<Result<void>> outcome;
    bool is_ordered = false;
    uint64_t used = 0;
  };

  void cook() EXCLUDES(mutex_);
  Result<RenderedClip> make(const ClipOrder &order) const;
  void make_room() REQUIRES(mutex_);

  const ClipLayout layout_;
  const std::optional<std::string> served_;
  const size_t most_kept_;
  const GRef<GCancellable> stopped_;

  Mutex mutex_;
  CondVar changed_;
  std::map<ClipOrder, Dish> dishes_ GUARDED_BY(mutex_);
  std::deque<ClipOrder> waiting_ GUARDED_BY(mutex_);
  uint64_t uses_ GUARDED_BY(mutex_) = 0;
  std::vector<std::thread> cooks_;
};

}  // namespace genclip::sim
