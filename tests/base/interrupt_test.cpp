// SPDX-License-Identifier: LGPL-2.1-or-later
//
// No wait misses an interrupt, however short it was.
#include "plugin/base/interrupt.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

TEST(Interrupt, EndsTheWaitsThatBeganBeforeItAlsoWhenItIsLoweredAtOnce) {
  Interrupt interrupt;
  const Interrupt::Watch before(interrupt);
  EXPECT_FALSE(before.interrupted());
  interrupt.raise();
  interrupt.lower();
  EXPECT_TRUE(before.interrupted());
  EXPECT_FALSE(Interrupt::Watch(interrupt).interrupted());
}

TEST(Interrupt, EndsTheWaitsThatBeginUntilItIsLowered) {
  Interrupt interrupt;
  interrupt.raise();
  const Interrupt::Watch amid(interrupt);
  EXPECT_TRUE(amid.interrupted());
  interrupt.lower();
  EXPECT_FALSE(amid.interrupted());
}

TEST(Interrupt, CanEndTheWaitsThatHaveBegunAlone) {
  Interrupt interrupt;
  const Interrupt::Watch before(interrupt);
  interrupt.end_waits();
  EXPECT_TRUE(before.interrupted());
  EXPECT_FALSE(Interrupt::Watch(interrupt).interrupted());
}

}  // namespace
}  // namespace genclip
