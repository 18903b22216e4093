// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The ledger as a file: appended, read, repaired; its summary; many writers.
#include "plugin/account/ledger.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <tuple>
#include <vector>

#include "plugin/account/ledger_file.h"
#include "plugin/account/ledger_summary.h"
#include "plugin/base/durable_file.h"
#include "tests/account/sample_entries.h"
#include "tests/support/acting_clock.h"
#include "tests/support/fake_clock.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

class LedgerTest : public testing::Test {
 protected:
  LedgerTest() : store_(folder_.path() + "/store"), ledger_(FileSystem::posix(), clock_, store_) {}

  std::string path(const std::string &name) const { return store_ + "/" + name; }
  std::string contents(const std::string &name = "ledger.jsonl") const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string &text, const std::string &name = "ledger.jsonl") const {
    std::filesystem::create_directories(store_);
    std::ofstream(path(name), std::ios::binary) << text;
  }
  void append(const LedgerEntry &entry) { taken(ledger_.append({entry}, nullptr)); }
  Ledger::Reservation reserve(const std::string &key, double max_amount = 0) {
    return taken(ledger_.reserve(facts_of(key), max_amount, nullptr));
  }
  // A clip that has cost that much.
  void pay(const std::string &key, double amount) {
    append(entry_of(LedgerEvent::reserve, key));
    append(entry_of(LedgerEvent::submitted, key, "task of " + key));
    append(settle_of(key, "task of " + key, amount));
  }
  static std::string lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const std::string key = "old" + std::to_string(i);
      text += ledger_line(reserve_of(key, 3)) + "\n" + ledger_line(settle_of(key, "t" + key, 2)) + "\n";
    }
    return text;
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  const std::string store_;
  Ledger ledger_;
};

TEST_F(LedgerTest, IsEmptyWithoutAFile) {
  EXPECT_EQ(taken(ledger_.read_all()).lines, 0u);
  EXPECT_EQ(taken(ledger_.read_condensed()).lines, 0u);
  EXPECT_FALSE(std::filesystem::exists(store_));
}

TEST_F(LedgerTest, AppendsALineWithTheTime) {
  append(entry_of(LedgerEvent::unknown, "a"));
  LedgerEntry expected = entry_of(LedgerEvent::unknown, "a", "", "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(contents(), ledger_line(expected) + "\n");
}

TEST_F(LedgerTest, ReservesWithTheEstimateThatItsHistoryGives) {
  EXPECT_FALSE(reserve("first").estimate);
  append(entry_of(LedgerEvent::release, "first"));
  pay("a", 2);
  pay("b", 4);
  const auto reservation = reserve("c");
  EXPECT_EQ(reservation.decision.verdict, Verdict::allow);
  ASSERT_TRUE(reservation.estimate);
  EXPECT_EQ(reservation.estimate->high, 4);
  EXPECT_EQ(taken(ledger_.read_all()).account.sums({}, 0).reserved.credits, 4);
}

TEST_F(LedgerTest, ReservesNothingThatTheBudgetRefuses) {
  pay("a", 2);
  put(R"({"total":3})", "budget.json");
  const std::string before = contents();
  const auto refused = reserve("b");
  EXPECT_EQ(refused.decision.verdict, Verdict::refuse);
  EXPECT_EQ(contents(), before);
}

// ---- Amounts that are not told.

class UntoldAmounts : public LedgerTest {
 protected:
  // The warning about such a clip.
  std::string warning(const SettleNote &note = {}, std::optional<double> estimate = {},
                      const std::string &status = "completed") {
    const std::string key = "clip" + std::to_string(++count_), task = "t-" + std::to_string(count_);
    append(reserve_of(key, estimate));
    append(entry_of(LedgerEvent::submitted, key, task));
    return taken(ledger_.append({settle_of(key, task, {}, status)}, nullptr, note)).warning;
  }

  int count_ = 0;
};

TEST_F(UntoldAmounts, AreToldUnderEachLimitOfCredits) {
  EXPECT_EQ(warning(), "") << "no limit";
  for (const char *limit : {"per_clip", "per_day", "per_month", "total"}) {
    put(R"({")" + std::string(limit) + R"(":5})", "budget.json");
    const std::string text = warning(), task = "t-" + std::to_string(count_);
    EXPECT_EQ(text,
              "The service has not told what the task " + task +
                  " has cost. It counts in the budget with nothing, until you enter what it was: genclip "
                  "cost correct " +
                  task + " AMOUNT. To say what such clips count with: genclip budget set --assumed-price N.")
        << limit;
  }
  put(R"({"tasks_per_day":5})", "budget.json");
  EXPECT_EQ(warning(), "");
  EXPECT_NE(warning({.max_amount = 5}), "");
}

TEST_F(UntoldAmounts, SayWithWhatTheyCount) {
  put(R"({"total":50,"assumed_price":1})", "budget.json");
  EXPECT_EQ(
      warning(),
      "The service has not told what the task t-1 has cost. It counts in the budget with 1 credit, which is "
      "the assumed price, until you enter what it was: genclip cost correct t-1 AMOUNT.");
  EXPECT_EQ(
      warning({}, 7.5),
      "The service has not told what the task t-2 has cost. It counts in the budget with 7.5 credits, which "
      "is its estimate, until you enter what it was: genclip cost correct t-2 AMOUNT.");
  EXPECT_EQ(taken(ledger_.read_all()).account.sums({}, 1).reserved.credits, 8.5);
}

TEST_F(UntoldAmounts, OfAnOddSpellingAreToldWithoutALimitToo) {
  const std::string text = warning({.odd_amount = "\"12,5\""});
  EXPECT_TRUE(
      text.starts_with("The service has not told what the task t-1 has cost: its amount is \"12,5\", which "
                       "is not a plain number of credits. It counts in the budget with nothing, until"))
      << text;
}

TEST_F(UntoldAmounts, OfATaskThatFailedOrIsCorrectedOrCountsNowhereAreNot) {
  put(R"({"total":5})", "budget.json");
  EXPECT_EQ(warning({}, {}, "failed"), "");
  append(entry_of(LedgerEvent::reserve, "a"));
  append(entry_of(LedgerEvent::submitted, "a", "t"));
  append(correct_of("a", "t", 3));
  EXPECT_EQ(taken(ledger_.append({settle_of("a", "t", {})}, nullptr)).warning, "");
  LedgerEntry attached = settle_of("b", "t of somebody", {});
  attached.attached = true;
  EXPECT_EQ(taken(ledger_.append({attached}, nullptr)).warning, "");
}

TEST_F(LedgerTest, RefusesUnderABudgetThatCannotBeRead) {
  for (const char *text : {"", "{", "[]", R"({"per_dya":5})", R"({"total":"5"})", R"({"total":-1})",
                           R"({"total":5,"total":0})", R"({"total":5,"tot\u0061l":0})", R"({"total":010})",
                           R"({"total":0x10})", R"({"total":1e999})", R"({"per_clip":-1e999})", "\xff"}) {
    put(text, "budget.json");
    const auto refused = reserve("a");
    EXPECT_EQ(refused.decision.verdict, Verdict::refuse) << text;
    EXPECT_NE(refused.decision.text.find("budget.json"), std::string::npos) << refused.decision.text;
    EXPECT_NE(refused.decision.text.find("genclip budget clear"), std::string::npos);
  }
  std::filesystem::remove(path("budget.json"));
  std::filesystem::create_directory(path("budget.json"));
  EXPECT_EQ(reserve("a").decision.verdict, Verdict::refuse);
  EXPECT_EQ(contents(), "");
}

TEST_F(LedgerTest, EndsALineThatLacksOnlyItsNewline) {
  const std::string first = ledger_line(reserve_of("a", 3));
  put(first);
  EXPECT_EQ(taken(ledger_.read_all()).account.sums({}, 0).reserved.credits, 3);
  append(settle_of("a", "t", 2));
  EXPECT_TRUE(contents().starts_with(first + "\n{")) << contents();
  EXPECT_EQ(taken(ledger_.read_all()).skipped, 0u);
  EXPECT_EQ(taken(ledger_.read_all()).account.sums({}, 0).spent.credits, 2);
}

TEST_F(LedgerTest, DropsATornLastLine) {
  const std::string first = ledger_line(reserve_of("a", 3)) + "\n";
  const std::string second = ledger_line(settle_of("a", "t", 2));
  for (size_t size = 1; size < second.size(); ++size) {
    put(first + second.substr(0, size));
    EXPECT_EQ(taken(ledger_.read_all()).skipped, 0u);
    append(entry_of(LedgerEvent::unknown, "a"));
    EXPECT_TRUE(contents().starts_with(first + "{\"at\":\"2026-01-01")) << size << contents();
    EXPECT_EQ(taken(ledger_.read_all()).lines, 2u);
  }
}

TEST_F(LedgerTest, DropsATornLineThatIsLongerThanTheNextOne) {
  LedgerEntry large = reserve_of("a", 3);
  large.project = std::string(900, 'p');
  const std::string torn = ledger_line(large);
  put(torn.substr(0, torn.size() - 1));
  append(entry_of(LedgerEvent::unknown, "b"));
  EXPECT_EQ(contents().find("ppp"), std::string::npos);
  EXPECT_EQ(taken(ledger_.read_all()).lines, 1u);
}

TEST_F(LedgerTest, SkipsAndCountsWhatIsNoLine) {
  const std::string good = ledger_line(reserve_of("a", 3)) + "\n";
  put("rubbish\n" + good + "\n{\"at\":1}\n" + std::string(10, '\0') + "\n" + good);
  const LedgerReading reading = taken(ledger_.read_all());
  EXPECT_EQ(reading.lines, 6u);
  EXPECT_EQ(reading.skipped, 4u);
  EXPECT_EQ(reading.account.sums({}, 0).reserved.credits, 6);
  EXPECT_EQ(reserve("b").skipped, 4u);
}

TEST_F(LedgerTest, KeepsWhatIsTooLongToBeATornLine) {
  const std::string foreign(300'000, 'x');
  put(foreign);
  EXPECT_EQ(taken(ledger_.read_all()).skipped, 1u);
  append(entry_of(LedgerEvent::unknown, "a"));
  EXPECT_TRUE(contents().starts_with(foreign + "\n{"));
  EXPECT_EQ(taken(ledger_.read_all()).skipped, 1u);
}

// L4. The zeros that a crash may leave, behind a line or amid one.
TEST_F(LedgerTest, DropsAnyNumberOfZerosBehindItsLastLine) {
  const std::string good = ledger_line(reserve_of("a", 3)) + "\n";
  for (const std::string &begun : {std::string(), good.substr(0, 20)})
    for (const uintmax_t zeros : {uintmax_t{10}, uintmax_t{300'000}, uintmax_t{1} << 30}) {
      put(good + begun);
      std::filesystem::resize_file(path("ledger.jsonl"), good.size() + begun.size() + zeros);
      rusage before = {}, after = {};
      ::getrusage(RUSAGE_SELF, &before);
      EXPECT_EQ(taken(ledger_.read_all()).skipped, 0u);
      append(entry_of(LedgerEvent::unknown, "a"));
      ::getrusage(RUSAGE_SELF, &after);
      EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 * 1024) << zeros;
      EXPECT_LT(contents().size(), 2 * good.size()) << zeros;
      EXPECT_TRUE(contents().starts_with(good + "{\"at\":\"2026-01-01")) << zeros;
      EXPECT_EQ(taken(ledger_.read_all()).lines, 2u);
    }
}

TEST_F(LedgerTest, KeepsLinesBehindAnyNumberOfZeros) {
  const std::string good = ledger_line(reserve_of("a", 3)) + "\n";
  put(good + std::string(2'000'000, '\0') + "\n" + good + std::string(300'000, '\0') + good);
  const LedgerReading reading = taken(ledger_.read_all());
  EXPECT_EQ(reading.lines, 4u);
  EXPECT_EQ(reading.skipped, 2u);
  EXPECT_EQ(reading.account.sums({}, 0).reserved.credits, 6);
  put(contents() + "torn");
  append(entry_of(LedgerEvent::unknown, "b"));
  EXPECT_EQ(taken(Ledger(FileSystem::posix(), clock_, store_).read_all()).lines, 5u);
}

// L4. A parser would need six seconds for a million of them.
TEST_F(LedgerTest, ReadsEmptyLinesByTheMegabyte) {
  const std::string good = ledger_line(reserve_of("a", 3)) + "\n";
  const size_t many = 3 << 20;
  put(good + std::string(many, '\n') + good + "\n" + good);
  const auto file = taken(FileSystem::posix().open(path("ledger.jsonl"), FileSystem::Mode::read));
  uint64_t calls = 0, lines = 0;
  const LedgerEnd end = taken(read_lines(*file, 0, [&](std::string_view, uint64_t count) {
    ++calls;
    lines += count;
    return true;
  }));
  EXPECT_LT(calls, 12u);
  EXPECT_EQ(lines, many + 4);
  EXPECT_EQ(end.whole, end.size);
  const LedgerReading reading = taken(ledger_.read_all());
  EXPECT_EQ(reading.lines, many + 4);
  EXPECT_EQ(reading.skipped, many + 1);
  EXPECT_EQ(reading.account.sums({}, 0).reserved.credits, 9);
  append(entry_of(LedgerEvent::unknown, "b"));
  EXPECT_EQ(taken(Ledger(FileSystem::posix(), clock_, store_).read_all()).lines, many + 5);
}

TEST_F(LedgerTest, KeepsWhatIsNoZeroThoughZerosFollow) {
  const std::string foreign = std::string(300'000, 'x') + std::string(2'000'000, '\0');
  put(foreign);
  append(entry_of(LedgerEvent::unknown, "a"));
  EXPECT_TRUE(contents().starts_with(foreign + "\n{"));
}

// Else each run would read it again.
TEST_F(LedgerTest, SumsUpBehindWhatIsTooLongToBeALine) {
  put(ledger_line(reserve_of("a", 3)) + "\n" + std::string(300'000, 'x'));
  append(entry_of(LedgerEvent::unknown, "a"));
  EXPECT_NE(contents("ledger.summary"), "");
  EXPECT_EQ(taken(Ledger(FileSystem::posix(), clock_, store_).read_condensed()).skipped, 1u);
}

TEST_F(LedgerTest, KeepsLinesOfALaterVersionToTheByte) {
  const std::string later = R"({"at":"2030-01-01T00:00:00Z","event":"subtitles","key":"k","tokens":[5]})"
                            "\n";
  put(later);
  append(entry_of(LedgerEvent::unknown, "a"));
  EXPECT_TRUE(contents().starts_with(later));
  EXPECT_EQ(taken(ledger_.read_all()).skipped, 0u);
}

TEST_F(LedgerTest, BeginsWithWhatIsImportedOnce) {
  LedgerEntry imported = settle_of("a", "t", 2, "completed", "2025-05-05T05:05:05.000Z");
  imported.imported = true;
  const auto import = [&]() -> Result<std::vector<LedgerEntry>> {
    return std::vector<LedgerEntry>{imported};
  };
  EXPECT_TRUE(taken(ledger_.begin_with(import, nullptr)));
  EXPECT_FALSE(taken(ledger_.begin_with(import, nullptr)));
  EXPECT_EQ(contents(), ledger_line(imported) + "\n");
}

TEST_F(LedgerTest, ComparesNoTaskWithAnotherServicesOfTheSameId) {
  LedgerEntry dear = settle_of("a", "t", 3), elsewhere = reserve_of("b", 2);
  elsewhere.base_url = "https://other.example";
  LedgerEntry submitted = entry_of(LedgerEvent::submitted, "b", "t");
  submitted.base_url = elsewhere.base_url;
  taken(ledger_.append({reserve_of("a", 4), entry_of(LedgerEvent::submitted, "a", "t"), elsewhere, submitted},
                       nullptr));
  EXPECT_EQ(taken(ledger_.append({dear}, nullptr)).warning, "");
}

TEST_F(LedgerTest, WarnsOfATaskThatCostMoreThanItsEstimate) {
  pay("a", 2);
  reserve("b");
  append(entry_of(LedgerEvent::submitted, "b", "tb"));
  EXPECT_NE(taken(ledger_.append({settle_of("b", "tb", 3)}, nullptr)).warning, "");
  reserve("c");
  append(entry_of(LedgerEvent::submitted, "c", "tc"));
  EXPECT_EQ(taken(ledger_.append({settle_of("c", "tc", 3)}, nullptr)).warning, "");
}

// The line through 4 s for 0.4 and 5 s for 0.5 says 0.7999999999999999 for 8 s.
TEST_F(LedgerTest, DoesNotWarnOfWhatOnlyRoundingAddsToAnEstimate) {
  const auto event_of = [](LedgerEvent event, double duration, const std::string &task_id) {
    LedgerEntry entry(event, facts_of(task_id, duration));
    entry.task_id = task_id;
    return entry;
  };
  const auto settled = [&](double duration, const std::string &task_id, double amount) {
    LedgerEntry entry = event_of(LedgerEvent::settle, duration, task_id);
    entry.amount = amount;
    entry.status = "completed";
    return entry;
  };
  for (const auto &[duration, task_id, amount] :
       {std::tuple(4.0, "four", 0.4), std::tuple(5.0, "five", 0.5), std::tuple(8.0, "eight", 0.8)}) {
    const auto reserved = taken(ledger_.reserve(facts_of(task_id, duration), 0, nullptr));
    if (duration == 8) {
      ASSERT_TRUE(reserved.estimate);
      EXPECT_EQ(reserved.estimate->basis, "line");
    }
    append(event_of(LedgerEvent::submitted, duration, task_id));
    const auto appended = taken(ledger_.append({settled(duration, task_id, amount)}, nullptr));
    if (duration == 8) {
      EXPECT_EQ(appended.warning, "");
    }
  }
}

TEST_F(LedgerTest, IsLeftWhenItsCallerLeaves) {
  const auto held = FileLock::try_lock((put(""), path("ledger.lock")));
  ASSERT_TRUE(held && *held);
  GCancellable *cancellable = g_cancellable_new();
  g_cancellable_cancel(cancellable);
  EXPECT_EQ(failure_of(ledger_.reserve(facts_of("a"), 0, cancellable)).kind, ErrorKind::cancelled);
  g_object_unref(cancellable);
  EXPECT_EQ(failure_of(ledger_.reserve(facts_of("a"), 0, nullptr)).kind, ErrorKind::busy);
}

// ---- What a process keeps of it between two changes.

TEST_F(LedgerTest, ReadsForTheNextChangeOnlyWhatIsNew) {
  put(lines(100));
  append(entry_of(LedgerEvent::reserve, "a"));
  // A reading of all of it would find and count this.
  std::string changed = contents();
  changed.replace(0, 8, "########");
  put(changed);
  Ledger other(FileSystem::posix(), clock_, store_);
  EXPECT_EQ(taken(other.reserve(facts_of("b"), 0, nullptr)).skipped, 0u);
  // What another process has written since counts.
  put(contents() + "nonsense\n");
  EXPECT_EQ(reserve("c").skipped, 1u);
  EXPECT_EQ(reserve("d").skipped, 1u);
  EXPECT_EQ(taken(ledger_.read_all()).skipped, 2u);
}

TEST_F(LedgerTest, ReadsAnotherLedgerInItsPlaceWhole) {
  put(lines(100));
  append(entry_of(LedgerEvent::reserve, "a"));
  const std::string whole = contents();
  put("nonsense\n" + whole.substr(0, whole.size() / 2));  // It lost its end.
  EXPECT_EQ(reserve("b").skipped, 1u);
  put("nonsense\nnonsense\n" + lines(200));  // It is a longer one.
  EXPECT_EQ(reserve("c").skipped, 2u);
  std::filesystem::remove_all(store_);
  EXPECT_EQ(reserve("d").skipped, 0u);
  EXPECT_EQ(taken(ledger_.read_all()).account.charges().size(), 1u);
}

TEST_F(LedgerTest, CountsALineThatLacksOnlyItsNewlineOnceInEachDecision) {
  put(lines(1) + ledger_line(reserve_of("a", 3)));
  put(R"({"total":5.5})", "budget.json");
  for (int times = 0; times < 3; ++times) {
    const Decision decision = reserve("b").decision;
    EXPECT_EQ(decision.verdict, Verdict::refuse);
    EXPECT_EQ(decision.spent, 2);
    EXPECT_EQ(decision.reserved, 3);
  }
}

TEST_F(LedgerTest, TellsWithAReservationHowLongSuchTasksTook) {
  for (const std::string key : {"a", "b", "c"}) {
    append(entry_of(LedgerEvent::reserve, key));
    append(entry_of(LedgerEvent::submitted, key, "t" + key));
    LedgerEntry settled = settle_of(key, "t" + key, 2);
    settled.waited = 60;
    settled.waited_error = 1;
    append(settled);
  }
  const auto waits = reserve("d").waits;
  ASSERT_EQ(waits.size(), 3u);
  EXPECT_EQ(waits[0].seconds, 60);
}

// ---- Its summary.

TEST_F(LedgerTest, SumsUpManyLinesAndReadsOnlyTheRestThen) {
  put(lines(300));
  append(entry_of(LedgerEvent::reserve, "a"));
  ASSERT_TRUE(std::filesystem::exists(path("ledger.summary")));
  pay("b", 2);
  // What the summary covers is not read any more, but for its end.
  std::string changed = contents();
  changed.replace(0, 8, "########");
  put(changed);
  const LedgerReading reading = taken(ledger_.read_condensed());
  EXPECT_TRUE(reading.account.is_condensed());
  EXPECT_EQ(reading.skipped, 0u);
  EXPECT_EQ(reading.lines, 604u);
  EXPECT_EQ(reading.account.sums({}, 0).spent.credits, 602);
  EXPECT_EQ(reading.account.sums({}, 0).spent.tasks, 302);
}

// Somebody has edited it, with its seals: the ledger is read in its place.
TEST_F(LedgerTest, BelievesNoSummaryWithSumsThatNoTasksCanHave) {
  const UtcDay today = day_of(to_utc(clock_.wall_now()));
  const auto is_believed = [&](const Amounts &total, double price) {
    PriceHistory prices;
    prices.put(price_class_of(facts_of("a")), 1, price);
    LedgerSummary summary;
    summary.account = Account({{today, total}}, prices);
    return read_summary(summary_text(summary)).has_value();
  };
  EXPECT_TRUE(is_believed({.credits = 3e9, .tasks = 3}, 1e9));
  EXPECT_FALSE(is_believed({.credits = 1e308, .tasks = 3}, 1));
  EXPECT_FALSE(is_believed({.credits = 3.1e9, .tasks = 3}, 1));
  EXPECT_FALSE(is_believed({.credits = -1, .tasks = 3}, 1));
  EXPECT_FALSE(is_believed({.credits = 3, .tasks = 3}, 1e308));
}

TEST(LedgerSummaries, KnowWhichClipsDidNotCome) {
  LedgerSummary summary;
  summary.account = account_of({reserve_of("u", 3), entry_of(LedgerEvent::submitted, "u", "t"),
                                settle_of("u", "t", 2), entry_of(LedgerEvent::unfetched, "u", "t")});
  const auto again = read_summary(summary_text(summary));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->account.unfetched(), summary.account.unfetched());
  EXPECT_TRUE(again->account.has_open("u"));
  EXPECT_EQ(again->account.sums({}, 0).spent.credits, 2);
}

// A hundred thousand lines take half a second, and a run reads this with its clip's lock.
TEST_F(LedgerTest, ReadsOfAClipNoMoreThanTheLinesAboutItAndItsTasks) {
  EXPECT_EQ(taken(ledger_.read_about("kite")).lines, 0u) << "there is no ledger yet";
  put(lines(300) + "garbage\n");
  append(reserve_of("kite", 3));
  append(entry_of(LedgerEvent::submitted, "kite", "t"));
  append(settle_of("old7", "told7", 2));
  LedgerEntry settle = settle_of("another", "t", 2.5);  // Somebody has attached to the task by its ID.
  settle.attached = true;
  append(settle);
  const LedgerReading reading = taken(ledger_.read_about("kite"));
  EXPECT_EQ(reading.lines, 3u);
  ASSERT_EQ(reading.account.charges().size(), 1u);
  EXPECT_EQ(reading.account.charges()[0].state, ChargeState::settled);
  EXPECT_EQ(reading.account.charges()[0].amount, 2.5);
}

// Each is looked for in each line.
TEST_F(LedgerTest, ReadsAllOfAClipWithManyTasks) {
  put(lines(300));
  for (int i = 0; i < 20; ++i) {
    append(reserve_of("kite", 3));
    append(entry_of(LedgerEvent::submitted, "kite", "t" + std::to_string(i)));
    append(settle_of("kite", "t" + std::to_string(i), 2));
  }
  const LedgerReading all = taken(ledger_.read_all()), reading = taken(ledger_.read_about("kite"));
  EXPECT_EQ(reading.lines, all.lines);
  EXPECT_EQ(reading.account.sums({}, 0).spent.credits, all.account.sums({}, 0).spent.credits);
}

TEST_F(LedgerTest, ReadsAllWhereTheSummaryDoesNotMatch) {
  put(lines(300));
  append(entry_of(LedgerEvent::reserve, "a"));
  const std::string whole = contents(), summary = contents("ledger.summary");
  const auto expect_read_anew = [&](double spent) {
    const LedgerReading reading = taken(ledger_.read_condensed());
    EXPECT_FALSE(reading.account.is_condensed());
    EXPECT_EQ(reading.account.sums({}, 0).spent.credits, spent);
  };
  put(whole.substr(0, whole.find('\n', whole.size() / 2) + 1));  // The ledger lost its end.
  EXPECT_FALSE(taken(ledger_.read_condensed()).account.is_condensed());
  put(lines(299));  // Another ledger.
  expect_read_anew(598);
  put(whole);
  for (size_t at = 0; at < summary.size(); at += 97) {  // A damaged summary.
    std::string damaged = summary;
    damaged[at] = damaged[at] == '7' ? '8' : '7';
    put(damaged, "ledger.summary");
    expect_read_anew(600);
  }
  put(summary.substr(0, summary.size() / 2), "ledger.summary");
  expect_read_anew(600);
}

TEST_F(LedgerTest, ReadsAllForACorrectionOfWhatTheSummaryHasLetGo) {
  put(lines(300));
  append(entry_of(LedgerEvent::reserve, "a"));
  // By a process that died before it could sum up.
  put(contents() + ledger_line(correct_of("old8", "told8", 100)) + "\n");
  EXPECT_EQ(taken(ledger_.read_condensed()).account.sums({}, 0).spent.credits, 698);
  append(correct_of("old8", "told8", 2));
  append(correct_of("old7", "told7", 50));
  EXPECT_EQ(taken(ledger_.read_condensed()).account.sums({}, 0).spent.credits, 648);
  // Whoever corrected has summed up anew: the next submit need not read all.
  EXPECT_TRUE(taken(ledger_.read_condensed()).account.is_condensed());
  EXPECT_EQ(taken(ledger_.read_all()).account.sums({}, 0).spent.credits, 648);
}

TEST_F(LedgerTest, EstimatesAlikeWithAndWithoutItsSummary) {
  put(lines(300));
  const auto before = reserve("a").estimate;
  append(entry_of(LedgerEvent::release, "a"));
  ASSERT_TRUE(taken(ledger_.read_condensed()).account.is_condensed());
  EXPECT_TRUE(reserve("b").estimate == before);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->samples, 20u);
}

// ---- Its budget.

TEST_F(LedgerTest, ChangesTheLimitsThatAreNamedAndKeepsTheOthers) {
  const auto limits = budget_limits();
  EXPECT_EQ(taken(ledger_.budget()), Budget());
  taken(ledger_.change_budget({{limits[0], 5}, {limits[1], 50}}, nullptr));
  taken(ledger_.change_budget({{limits[1], 0}, {limits[4], 3}}, nullptr));
  Budget expected;
  expected.per_clip = 5;
  expected.tasks_per_day = 3;
  EXPECT_EQ(taken(ledger_.budget()), expected);
  EXPECT_EQ(contents("budget.json"), "{\n  \"per_clip\": 5,\n  \"tasks_per_day\": 3\n}\n");
  EXPECT_FALSE(ledger_.change_budget({{limits[4], 1.5}}, nullptr));
  EXPECT_FALSE(ledger_.change_budget({{limits[0], -1}}, nullptr));
  EXPECT_EQ(taken(ledger_.budget()), expected);
}

// Over NFS, a machine remembers for a while which files there are: none, or others.
TEST_F(LedgerTest, ObeysTheBudgetThatAnotherMachineHasJustSet) {
  Ledger other(FileSystem::posix(), clock_, folder_.file_on_other("store"));
  EXPECT_EQ(reserve("a").decision.verdict, Verdict::allow);
  const auto limit = [](double tasks) {
    return std::vector{
        std::pair(*std::ranges::find(budget_limits(), "tasks_per_day", &BudgetLimit::name), tasks)};
  };
  taken(other.change_budget(limit(1), nullptr));
  EXPECT_EQ(taken(ledger_.budget()).tasks_per_day, 1);
  EXPECT_EQ(reserve("b").decision.verdict, Verdict::refuse) << "its first budget";
  taken(other.change_budget(limit(2), nullptr));
  EXPECT_EQ(reserve("b").decision.verdict, Verdict::allow);
  taken(other.change_budget(limit(1), nullptr));
  EXPECT_EQ(taken(other.reserve(facts_of("c"), 0, nullptr)).decision.verdict, Verdict::refuse);
  EXPECT_EQ(reserve("c").decision.verdict, Verdict::refuse) << "its third";
  ASSERT_TRUE(other.clear_budget(nullptr));
  EXPECT_EQ(reserve("c").decision.verdict, Verdict::allow);
  taken(ledger_.change_budget(limit(1), nullptr));
  ASSERT_TRUE(other.clear_budget(nullptr));
  EXPECT_EQ(taken(ledger_.budget()), Budget()) << "it was there, by the first machine";
}

TEST_F(LedgerTest, OfTwoMachinesHasTheLinesOfBoth) {
  Ledger other(FileSystem::posix(), clock_, folder_.file_on_other("store"));
  EXPECT_EQ(taken(other.read_all()).lines, 0u);
  ASSERT_TRUE(taken(ledger_.begin_with([] { return std::vector<LedgerEntry>(); }, nullptr)));
  EXPECT_EQ(taken(other.read_all()).lines, 0u);
  for (int i = 0; i < 4; ++i) {
    append(entry_of(LedgerEvent::unknown, "ours" + std::to_string(i)));
    taken(other.append({entry_of(LedgerEvent::unknown, "theirs" + std::to_string(i))}, nullptr));
  }
  EXPECT_EQ(taken(ledger_.read_all()).lines, 8u);
  EXPECT_EQ(taken(other.read_all()).lines, 8u);
}

// Another machine that has just begun it: each is a file of its own.
TEST_F(LedgerTest, IsReadThoughAnotherMachineReplacesItMeanwhile) {
  const std::string other = folder_.file_on_other("store/ledger.jsonl");
  append(entry_of(LedgerEvent::unknown, "a"));
  const std::string line = contents();
  std::string text = line;
  for (uint64_t i = 2; i < 8; ++i) {
    ASSERT_TRUE(write_durably(FileSystem::posix(), other, text += line));
    EXPECT_EQ(taken(ledger_.read_condensed()).lines, i);
    ASSERT_TRUE(write_durably(FileSystem::posix(), other, text));
    EXPECT_EQ(taken(ledger_.read_all()).lines, i);
    ASSERT_TRUE(write_durably(FileSystem::posix(), other, text));
    EXPECT_FALSE(taken(ledger_.begin_with([] { return std::vector<LedgerEntry>(); }, nullptr)));
  }
}

// An NFS server keeps its locks for 90 s, and notices a little later.
TEST_F(LedgerTest, WaitsForTheLockOfAMachineThatHasDied) {
  auto dead = FileLock::try_lock((put(""), path("ledger.lock")));
  ASSERT_TRUE(dead && *dead);
  std::vector<std::string> told;
  ActingClock clock(clock_, {{2500, [&] { dead->reset(); }}});
  Ledger ledger(FileSystem::posix(), clock, store_, [&](const std::string &text) { told.push_back(text); });
  EXPECT_TRUE(ledger.append({entry_of(LedgerEvent::unknown, "a")}, nullptr));
  EXPECT_GT(clock_.elapsed(), std::chrono::seconds(92));
  ASSERT_EQ(told.size(), 1u) << "once";
  EXPECT_NE(told[0].find("Waiting for " + path("ledger.lock") + ", for up to 150 s"), std::string::npos)
      << told[0];
  EXPECT_NE(told[0].find("NFS: after 90 s"), std::string::npos) << told[0];
}

TEST_F(LedgerTest, LeavesALockThatNobodyGivesBack) {
  const auto held = FileLock::try_lock((put(""), path("ledger.lock")));
  std::vector<std::string> told;
  Ledger ledger(FileSystem::posix(), clock_, store_, [&](const std::string &text) { told.push_back(text); });
  const Error error = failure_of(ledger.append({entry_of(LedgerEvent::unknown, "a")}, nullptr));
  EXPECT_EQ(error.kind, ErrorKind::busy);
  EXPECT_NE(error.text.find("for 150 s"), std::string::npos) << error.text;
  EXPECT_GE(clock_.elapsed(), std::chrono::seconds(150));
  EXPECT_EQ(told.size(), 1u);
}

// They would come too late.
TEST_F(LedgerTest, KeepsCaptionsWaitingForItsLockForTenSeconds) {
  const auto held = FileLock::try_lock((put(""), path("ledger.lock")));
  const auto lease = ledger_.lease_captions(facts_of("run"), {}, {}, nullptr);
  EXPECT_EQ(failure_of(lease).kind, ErrorKind::busy);
  EXPECT_LT(clock_.elapsed(), std::chrono::seconds(12));
}

TEST_F(LedgerTest, LiftsABudgetThatCannotBeReadAndChangesNone) {
  put("{", "budget.json");
  EXPECT_FALSE(ledger_.change_budget({{budget_limits()[0], 5}}, nullptr));
  EXPECT_EQ(contents("budget.json"), "{");
  ASSERT_TRUE(ledger_.clear_budget(nullptr));
  EXPECT_EQ(taken(ledger_.budget()), Budget());
  ASSERT_TRUE(ledger_.clear_budget(nullptr));
}

// ---- Many at once. Each has a ledger of its own, as processes have.

TEST_F(LedgerTest, LetsExactlyAsManyThroughAsTheBudgetHasRoomFor) {
  pay("known", 2);
  taken(ledger_.change_budget({{budget_limits()[3], 2 + 10 * 2}}, nullptr));
  std::atomic<int> allowed = 0, refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 24; ++i)
    threads.emplace_back([&, i] {
      Ledger own(FileSystem::posix(), Clock::system(), store_);
      const auto answer = own.reserve(facts_of("clip" + std::to_string(i)), 0, nullptr);
      if (answer && answer->decision.verdict == Verdict::allow) ++allowed;
      if (answer && answer->decision.verdict == Verdict::refuse) ++refused;
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(allowed, 10);
  EXPECT_EQ(refused, 14);
  EXPECT_EQ(taken(ledger_.read_all()).skipped, 0u);
  EXPECT_EQ(taken(ledger_.read_all()).account.sums({}, 0).reserved.credits, 20);
}

}  // namespace
}  // namespace genclip::test
