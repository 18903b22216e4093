// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the entries of a ledger come to.
#include "plugin/account/account.h"

#include <gtest/gtest.h>

#include "tests/account/sample_entries.h"

namespace genclip::test {
namespace {

constexpr auto kReserve = LedgerEvent::reserve;
constexpr auto kSubmitted = LedgerEvent::submitted;
constexpr auto kRelease = LedgerEvent::release;
constexpr auto kUnknown = LedgerEvent::unknown;

Sums all_sums(const std::vector<LedgerEntry> &entries, double assumed_price = 0) {
  return account_of(entries).sums({}, assumed_price);
}

TEST(Account, CountsAClipWithItsHighEstimateUntilItsAmountIsKnown) {
  std::vector<LedgerEntry> entries{reserve_of("a", 3)};
  EXPECT_EQ(all_sums(entries).reserved.credits, 3);
  EXPECT_EQ(all_sums(entries).spent.tasks, 1);
  entries.push_back(entry_of(kSubmitted, "a", "t"));
  EXPECT_EQ(all_sums(entries).reserved.credits, 3);
  entries.push_back(settle_of("a", "t", 2));
  EXPECT_EQ(all_sums(entries).reserved.credits, 0);
  EXPECT_EQ(all_sums(entries).spent.credits, 2);
  EXPECT_EQ(all_sums(entries).spent.tasks, 1);
}

// Finding M2: what was told at the submit or while the task ran never reached the ledger.
TEST(Account, CountsAnAmountAsSoonAsItIsTold) {
  LedgerEntry submitted = entry_of(kSubmitted, "a", "t");
  submitted.amount = 9;
  LedgerEntry told_later = submitted, unknown = entry_of(kUnknown, "a", "t");
  told_later.amount = 8;
  unknown.amount = 7;
  const std::vector<LedgerEntry> entries{reserve_of("a", 3), submitted, told_later, unknown,
                                         settle_of("a", "t", std::nullopt)};
  const std::vector<double> spent{0, 9, 8, 7, 7};
  for (size_t count = 1; count <= entries.size(); ++count) {
    const Account account = account_of({entries.begin(), entries.begin() + static_cast<long>(count)});
    for (const Account &one : {account, account.condensed()}) {
      EXPECT_EQ(one.sums({}, 0).spent.credits, spent[count - 1]) << count;
      EXPECT_EQ(one.sums({}, 0).reserved.credits, count == 1 ? 3 : 0) << count;
      EXPECT_EQ(one.sums({}, 0).untold, 0u);
    }
  }
}

TEST(Account, CountsACompletedTaskThoughTheServiceCallsItFailedLater) {
  const Sums sums =
      all_sums({reserve_of("a", 3), entry_of(kSubmitted, "a", "t"), settle_of("a", "t", std::nullopt),
                settle_of("a", "t", std::nullopt, "failed")});
  EXPECT_EQ(sums.reserved.credits, 3);
  EXPECT_EQ(all_sums({reserve_of("a", 3), entry_of(kSubmitted, "a", "t"), settle_of("a", "t", 5),
                      settle_of("a", "t", 0, "failed")})
                .spent.credits,
            5);
}

TEST(Account, KnowsWhichClipsDidNotCome) {
  Account account = account_of({reserve_of("a", 3), entry_of(kSubmitted, "a", "t"), settle_of("a", "t", 2),
                                entry_of(LedgerEvent::unfetched, "a", "t")});
  for (const Account &one : {account, account.condensed()}) {
    EXPECT_TRUE(one.has_open("a"));
    EXPECT_FALSE(one.has_open("b"));
  }
  // Another folder may have a clip of the same task, by its ID.
  EXPECT_TRUE(account.apply(entry_of(LedgerEvent::stored, "b", "t")));
  EXPECT_TRUE(account.has_open("a"));
  EXPECT_TRUE(account.apply(entry_of(LedgerEvent::stored, "a", "t")));
  EXPECT_FALSE(account.has_open("a"));
}

// What it has cost tells nothing of its clip: without this, whoever removes its folder pays again silently.
TEST(Account, KeepsOpenWhatAPersonHasEnteredTheCostOf) {
  const std::vector<LedgerEntry> task{reserve_of("a", 3), entry_of(kSubmitted, "a", "t")};
  const std::vector<LedgerEntry> unanswered{reserve_of("a", 3), entry_of(kUnknown, "a")};
  for (const auto &entries : {task, unanswered}) {
    const std::string id = entries.back().task_id;
    Account whole = account_of(entries);
    ASSERT_TRUE(whole.apply(correct_of("a", id, 5)));
    const Account small = whole.condensed();
    Account again(small.let_go(), small.prices());
    for (const LedgerEntry &entry : entries_of(small)) ASSERT_TRUE(again.apply(entry)) << ledger_line(entry);
    for (Account one : {whole, small, again}) {
      EXPECT_TRUE(one.has_open("a")) << id;
      EXPECT_EQ(one.sums({}, 9).spent.credits, 5);
      EXPECT_EQ(one.sums({}, 9).reserved.credits, 0);
      LedgerEntry found = settle_of("a", "t", 9);
      found.attached = id.empty();
      if (!one.apply(found)) {
        EXPECT_TRUE(one.is_condensed() && id.empty()) << "it is read anew";
        continue;
      }
      EXPECT_FALSE(one.has_open("a")) << id;
      EXPECT_EQ(one.sums({}, 9).spent.credits, 5) << "what a person says holds";
      EXPECT_EQ(one.sums({}, 9).spent.tasks, 1);
    }
    ASSERT_TRUE(whole.apply(correct_of("a", id, 0)));
    EXPECT_FALSE(whole.has_open("a")) << "there is none of what has cost nothing";
  }
}

// As a removal advises: genclip store fetch TASK.
TEST(Account, KnowsThatAClipDidNotComeWhoseTaskWasFetchedElsewhere) {
  LedgerEntry fetched = settle_of("b", "t", 2);
  fetched.attached = true;
  const std::vector<LedgerEntry> running{reserve_of("a", 3), entry_of(kSubmitted, "a", "t")};
  std::vector<LedgerEntry> lost = running, stored = running;
  lost.push_back(entry_of(kUnknown, "a", "t"));
  for (const auto &entries : {running, lost}) {
    const Account before = account_of(entries);
    for (Account one : {before, before.condensed()}) {
      ASSERT_TRUE(one.apply(fetched));
      ASSERT_TRUE(one.apply(entry_of(LedgerEvent::stored, "b", "t")));
      EXPECT_TRUE(one.has_open("a"));
      EXPECT_FALSE(one.has_open("b"));
      ASSERT_TRUE(one.apply(entry_of(LedgerEvent::stored, "a", "t")));
      EXPECT_FALSE(one.has_open("a"));
    }
  }
  stored.push_back(settle_of("a", "t", 2));
  Account there = account_of(stored);
  ASSERT_TRUE(there.apply(fetched));
  EXPECT_FALSE(there.has_open("a")) << "its own run has told of it";
}

TEST(Account, CountsNothingForWhatWasReleased) {
  const Sums sums = all_sums({reserve_of("a", 3), entry_of(kRelease, "a")});
  EXPECT_EQ(sums.reserved.credits, 0);
  EXPECT_EQ(sums.spent.tasks, 0);
}

TEST(Account, TakesNoTaskFromALineWhoseBaseUrlIsMissing) {
  LedgerEntry damaged = settle_of("a", "t", 2);
  damaged.base_url.clear();
  const Sums sums = all_sums({reserve_of("a", 3), damaged});
  EXPECT_EQ(sums.reserved.credits, 3);
  EXPECT_EQ(sums.spent.credits, 0);
}

TEST(Account, ReservesAnewForEachTry) {
  const Sums sums = all_sums({reserve_of("a", 3), entry_of(kRelease, "a"), reserve_of("a", 3),
                              entry_of(kSubmitted, "a", "t"), settle_of("a", "t", 3)});
  EXPECT_EQ(sums.spent.credits, 3);
  EXPECT_EQ(sums.reserved.credits, 0);
  EXPECT_EQ(sums.spent.tasks, 1);
}

TEST(Account, KeepsAnUnknownOneReservedBesideTheNextTry) {
  const std::vector<LedgerEntry> entries{reserve_of("a", 3), entry_of(kUnknown, "a"), reserve_of("a", 3),
                                         entry_of(kSubmitted, "a", "t"), settle_of("a", "t", 2)};
  const Sums sums = all_sums(entries);
  EXPECT_EQ(sums.spent.credits, 2);
  EXPECT_EQ(sums.reserved.credits, 3);
  EXPECT_EQ(sums.unknown, 1u);
  EXPECT_EQ(sums.spent.tasks, 2);
}

TEST(Account, CountsAnUnknownOneWithoutAPriceAsNothingUnlessAPriceIsAssumed) {
  const std::vector<LedgerEntry> entries{reserve_of("a", std::nullopt), entry_of(kUnknown, "a")};
  EXPECT_EQ(all_sums(entries).reserved.credits, 0);
  EXPECT_EQ(all_sums(entries, 4).reserved.credits, 4);
  EXPECT_EQ(all_sums(entries).unknown, 1u);
}

TEST(Account, KeepsACompletedTaskWithoutAnAmountAtItsEstimateUntilItIsCorrected) {
  std::vector<LedgerEntry> entries{reserve_of("a", 3), entry_of(kSubmitted, "a", "t"),
                                   settle_of("a", "t", std::nullopt)};
  EXPECT_EQ(all_sums(entries).reserved.credits, 3);
  EXPECT_EQ(all_sums(entries).untold, 1u);
  entries.push_back(correct_of("a", "", 1));
  EXPECT_EQ(all_sums(entries).reserved.credits, 0);
  EXPECT_EQ(all_sums(entries).spent.credits, 1);
  EXPECT_EQ(all_sums(entries).corrected, 1u);
}

TEST(Account, CountsAFailedTaskByItsAmountAndAsNothingWithoutOne) {
  const std::vector<LedgerEntry> told{reserve_of("a", 3), settle_of("a", "t", 1, "failed")};
  const std::vector<LedgerEntry> untold{reserve_of("a", 3), settle_of("a", "t", std::nullopt, "failed")};
  EXPECT_EQ(all_sums(told).spent.credits, 1);
  EXPECT_EQ(all_sums(untold).spent.credits, 0);
  EXPECT_EQ(all_sums(untold).reserved.credits, 0);
  EXPECT_EQ(all_sums(untold).spent.tasks, 1);
  EXPECT_EQ(account_of(untold).charges().size(), 1u);
}

TEST(Account, ListsAnAttachedTaskAndCountsItNowhere) {
  const Account account = account_of({settle_of("a", "foreign", 9)});
  ASSERT_EQ(account.charges().size(), 1u);
  EXPECT_EQ(account.charges().front().state, ChargeState::attached);
  EXPECT_EQ(account.charges().front().amount, 9);
  EXPECT_EQ(account.sums({}, 5).spent.credits + account.sums({}, 5).reserved.credits, 0);
  EXPECT_EQ(account.sums({}, 5).spent.tasks, 0);
}

TEST(Account, CountsATaskOnceUnderWhateverKeyItIsAttachedTo) {
  const Sums sums = all_sums({reserve_of("a", 3), entry_of(kSubmitted, "a", "t"), settle_of("other", "t", 2),
                              settle_of("a", "t", 2), settle_of("a", "t", std::nullopt)});
  EXPECT_EQ(sums.spent.credits, 2);
  EXPECT_EQ(sums.spent.tasks, 1);
}

TEST(Account, TellsTasksOfTwoServicesApart) {
  LedgerEntry elsewhere = settle_of("b", "t", 5);
  elsewhere.base_url = "https://other.example";
  const Sums sums =
      all_sums({reserve_of("a", 3), entry_of(kSubmitted, "a", "t"), settle_of("a", "t", 2), elsewhere});
  EXPECT_EQ(sums.spent.credits, 2);
}

// Each of the two task APIs answers about IDs of its own.
TEST(Account, TellsTasksOfTwoApisApart) {
  std::vector<LedgerEntry> entries{reserve_of("a", 3), entry_of(kSubmitted, "a", "t"),
                                   settle_of("a", "t", 2)};
  for (LedgerEntry entry : {reserve_of("b", 3), entry_of(kSubmitted, "b", "t"), settle_of("b", "t", 5)}) {
    entry.api = "legacy";
    entries.push_back(entry);
  }
  const Sums sums = all_sums(entries);
  EXPECT_EQ(sums.spent.credits, 7);
  EXPECT_EQ(sums.spent.tasks, 2);
}

// As the error of a lost answer advises: "set task-id to its ID".
TEST(Account, TakesACompletedTaskThatIsAttachedForTheUnknownOneOfItsKey) {
  LedgerEntry attached = settle_of("a", "found", 9);
  attached.attached = true;
  const Sums found = all_sums({reserve_of("a", 3), entry_of(kUnknown, "a"), attached});
  EXPECT_EQ(found.spent.credits, 9);
  EXPECT_EQ(found.reserved.credits, 0);
  EXPECT_EQ(all_sums({reserve_of("a", 3), attached}).spent.credits, 0) << "its own submit is under way";
  const Sums own = all_sums({reserve_of("a", 3), attached, entry_of(kSubmitted, "a", "found")});
  EXPECT_EQ(own.spent.credits, 9) << "this task was it";
  EXPECT_EQ(own.reserved.credits, 0);
  LedgerEntry elsewhere = attached;
  elsewhere.key = "b";
  EXPECT_EQ(all_sums({reserve_of("a", 3), entry_of(kUnknown, "a"), elsewhere}).reserved.credits, 3);
  LedgerEntry failed = settle_of("a", "found", std::nullopt, "failed");
  failed.attached = true;
  EXPECT_EQ(all_sums({reserve_of("a", 3), entry_of(kUnknown, "a"), failed}).reserved.credits, 3)
      << "it may be another one";
}

// Nothing but its key can name it.
TEST(Account, CorrectsOfAKeyFirstWhatIsUnknownAndHasNoTask) {
  const std::vector<LedgerEntry> entries = {reserve_of("a", 3),     entry_of(kUnknown, "a"),
                                            reserve_of("a", 3),     entry_of(kSubmitted, "a", "t"),
                                            settle_of("a", "t", 4), correct_of("a", "", 1)};
  const Sums first = all_sums(entries);
  EXPECT_EQ(first.spent.credits, 5);
  EXPECT_EQ(first.unknown, 0u);
  std::vector<LedgerEntry> again = entries;
  again.push_back(correct_of("a", "", 2));
  EXPECT_EQ(all_sums(again).spent.credits, 6) << "it is in doubt whether a task exists";
  again.push_back(correct_of("a", "", 0));
  EXPECT_EQ(all_sums(again).spent.credits, 4);
  again.push_back(correct_of("a", "", 2));
  EXPECT_EQ(all_sums(again).spent.credits, 2) << "then the latest";
}

TEST(Account, TakesASettledTaskOfAReservedKeyForItsOwn) {
  // The line `submitted` was damaged.
  const Sums sums = all_sums({reserve_of("a", 3), settle_of("a", "t", 2)});
  EXPECT_EQ(sums.spent.credits, 2);
  EXPECT_EQ(sums.reserved.credits, 0);
}

TEST(Account, LetsALateAnswerEndTheDoubt) {
  const Sums sums = all_sums(
      {reserve_of("a", 3), entry_of(kUnknown, "a"), entry_of(kSubmitted, "a", "t"), settle_of("a", "t", 2)});
  EXPECT_EQ(sums.spent.credits, 2);
  EXPECT_EQ(sums.unknown, 0u);
}

TEST(Account, LetsATaskThatWasLostSettleAfterAll) {
  std::vector<LedgerEntry> entries{reserve_of("a", 3), entry_of(kSubmitted, "a", "t"),
                                   entry_of(kUnknown, "a", "t")};
  EXPECT_EQ(all_sums(entries).unknown, 1u);
  EXPECT_EQ(all_sums(entries).reserved.credits, 3);
  entries.push_back(settle_of("a", "t", 2));
  EXPECT_EQ(all_sums(entries).unknown, 0u);
  EXPECT_EQ(all_sums(entries).spent.credits, 2);
}

TEST(Account, CountsADoubtOnceWhenTwoSayIt) {
  EXPECT_EQ(all_sums({reserve_of("a", 3), entry_of(kUnknown, "a"), entry_of(kUnknown, "a")}).unknown, 1u);
}

TEST(Account, CountsEachDoubtThatARecordTellsOf) {
  LedgerEntry imported = entry_of(kUnknown, "a");
  imported.imported = true;
  EXPECT_EQ(all_sums({imported, imported}).unknown, 2u);
}

TEST(Account, ReleasesTheReservationOfATaskThatIsCountedAlready) {
  const Sums sums = all_sums({reserve_of("a", 3), entry_of(kSubmitted, "a", "t"), settle_of("a", "t", 2),
                              reserve_of("a", 3), entry_of(kSubmitted, "a", "t")});
  EXPECT_EQ(sums.spent.credits, 2);
  EXPECT_EQ(sums.reserved.credits, 0);
  EXPECT_EQ(sums.spent.tasks, 1);
}

TEST(Account, CountsImportedTasks) {
  LedgerEntry imported = settle_of("a", "t", 2);
  imported.imported = true;
  EXPECT_EQ(all_sums({imported}).spent.credits, 2);
  imported.attached = true;
  EXPECT_EQ(all_sums({imported}).spent.credits, 0);
}

TEST(Account, CorrectsTheTaskThatIsNamedOrTheLatestOfTheKey) {
  const std::vector<LedgerEntry> entries{
      reserve_of("a", 3), entry_of(kSubmitted, "a", "t1"), settle_of("a", "t1", 2),
      reserve_of("a", 3), entry_of(kSubmitted, "a", "t2"), settle_of("a", "t2", 2),
      reserve_of("a", 3), entry_of(kRelease, "a")};
  const auto with = [&](const LedgerEntry &correction) {
    auto all = entries;
    all.push_back(correction);
    return account_of(all);
  };
  EXPECT_EQ(with(correct_of("a", "t1", 7)).charges()[0].amount, 7);
  EXPECT_EQ(with(correct_of("a", "", 7)).charges()[1].amount, 7);
  EXPECT_EQ(with(correct_of("a", "", 7)).charges()[0].amount, 2);
  EXPECT_EQ(with(correct_of("a", "", 7)).sums({}, 0).spent.credits, 9);
  const Account account = account_of(entries);
  ASSERT_TRUE(account.find("t1") && account.find("a"));
  EXPECT_EQ(account.find("t1")->task_id, "t1");
  EXPECT_EQ(account.find("a")->task_id, "t2");
  EXPECT_FALSE(account.find("nothing"));
}

TEST(Account, BelievesAPersonMoreThanTheService) {
  const Sums sums = all_sums(
      {reserve_of("a", 3), entry_of(kSubmitted, "a", "t"), correct_of("a", "t", 1), settle_of("a", "t", 2)});
  EXPECT_EQ(sums.spent.credits, 1);
}

TEST(Account, CountsAChargeOnTheDayOnWhichItWasReserved) {
  const Account account =
      account_of({reserve_of("a", 3, "2026-11-22T23:59:59.999Z"), entry_of(kSubmitted, "a", "t"),
                  settle_of("a", "t", 2, "completed", "2026-11-23T00:10:00.000Z")});
  const UtcDay first = *utc_day("2026-11-22"), second = *utc_day("2026-11-23");
  EXPECT_EQ(account.sums({first, second}, 0).spent.credits, 2);
  EXPECT_EQ(account.sums({second, {}}, 0).spent.credits, 0);
}

TEST(Account, LearnsPricesFromCompletedTasksAndTheirCorrections) {
  std::vector<LedgerEntry> entries{reserve_of("a", 3), settle_of("a", "t1", 2), reserve_of("b", 3),
                                   settle_of("b", "t2", 1, "failed"), settle_of("c", "foreign", 50)};
  const auto amounts = [&] {
    std::vector<double> found;
    const Account account = account_of(entries);
    for (const auto &[price_class, samples] : account.prices().classes())
      for (const auto &sample : samples) found.push_back(sample.amount);
    return found;
  };
  EXPECT_EQ(amounts(), std::vector<double>{2});
  entries.push_back(correct_of("a", "t1", 4));
  EXPECT_EQ(amounts(), std::vector<double>{4});
}

// ---- Condensed.

LedgerEntry told(LedgerEntry entry, double amount) {
  entry.amount = amount;
  return entry;
}

std::vector<LedgerEntry> story() {
  return {reserve_of("h", 3),
          told(entry_of(kSubmitted, "h", "t10"), 9),
          reserve_of("i", {}),
          told(entry_of(kSubmitted, "i", "t11"), 1),
          entry_of(kUnknown, "i", "t11"),
          reserve_of("a", 3),
          entry_of(kSubmitted, "a", "t1"),
          settle_of("a", "t1", 2),
          reserve_of("b", 3),
          entry_of(kUnknown, "b"),
          reserve_of("b", 3),
          entry_of(kSubmitted, "b", "t2"),
          reserve_of("c", {}),
          entry_of(kSubmitted, "c", "t3"),
          settle_of("c", "t3", {}),
          reserve_of("d", 3),
          entry_of(kRelease, "d"),
          settle_of("e", "foreign", 9),
          reserve_of("f", 4),
          entry_of(kSubmitted, "f", "t4"),
          entry_of(kUnknown, "f", "t4"),
          reserve_of("j", 3),
          entry_of(kSubmitted, "j", "t12"),
          correct_of("j", "t12", 5),
          reserve_of("k", 3),
          entry_of(kUnknown, "k"),
          correct_of("k", "", 7),
          reserve_of("g", 1),
          reserve_of("h", 2, "2026-11-23T00:00:00.000Z")};
}

void expect_same_sums(const Account &a, const Account &b) {
  for (const double assumed : {0.0, 5.0})
    for (const Period &period :
         {Period{}, Period{utc_day("2026-11-23"), {}}, Period{{}, utc_day("2026-11-23")}}) {
      EXPECT_EQ(a.sums(period, assumed).spent.credits, b.sums(period, assumed).spent.credits);
      EXPECT_EQ(a.sums(period, assumed).reserved.credits, b.sums(period, assumed).reserved.credits);
      EXPECT_EQ(a.sums(period, assumed).spent.tasks, b.sums(period, assumed).spent.tasks);
      EXPECT_EQ(a.sums(period, assumed).unknown, b.sums(period, assumed).unknown);
      EXPECT_EQ(a.sums(period, assumed).untold, b.sums(period, assumed).untold);
    }
}

TEST(CondensedAccount, HasTheSameSums) {
  const Account whole = account_of(story());
  expect_same_sums(whole.condensed(), whole);
  expect_same_sums(whole.condensed().condensed(), whole);
  EXPECT_LT(whole.condensed().charges().size(), whole.charges().size());
}

// No run writes such a line: it is damaged.
TEST(CondensedAccount, HasTheSameSumsThoughAReservationNamesATask) {
  LedgerEntry settle = entry_of(LedgerEvent::settle, "a");
  const Account whole = account_of({entry_of(LedgerEvent::reserve, "a", "t"), settle});
  EXPECT_EQ(whole.sums({}, 0).spent.tasks, 1);
  Account small = account_of({entry_of(LedgerEvent::reserve, "a", "t")}).condensed();
  for (const LedgerEntry &entry : entries_of(small)) EXPECT_NE(entry.event, LedgerEvent::submitted);
  ASSERT_TRUE(small.apply(settle));
  expect_same_sums(small, whole);
}

TEST(CondensedAccount, CountsOnTheDayOfTheReservationToo) {
  const Account account =
      account_of({reserve_of("a", 3, "2026-11-22T23:59:59.999Z"), entry_of(kSubmitted, "a", "t"),
                  settle_of("a", "t", 2, "completed", "2026-11-23T00:10:00.000Z")});
  EXPECT_EQ(account.condensed().sums({*utc_day("2026-11-23"), {}}, 0).spent.credits, 0);
  EXPECT_EQ(account.condensed().sums({{}, *utc_day("2026-11-23")}, 0).spent.credits, 2);
}

TEST(CondensedAccount, IsMadeAgainByItsEntries) {
  const Account small = account_of(story()).condensed();
  Account again(small.let_go(), small.prices());
  for (const LedgerEntry &entry : entries_of(small)) EXPECT_TRUE(again.apply(entry)) << ledger_line(entry);
  ASSERT_EQ(again.charges().size(), small.charges().size());
  for (size_t i = 0; i < small.charges().size(); ++i) {
    EXPECT_EQ(again.charges()[i].state, small.charges()[i].state) << small.charges()[i].key;
    EXPECT_EQ(again.charges()[i].task_id, small.charges()[i].task_id);
    EXPECT_EQ(again.charges()[i].status, small.charges()[i].status);
    EXPECT_EQ(again.charges()[i].at, small.charges()[i].at);
    EXPECT_TRUE(again.charges()[i].estimate == small.charges()[i].estimate);
    EXPECT_EQ(again.charges()[i].amount, small.charges()[i].amount);
    EXPECT_EQ(again.charges()[i].corrected, small.charges()[i].corrected);
  }
  expect_same_sums(again, small);
}

TEST(CondensedAccount, TakesWhatFollowsLikeTheWholeOneOrSaysThatItCannot) {
  const std::vector<LedgerEntry> next{settle_of("b", "t2", 5),
                                      settle_of("f", "t4", 5),
                                      settle_of("g", "t9", 5),
                                      entry_of(kRelease, "g"),
                                      entry_of(kUnknown, "g"),
                                      entry_of(kSubmitted, "b", "t8"),
                                      settle_of("a", "t1", 7),
                                      settle_of("x", "foreign2", 7),
                                      correct_of("a", "t1", 7),
                                      correct_of("b", "", 7),
                                      entry_of(kUnknown, "a"),
                                      entry_of(kSubmitted, "z", "t7"),
                                      reserve_of("a", 3),
                                      entry_of(kSubmitted, "a", "t1"),
                                      settle_of("j", "t12", 9),
                                      settle_of("j", "t12", 0, "failed"),
                                      entry_of(kUnknown, "j", "t12"),
                                      entry_of(kSubmitted, "k", "t13"),
                                      entry_of(kUnknown, "k")};
  unsigned taken = 0;
  for (const LedgerEntry &entry : next) {
    Account whole = account_of(story());
    Account small = whole.condensed();
    ASSERT_TRUE(whole.apply(entry));
    if (!small.apply(entry)) continue;
    ++taken;
    SCOPED_TRACE(ledger_line(entry));
    expect_same_sums(small, whole);
  }
  EXPECT_GE(taken, 11u);
}

// Said twice, when the next run has reserved: what the task has cost is not about that reservation.
TEST(CondensedAccount, DoesNotTakeWhatIsSaidAgainOfATaskForTheNextReservation) {
  for (const LedgerEntry &again : {settle_of("a", "t1", 2), entry_of(kUnknown, "a", "t1")}) {
    SCOPED_TRACE(ledger_line(again));
    Account whole = account_of(story());
    Account small = whole.condensed();
    ASSERT_TRUE(whole.apply(reserve_of("a", 3)) && small.apply(reserve_of("a", 3)));
    ASSERT_TRUE(whole.apply(again));
    EXPECT_FALSE(small.apply(again));
    expect_same_sums(small, whole);
  }
}

}  // namespace
}  // namespace genclip::test
