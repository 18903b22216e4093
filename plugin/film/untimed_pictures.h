// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether a transport stream tells when its pictures are shown. GStreamer 1.22 finds no times at all where
// the clock of the stream comes with the picture, and that begins about a second later than the sound:
// decoders make times up then, from 0, and captions would be as much too early. Pure.
#pragma once

namespace genclip {

class UntimedPictures {
 public:
  // Those before the clock of the stream, at most about a second of them, have no times either. With 60
  // pictures in a second, of two fields each, these are 120. With 25, the second window may be asked about
  // before it is known.
  static constexpr unsigned kMost = 150;

  // The next one. True: there will be no times.
  bool add(bool has_time) {
    has_times_ = has_times_ || has_time;
    return !has_times_ && ++untimed_ >= kMost;
  }
  // The stream has ended. True: there were none.
  bool end() const { return !has_times_ && untimed_ > 0; }

 private:
  bool has_times_ = false;
  unsigned untimed_ = 0;
};

}  // namespace genclip
