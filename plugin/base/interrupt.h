// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A wish that waiting ends, which nobody misses who waited when it came.
#pragma once

#include <atomic>

namespace genclip {

// Any thread. GstBaseSrc may lower its wish right after raising it (stopping in pull mode does), before a
// waiting thread has run: a flag alone would have that thread wait for ever.
class Interrupt {
 public:
  // Ends the waits that have begun and, until it is lowered, those that begin.
  void raise() {
    end_waits();
    raised_ = true;
  }
  void lower() { raised_ = false; }
  // Ends the waits that have begun.
  void end_waits() { ++times_; }

  // One wait, from its beginning. Borrows the interrupt, which must outlive it.
  class Watch {
   public:
    explicit Watch(const Interrupt &interrupt) : interrupt_(interrupt), begun_at_(interrupt.times_) {}
    bool interrupted() const { return interrupt_.raised_ || interrupt_.times_ != begun_at_; }

   private:
    const Interrupt &interrupt_;
    const unsigned begun_at_;
  };

 private:
  std::atomic<bool> raised_ = false;
  std::atomic<unsigned> times_ = 0;
};

}  // namespace genclip
