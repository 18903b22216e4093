// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a person is told that clips have cost.
#include "plugin/account/cost_report.h"

#include <gtest/gtest.h>

#include "tests/account/sample_entries.h"

namespace genclip::test {
namespace {

// A reservation of 5 credits, and a completed task of `amount`.
std::vector<LedgerEntry> whole_clip(const std::string &key, std::optional<double> amount,
                                    const std::string &time = "2026-11-22T10:00:00.000Z",
                                    const std::string &status = "completed") {
  return {reserve_of(key, 5, time), entry_of(LedgerEvent::submitted, key, "task " + key, time),
          settle_of(key, "task " + key, amount, status, time)};
}

class CostReports : public testing::Test {
 protected:
  void add(std::vector<LedgerEntry> entries) {
    for (const LedgerEntry &entry : entries) ASSERT_TRUE(account_.apply(entry));
  }
  void add(const LedgerEntry &entry) { add(std::vector<LedgerEntry>{entry}); }
  CostReport report(CostBy by = CostBy::model, const Period &period = {}, double assumed_price = 0) {
    return cost_report(account_, period, by, assumed_price);
  }
  // The states of the charges that a person should know of.
  std::vector<std::string> remarkable() {
    std::vector<std::string> words;
    for (const Charge *charge : report().charges)
      if (is_remarkable(*charge)) words.push_back(state_word(*charge));
    return words;
  }

  Account account_;
};

TEST_F(CostReports, CountWhatExistsOrMayExist) {
  add(whole_clip("a", 3));
  add(reserve_of("b", 5));
  add({reserve_of("c", 5), entry_of(LedgerEvent::release, "c")});
  const CostReport all = report();
  EXPECT_EQ(all.total.clips, 2u);
  EXPECT_EQ(all.total.spent, 3);
  EXPECT_EQ(all.total.reserved, 5);
  EXPECT_EQ(all.charges.size(), 2u) << "what was never sent is no cost";
}

TEST_F(CostReports, ListWhoseCostIsNotKnownAndWhatCountsNothing) {
  add(whole_clip("told", 3));
  add({reserve_of("lost", 5), entry_of(LedgerEvent::unknown, "lost")});
  add(whole_clip("untold", std::nullopt));
  add(whole_clip("failed", std::nullopt, "2026-11-22T10:00:00.000Z", "failed"));
  add(whole_clip("paid failure", 2, "2026-11-22T10:00:00.000Z", "failed"));
  LedgerEntry attached = settle_of("foreign", "task of others", 9);
  attached.attached = true;
  add(attached);
  const CostSums sums = report().total;
  EXPECT_EQ(sums.clips, 5u);
  EXPECT_EQ(sums.spent, 5);
  EXPECT_EQ(sums.reserved, 10) << "of the unknown one, and of the untold one";
  EXPECT_EQ(sums.unknown, 1u);
  EXPECT_EQ(sums.untold, 1u);
  EXPECT_EQ(sums.failed, 1u);
  EXPECT_EQ(sums.attached, 1u);
  EXPECT_EQ(remarkable(), (std::vector<std::string>{"unknown", "untold", "failed", "attached"}));
}

TEST_F(CostReports, CountACorrectedOneAsSpent) {
  add({reserve_of("lost", 5), entry_of(LedgerEvent::unknown, "lost"), correct_of("lost", "", 4)});
  const CostReport all = report();
  EXPECT_EQ(all.total.spent, 4);
  EXPECT_EQ(all.total.reserved, 0);
  EXPECT_EQ(all.total.unknown, 0u);
  EXPECT_EQ(all.total.corrected, 1u);
  EXPECT_EQ(state_word(*all.charges[0]), "corrected");
  EXPECT_TRUE(remarkable().empty());
}

TEST_F(CostReports, TakeTheAssumedPriceWithoutAnEstimate) {
  add(reserve_of("a", std::nullopt));
  EXPECT_EQ(report().total.reserved, 0);
  EXPECT_EQ(report(CostBy::model, {}, 7).total.reserved, 7);
}

TEST_F(CostReports, SumUpByEachGroup) {
  add(whole_clip("a", 1, "2026-10-31T23:59:59.999Z"));
  add(whole_clip("b", 2, "2026-11-01T00:00:00.000Z"));
  std::vector<LedgerEntry> other = whole_clip("c", 4, "2026-11-02T00:00:00.000Z");
  for (LedgerEntry &entry : other) {
    entry.model = "another";
    entry.project = "film";
  }
  add(other);
  using Rows = std::map<std::string, double>;
  const auto rows = [&](CostBy by) {
    Rows spent;
    for (const auto &[name, sums] : report(by).rows) spent[name] = sums.spent;
    return spent;
  };
  EXPECT_EQ(rows(CostBy::model), (Rows{{"another", 4}, {"sd_2.0_special", 3}}));
  EXPECT_EQ(rows(CostBy::project), (Rows{{"", 3}, {"film", 4}}));
  EXPECT_EQ(rows(CostBy::day), (Rows{{"2026-10-31", 1}, {"2026-11-01", 2}, {"2026-11-02", 4}}));
  EXPECT_EQ(rows(CostBy::month), (Rows{{"2026-10", 1}, {"2026-11", 6}}));
  EXPECT_EQ(rows(CostBy::task), Rows());
  EXPECT_EQ(report(CostBy::task).charges.size(), 3u);
}

TEST_F(CostReports, TakeOnlyThatTime) {
  add(whole_clip("a", 1, "2026-10-31T23:59:59.999Z"));
  add(whole_clip("b", 2, "2026-11-01T00:00:00.000Z"));
  add(whole_clip("c", 4, "2026-11-02T00:00:00.000Z"));
  const UtcDay day = utc_day("2026-11-01").value();
  EXPECT_EQ(report(CostBy::day, {day, day + std::chrono::days(1)}).total.spent, 2);
  EXPECT_EQ(report(CostBy::day, {day, {}}).total.spent, 6);
  EXPECT_EQ(report(CostBy::day, {{}, day}).charges.size(), 1u);
}

TEST_F(CostReports, MarkWhatIsImported) {
  LedgerEntry imported = settle_of("a", "t", 3);
  imported.imported = true;
  add(imported);
  EXPECT_EQ(report().total.imported, 1u);
  EXPECT_EQ(report().total.spent, 3);
}

// What the budget counts and what a person is shown are the same.
TEST_F(CostReports, AgreeWithTheSumsOfTheAccount) {
  add(whole_clip("a", 1));
  add(whole_clip("b", std::nullopt));
  add({reserve_of("c", std::nullopt), entry_of(LedgerEvent::unknown, "c"), reserve_of("d", 8)});
  add({correct_of("a", "task a", 2)});
  const Sums sums = account_.sums({}, 3);
  const CostSums shown = report(CostBy::task, {}, 3).total;
  EXPECT_EQ(shown.spent, sums.spent.credits);
  EXPECT_EQ(shown.reserved, sums.reserved.credits);
  EXPECT_EQ(static_cast<double>(shown.clips), sums.spent.tasks);
  EXPECT_EQ(shown.unknown, sums.unknown);
  EXPECT_EQ(shown.untold, sums.untold);
  EXPECT_EQ(shown.corrected, sums.corrected);
}

}  // namespace
}  // namespace genclip::test
