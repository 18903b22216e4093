// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The captions of a channel's last minutes, and when each is burnt in.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/mutex.h"

namespace genclip {

// [begin, end) in running time of the channel.
struct CaptionCue {
  std::chrono::nanoseconds begin{}, end{};
  std::string text = {};  // Lines of plain text, as gencaption pushes it.

  friend bool operator==(const CaptionCue &, const CaptionCue &) = default;
};

// Thread-safe; never waits.
class CaptionCues {
 public:
  // In order of time. One that ended long before it leaves.
  void add(CaptionCue cue);
  // Those that are shown in [begin, end), whole.
  std::vector<CaptionCue> between(std::chrono::nanoseconds begin, std::chrono::nanoseconds end) const;

 private:
  mutable Mutex mutex_;
  std::deque<CaptionCue> cues_ GUARDED_BY(mutex_);
};

// A picture cannot wait for its caption, so a caption is burnt into the pictures that leave when it has come,
// for as long as it was meant to last, or until the next one. An answer that is too long for one cue comes as
// several at once, and each of them has its time. Thread-safe.
class BurntCaption {
 public:
  // `interval`: each answer is about a window so long.
  explicit BurntCaption(std::chrono::nanoseconds interval) : interval_(interval) {}

  void add(const CaptionCue &cue);
  // What is shown from the picture of that time on; nothing: what was shown before. Empty: no caption.
  std::optional<std::string> change_at(std::chrono::nanoseconds picture);

 private:
  const std::chrono::nanoseconds interval_;
  Mutex mutex_;
  std::deque<CaptionCue> next_ GUARDED_BY(mutex_);                    // Not shown yet.
  std::optional<std::chrono::nanoseconds> until_ GUARDED_BY(mutex_);  // Of the one that is shown.
  // Of the last answer that has come, as far as it has.
  std::chrono::nanoseconds begin_ GUARDED_BY(mutex_){}, end_ GUARDED_BY(mutex_){};
};

}  // namespace genclip
