// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What both sides of an exchange learn when the worker leaves.
#include "plugin/http/handover.h"

#include <gtest/gtest.h>

namespace genclip::test {
namespace {

constexpr std::chrono::minutes kAMinute(1);
constexpr Handover::Patience kPatience{kAMinute, kAMinute, kAMinute};

TEST(Handover, OfACallerWhoHasLeftIsNotSentAnyMore) {
  Handover handover("host", kPatience);
  handover.cancel();
  const auto head = handover.wait_for_head(nullptr);
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error().error.kind, ErrorKind::cancelled);
  EXPECT_FALSE(head.error().maybe_sent);
  EXPECT_FALSE(handover.begin_sending());
}

TEST(Handover, OfACallerWhoLeavesOnceItIsSentIsInDoubt) {
  Handover handover("host", kPatience);
  ASSERT_TRUE(handover.begin_sending());
  handover.cancel();
  const auto head = handover.wait_for_head(nullptr);
  ASSERT_FALSE(head);
  EXPECT_TRUE(head.error().maybe_sent);
}

TEST(Handover, OfACallerWhoWaitsNoLongerEndsAtOnce) {
  Handover handover("host", kPatience);
  handover.give_head({});
  ASSERT_TRUE(handover.wait_for_head(nullptr));
  handover.begin_chunk();
  handover.set_timeout(std::chrono::milliseconds(0));
  std::vector<std::byte> chunk;
  const auto count = handover.take_chunk(chunk, nullptr);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().error.kind, ErrorKind::timed_out);
  EXPECT_NE(count.error().error.text.find("nothing more for 0 s"), std::string::npos);
}

}  // namespace
}  // namespace genclip::test
