// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Ends waits. A wait that was under way when the interrupt was raised ends, even if it is lowered again at
// once.
#pragma once

#include <atomic>

namespace genclip {

// Any thread. GstBaseSrc may lower the interrupt right after raising it (stopping in pull mode does), before
// a waiting thread has run. With a flag alone that thread would wait forever.
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
