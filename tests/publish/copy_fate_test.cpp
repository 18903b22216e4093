// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every combination of a copy's age, and of the states and ages of two clips that use it.
#include "plugin/publish/copy_fate.h"

#include <gtest/gtest.h>

namespace genclip::test {
namespace {

constexpr int64_t kNow = 2'000'000'000;
constexpr int64_t kDay = 86'400;
constexpr int64_t kAges[] = {-3600, 0, 1, kDay - 1, kDay, kDay + 1, 400 * kDay};

// Written from the promise: kept until every task that used it ended, plus 24 hours.
bool may_be_removed(int64_t age, const std::vector<CopyUse> &uses) {
  if (age < kDay) return false;
  for (const CopyUse &use : uses) {
    if (!use.state) return false;
    const std::string state = to_word(*use.state);
    if (state == "intent" || state == "ambiguous" || state == "submitted") return false;
    if (kNow - use.updated_at < kDay) return false;
  }
  return true;
}

std::vector<CopyUse> all_uses() {
  std::vector<std::optional<ClipState>> states = {std::nullopt};
  for (const auto &row : kWords<ClipState>) states.emplace_back(row.value);
  std::vector<CopyUse> uses;
  for (const auto &state : states)
    for (const int64_t age : kAges) uses.push_back({"digest", state, kNow - age});
  return uses;
}

TEST(CopyFateTest, IsAsPromisedForEveryCombination) {
  const std::vector<CopyUse> uses = all_uses();
  ASSERT_EQ(uses.size(), 8 * std::size(kAges));
  size_t due = 0;
  const auto check = [&](int64_t age, const std::vector<CopyUse> &of) {
    const bool is_due = copy_fate(kNow - age, of, kNow) == CopyFate::due;
    EXPECT_EQ(is_due, may_be_removed(age, of)) << age;
    due += is_due;
  };
  for (const int64_t age : kAges) {
    check(age, {});
    for (const CopyUse &one : uses) {
      check(age, {one});
      for (const CopyUse &other : uses) check(age, {one, other});
    }
  }
  EXPECT_GT(due, 0u);
}

TEST(CopyFateTest, SaysWhy) {
  const CopyUse running{"a", ClipState::submitted, kNow - 100 * kDay};
  const CopyUse done{"b", ClipState::complete, kNow - 100 * kDay};
  EXPECT_EQ(copy_fate(kNow - 100 * kDay, {done, running}, kNow), CopyFate::needed);
  EXPECT_EQ(copy_fate(kNow - 5, {done}, kNow), CopyFate::recent);
  EXPECT_EQ(copy_fate(kNow - 100 * kDay, {done}, kNow), CopyFate::due);
}

}  // namespace
}  // namespace genclip::test
