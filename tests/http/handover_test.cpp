// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What both sides of an exchange are told when the worker leaves.
#include "plugin/http/handover.h"

#include <gtest/gtest.h>

namespace genclip::test {
namespace {

const Patience kLong{std::chrono::minutes(1), std::chrono::minutes(1), std::chrono::minutes(1)};

TEST(Handover, OfACallerWhoHasLeftIsNotSentAnyMore) {
  Handover handover("host", kLong);
  handover.cancel();
  const auto head = handover.wait_for_head(nullptr);
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error().error.kind, ErrorKind::cancelled);
  EXPECT_FALSE(head.error().maybe_sent);
  EXPECT_FALSE(handover.begin_sending());
}

TEST(Handover, OfACallerWhoLeavesOnceItIsSentIsInDoubt) {
  Handover handover("host", kLong);
  ASSERT_TRUE(handover.begin_sending());
  handover.cancel();
  const auto head = handover.wait_for_head(nullptr);
  ASSERT_FALSE(head);
  EXPECT_TRUE(head.error().maybe_sent);
}

}  // namespace
}  // namespace genclip::test
