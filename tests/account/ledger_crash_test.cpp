// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A crash at every file operation: what was reserved stays so, and the next writer repairs the rest.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <set>

#include "plugin/account/ledger.h"
#include "plugin/base/durable_file.h"
#include "tests/account/sample_entries.h"
#include "tests/support/fake_clock.h"
#include "tests/support/lossy_file_system.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

constexpr Loss kLosses[] = {Loss::nothing, Loss::names, Loss::contents, Loss::both};

class LedgerCrash : public testing::Test {
 protected:
  LedgerCrash() { begin(); }

  // A machine without a store.
  void begin() {
    const std::string root = folder_.path() + "/" + std::to_string(++machines_);
    std::filesystem::create_directory(root);
    store_ = root + "/new/store";
    files_ = std::make_unique<LossyFileSystem>(root);
  }
  std::string ledger_text() { return taken(read_whole(*files_, store_ + "/ledger.jsonl", 1'000'000)); }

  // A run of three clips; keys that were certainly reserved or paid when it ended.
  struct Known {
    std::set<std::string> reserved;
    std::set<std::string> settled;
  };
  Known run() {
    Known known;
    Ledger ledger(*files_, clock_, store_);
    for (const std::string key : {"a", "b", "c"}) {
      const auto reservation = ledger.reserve(facts_of(key), 0, nullptr);
      if (!reservation || reservation->decision.verdict != Verdict::allow) return known;
      known.reserved.insert(key);
      if (!ledger.append({entry_of(LedgerEvent::submitted, key, "t" + key)}, nullptr)) return known;
      if (!ledger.append({settle_of(key, "t" + key, 2)}, nullptr)) return known;
      known.settled.insert(key);
    }
    return known;
  }

  void expect_holds(const Known &known) {
    Ledger ledger(*files_, clock_, store_);
    const LedgerReading reading = taken(ledger.read_all());
    EXPECT_EQ(reading.skipped, 0u);
    for (const std::string &key : known.reserved) EXPECT_TRUE(reading.account.find(key)) << key;
    for (const std::string &key : known.settled)
      EXPECT_TRUE(reading.account.find(key) && reading.account.find(key)->amount == 2) << key;
    // The next writer.
    taken(ledger.append({entry_of(LedgerEvent::unknown, "next")}, nullptr));
    const LedgerReading after = taken(ledger.read_all());
    EXPECT_EQ(after.skipped, 0u);
    EXPECT_TRUE(after.account.find("next"));
    EXPECT_EQ(after.account.charges().size(), reading.account.charges().size() + 1);
    const std::string text = ledger_text();
    EXPECT_TRUE(text.ends_with("\n"));
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  unsigned machines_ = 0;
  std::string store_;
  std::unique_ptr<LossyFileSystem> files_;
};

TEST_F(LedgerCrash, AtAnyOperationKeepsWhatWasReserved) {
  run();
  const size_t operations = files_->operations();
  ASSERT_GT(operations, 40u);
  for (const Loss loss : kLosses)
    for (size_t operation = 1; operation <= operations; ++operation) {
      SCOPED_TRACE("operation " + std::to_string(operation) + ", loss " +
                   std::to_string(static_cast<int>(loss)));
      begin();
      files_->die_at(operation);
      const Known known = run();
      ASSERT_TRUE(files_->is_dead());
      files_->crash(loss);
      expect_holds(known);
    }
}

TEST_F(LedgerCrash, AmidASummaryLosesNothing) {
  const auto prepare = [&] {
    begin();
    std::string text;
    for (int i = 0; i < 260; ++i) {
      const std::string key = "old" + std::to_string(i);
      text += ledger_line(reserve_of(key, 3)) + "\n" + ledger_line(settle_of(key, "t" + key, 2)) + "\n";
    }
    ASSERT_TRUE(make_folder_durably(*files_, store_));
    ASSERT_TRUE(write_durably(*files_, store_ + "/ledger.jsonl", text));
  };
  prepare();
  const size_t before = files_->operations();
  run();
  const size_t operations = files_->operations();
  ASSERT_TRUE(taken(files_->info(store_ + "/ledger.summary")));
  for (const Loss loss : {Loss::nothing, Loss::both})
    for (size_t operation = before + 1; operation <= operations; operation += 5) {
      prepare();
      files_->die_at(operation);
      const Known known = run();
      files_->crash(loss);
      expect_holds(known);
      Ledger ledger(*files_, clock_, store_);
      EXPECT_EQ(taken(ledger.read_condensed()).account.sums({}, 0).spent.credits,
                taken(ledger.read_all()).account.sums({}, 0).spent.credits);
    }
}

// A dead run's task has cost more than was expected, which the summary cannot take: the ledger is read anew.
TEST_F(LedgerCrash, NoFailedCallHidesWhatADeadRunHasPaid) {
  const UtcTime now = to_utc(clock_.wall_now());
  std::string text;
  for (int i = 0; i < 260; ++i) {
    const std::string key = "old" + std::to_string(i);
    text += ledger_line(reserve_of(key, 2)) + "\n" + ledger_line(settle_of(key, "t" + key, 2)) + "\n";
  }
  text += ledger_line(reserve_of("clip", 2, utc_text(now))) + "\n";
  const auto paid = [](const Charge &) { return std::vector{settle_of("clip", "task", 9)}; };
  const auto prepare = [&] {
    begin();
    ASSERT_TRUE(make_folder_durably(*files_, store_));
    ASSERT_TRUE(write_durably(*files_, store_ + "/ledger.jsonl", text));
    Ledger ledger(*files_, clock_, store_);
    taken(ledger.append({entry_of(LedgerEvent::unknown, "another")}, nullptr));
    taken(ledger.change_budget({{budget_limits()[1], 10}}, nullptr));
    ASSERT_TRUE(taken(files_->info(store_ + "/ledger.summary")));
  };
  prepare();
  size_t before = files_->operations();
  EXPECT_EQ(
      taken(Ledger(*files_, clock_, store_).reserve(facts_of("clip"), 0, nullptr, paid)).decision.verdict,
      Verdict::refuse);
  const size_t calls = files_->operations() - before;
  for (size_t call = 1; call <= calls; ++call) {
    prepare();
    files_->fail_at(files_->operations() + call, Error{ErrorKind::read, "Input/output error."});
    const auto reservation = Ledger(*files_, clock_, store_).reserve(facts_of("clip"), 0, nullptr, paid);
    EXPECT_TRUE(!reservation || reservation->decision.verdict == Verdict::refuse) << "call " << call;
  }
}

// Captions may have begun the ledger. Half an import looks like one that was made.
TEST_F(LedgerCrash, AnImportBehindCaptionsIsWholeOrIsMadeAgain) {
  LedgerEntry captions = entry_of(LedgerEvent::captions, "run");
  captions.captions.requests = 5;
  const std::string line = ledger_line(captions);
  const auto import = [&]() -> Result<std::vector<LedgerEntry>> {
    std::vector<LedgerEntry> entries;
    for (const std::string key : {"a", "b", "c"}) {
      entries.push_back(settle_of(key, "t" + key, 2));
      entries.back().imported = true;
    }
    return entries;
  };
  const std::string foreign(300'000, 'x');
  for (const std::string &tail : {std::string(), line.substr(0, 20), line, std::string(9, '\0'), foreign}) {
    const auto begin_ledger = [&] {
      begin();
      ASSERT_TRUE(make_folder_durably(*files_, store_));
      ASSERT_TRUE(write_durably(*files_, store_ + "/ledger.jsonl", line + "\n" + tail));
    };
    begin_ledger();
    const size_t before = files_->operations();
    EXPECT_TRUE(taken(Ledger(*files_, clock_, store_).begin_with(import, nullptr)));
    const size_t operations = files_->operations();
    ASSERT_GT(operations, before + 3);
    for (const Loss loss : kLosses)
      for (size_t operation = before + 1; operation <= operations; ++operation) {
        SCOPED_TRACE("operation " + std::to_string(operation - before) + ", loss " +
                     std::to_string(static_cast<int>(loss)) + ", a tail of " + std::to_string(tail.size()));
        begin_ledger();
        files_->die_at(operation);
        static_cast<void>(Ledger(*files_, clock_, store_).begin_with(import, nullptr));
        files_->crash(loss);
        static_cast<void>(taken(Ledger(*files_, clock_, store_).begin_with(import, nullptr)));
        const LedgerReading reading = taken(Ledger(*files_, clock_, store_).read_all());
        EXPECT_EQ(reading.account.sums({}, 0).spent.credits, 6);
        EXPECT_EQ(reading.account.sums({}, 0).spent.requests, tail == line ? 10 : 5);
        EXPECT_EQ(reading.skipped, tail == foreign ? 1u : 0u);
        EXPECT_TRUE(ledger_text().ends_with("\n"));
      }
  }
}

TEST_F(LedgerCrash, AFullDiskReservesNothingAndLeavesTheLedgerWhole) {
  run();
  const std::string before = ledger_text();
  for (const uint64_t room : {0, 1, 50, 200}) {
    files_->limit_space(before.size() + room);
    Ledger ledger(*files_, clock_, store_);
    EXPECT_EQ(failure_of(ledger.reserve(facts_of("d"), 0, nullptr)).kind, ErrorKind::no_space_left);
    files_->limit_space(std::nullopt);
    EXPECT_EQ(ledger_text(), before);
  }
}

TEST_F(LedgerCrash, AFailedSyncReservesNothing) {
  run();
  const std::string before = ledger_text();
  Ledger ledger(*files_, clock_, store_);
  const auto calls_of_a_reservation = [&] {
    const size_t begin = files_->operations();
    taken(ledger.reserve(facts_of("d"), 0, nullptr));
    const size_t calls = files_->operations() - begin;
    taken(ledger.append({entry_of(LedgerEvent::release, "d")}, nullptr));
    return calls;
  };
  calls_of_a_reservation();  // The first one reads more.
  const size_t calls = calls_of_a_reservation();
  // The sync is the last call of a reservation.
  const std::string whole = ledger_text();
  files_->fail_at(files_->operations() + calls, Error{ErrorKind::write, "Input/output error."});
  EXPECT_EQ(failure_of(ledger.reserve(facts_of("e"), 0, nullptr)).kind, ErrorKind::write);
  EXPECT_EQ(ledger_text(), whole);
  EXPECT_TRUE(whole.starts_with(before));
}

}  // namespace
}  // namespace genclip::test
