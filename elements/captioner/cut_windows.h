// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Windows that also end where the picture changes (align=cuts).
#pragma once

#include <cstdint>
#include <optional>

namespace genclip {

// A window ends with the first picture behind a cut, or after `interval`, and never before `min_interval`: a
// cut that comes earlier does not count. Pictures that move do not end a window, because a cut is a change
// from one picture to the next.
// Times are nanoseconds of stream time. Pure; one thread at a time.
class CutWindows {
 public:
  // `step`: distance between the pictures that are kept as stills. `threshold`: difference that counts as a
  // change.
  struct Rules {
    uint64_t interval = 0;
    uint64_t min_interval = 0;
    uint64_t step = 0;
    double threshold = 0;
  };
  struct Seen {
    uint64_t time = 0;   // increases from picture to picture
    uint64_t lasts = 0;  // 0: unknown
    double changed = 0;  // from the picture before
  };
  struct Decision {
    bool keep = false;             // make a still of it
    bool begins = false;           // it is the first picture of a window
    uint64_t start = 0;            // of its window
    uint64_t end = 0;              // of its window, if there is no cut
    std::optional<uint64_t> last;  // end of the window before, where it begins one
  };

  explicit CutWindows(const Rules &rules);

  // Pictures from before the last one are repetitions: they are ignored.
  Decision on_picture(const Seen &seen);
  // The next picture starts a window, which starts at `earliest` if it comes soon after it.
  void reset(uint64_t earliest);

 private:
  bool is_cut(const Seen &seen) const;
  Decision begin(const Seen &seen, uint64_t start);

  const Rules rules_;
  bool begun_ = false;
  uint64_t start_ = 0;
  uint64_t end_ = 0;
  uint64_t last_time_ = 0;
  uint64_t last_step_ = 0;
};

}  // namespace genclip
