// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How long tasks took, and what that says of the next one.
#include "plugin/account/wait_history.h"

#include <gtest/gtest.h>

#include "plugin/account/ledger_summary.h"
#include "tests/account/sample_entries.h"

namespace genclip::test {
namespace {

LedgerEntry waited_of(const std::string &key, const std::string &task_id, double seconds,
                      const std::string &status = "completed") {
  LedgerEntry entry = settle_of(key, task_id, 2, status);
  entry.waited = seconds;
  entry.waited_error = 2.5;
  return entry;
}

std::vector<LedgerEntry> followed(const std::string &key, double seconds) {
  return {reserve_of(key, 3), entry_of(LedgerEvent::submitted, key, "task-" + key),
          waited_of(key, "task-" + key, seconds)};
}

std::vector<Wait> waits_after(const std::vector<LedgerEntry> &entries) {
  return likely_waits(account_of(entries).waits(), facts_of("next"));
}

TEST(Waits, AreLearntFromTasksThatWereFollowedToTheirEnd) {
  EXPECT_EQ(waits_after(followed("a", 80)), (std::vector<Wait>{{80, 2.5}}));
}

TEST(Waits, AreNotLearntFromTimesBetweenLines) {
  EXPECT_TRUE(waits_after({reserve_of("a", 3), entry_of(LedgerEvent::submitted, "a", "t"),
                           settle_of("a", "t", 2, "completed", "2026-11-23T10:00:00.000Z")})
                  .empty());
}

TEST(Waits, AreNotLearntFromTasksThatFailedOrThatThisStoreNeverSubmitted) {
  EXPECT_TRUE(waits_after({reserve_of("a", 3), entry_of(LedgerEvent::submitted, "a", "t"),
                           waited_of("a", "t", 80, "failed")})
                  .empty());
  LedgerEntry foreign = waited_of("a", "t", 80);
  foreign.attached = true;
  EXPECT_TRUE(waits_after({foreign}).empty());
}

TEST(Waits, AreLearntOnceFromEachTask) {
  std::vector<LedgerEntry> entries = followed("a", 80);
  entries.push_back(waited_of("a", "task-a", 9000));
  EXPECT_EQ(waits_after(entries), (std::vector<Wait>{{80, 2.5}}));
}

TEST(Waits, AreTheLast20) {
  WaitHistory history;
  for (int i = 0; i < 25; ++i) history.add(price_class_of(facts_of("a")), {100.0 + i, 1});
  const auto waits = likely_waits(history, facts_of("b"));
  ASSERT_EQ(waits.size(), WaitHistory::kKept);
  EXPECT_EQ(waits.front().seconds, 105);
  EXPECT_EQ(waits.back().seconds, 124);
}

TEST(Waits, AreMovedAlongALineToAnotherDuration) {
  WaitHistory history;
  history.add(price_class_of(facts_of("a", 5)), {50, 2});
  history.add(price_class_of(facts_of("a", 5)), {54, 2});
  history.add(price_class_of(facts_of("a", 10)), {102, 1});
  // The line goes through 52 at 5 s and 102 at 10 s.
  const auto waits = likely_waits(history, facts_of("b", 8));
  ASSERT_EQ(waits.size(), 3u);
  EXPECT_NEAR(waits[0].seconds, 80, 1e-9);
  EXPECT_NEAR(waits[1].seconds, 84, 1e-9);
  EXPECT_NEAR(waits[2].seconds, 82, 1e-9);
  EXPECT_EQ(waits[0].error, 2);
}

TEST(Waits, AreUnknownThroughOneDurationOnlyOrForAnotherShape) {
  WaitHistory history;
  history.add(price_class_of(facts_of("a", 5)), {50, 2});
  EXPECT_TRUE(likely_waits(history, facts_of("b", 8)).empty());
  history.add(price_class_of(facts_of("a", 10)), {100, 2});
  for (const auto change : std::initializer_list<void (*)(ChargeFacts &)>{
           [](ChargeFacts &facts) { facts.base_url = "https://other.example"; },
           [](ChargeFacts &facts) { facts.model = "dance-2.5"; },
           [](ChargeFacts &facts) { facts.resolution = "1080p"; },
           [](ChargeFacts &facts) { facts.size = "1440x1440"; },
           [](ChargeFacts &facts) { facts.duration.reset(); }}) {
    ChargeFacts other = facts_of("b", 8);
    change(other);
    EXPECT_TRUE(likely_waits(history, other).empty());
  }
  EXPECT_EQ(likely_waits(history, facts_of("b", 8)).size(), 2u);
}

TEST(Waits, AreThoseOfTheRequestThatSpellsOutADefault) {
  ChargeFacts spelled = facts_of("a", 4), unset = facts_of("b", 4);
  spelled.model = unset.model = "dance-2.5";
  spelled.resolution = "480p";
  unset.resolution.clear();
  unset.duration.reset();
  WaitHistory history;
  history.add(price_class_of(spelled), {50, 2});
  EXPECT_EQ(likely_waits(history, unset), (std::vector<Wait>{{50, 2}}));
}

TEST(Waits, AreTheSameWithTheSummaryAndGoOnFromThere) {
  std::vector<LedgerEntry> entries = followed("a", 80.25);
  for (LedgerEntry &entry : followed("b", 70)) entries.push_back(entry);
  const Account account = account_of(entries);
  LedgerSummary summary;
  summary.account = account;
  auto read = read_summary(summary_text(summary));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->account.waits().classes(), account.waits().classes());
  for (const LedgerEntry &entry : followed("d", 75)) ASSERT_TRUE(read->account.apply(entry));
  const auto waits = likely_waits(read->account.waits(), facts_of("next"));
  EXPECT_EQ(waits, (std::vector<Wait>{{80.25, 2.5}, {70, 2.5}, {75, 2.5}}));
}

}  // namespace
}  // namespace genclip::test
