// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Random races over one ledger: several runs reserve, pay, fail, stay unknown or die at once, and no limit is
// ever exceeded, because each task costs at most its estimate. Each run is a thread with a ledger of its own,
// as processes have. GENCLIP_ROUNDS: how many races; GENCLIP_SEED: which.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <thread>

#include "plugin/account/ledger.h"
#include "tests/account/sample_entries.h"
#include "tests/support/seed.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

constexpr unsigned kUsualRounds = 20;
constexpr unsigned kRoundsOfAStore = 50;
constexpr double kAssumedPrice = 4;

unsigned number_from_environment(const char *name, unsigned usual) {
  const char *set = std::getenv(name);
  return set ? static_cast<unsigned>(std::strtoul(set, nullptr, 10)) : usual;
}

// The day does not end during a race; waiting takes real time.
class LongDay final : public Clock {
 public:
  Time now() const override { return system().now(); }
  WallTime wall_now() const override { return WallTime(std::chrono::seconds(1795341600)); }
  bool sleep_until(Time time, GCancellable *cancellable) override {
    return system().sleep_until(time, cancellable);
  }
};

unsigned throw_of(std::mt19937 &dice, unsigned sides) { return static_cast<unsigned>(dice() % sides); }

// What became of the clips of one run, kept without an Account.
struct Deeds {
  double credits = 0;  // That they cost, or may yet cost.
  double tasks = 0;
  std::string broken;  // A limit that was seen exceeded.
};

struct Limits {
  double credits = 0;  // In total; 0: none.
  double tasks = 0;    // A day; 0: none.
};

class Race {
 public:
  Race(Clock &clock, std::string store, std::string name, Limits limits)
      : clock_(clock), store_(std::move(store)), name_(std::move(name)), limits_(limits) {}

  Deeds run(unsigned runner, unsigned seed) const {
    std::mt19937 dice(seed);
    Ledger ledger(FileSystem::posix(), clock_, store_);
    Deeds deeds;
    const unsigned clips = 1 + throw_of(dice, 3);
    for (unsigned clip = 0; clip < clips && deeds.broken.empty(); ++clip) {
      const auto facts =
          facts_of(name_ + "-" + std::to_string(runner) + "-" + std::to_string(clip), 4 + throw_of(dice, 3));
      const auto reservation = taken(ledger.reserve(facts, 0, nullptr));
      look(ledger, deeds);
      if (reservation.decision.verdict != Verdict::allow) continue;
      pay(ledger, facts, reservation.estimate ? reservation.estimate->high : kAssumedPrice, dice, deeds);
    }
    return deeds;
  }

 private:
  // Whatever the others are doing.
  void look(Ledger &ledger, Deeds &deeds) const {
    const Sums sums = taken(ledger.read_condensed()).account.sums({}, kAssumedPrice);
    if (limits_.credits > 0 && !fits(sums.spent.credits + sums.reserved.credits, limits_.credits))
      deeds.broken =
          "spent " + amount_text(sums.spent.credits) + ", reserved " + amount_text(sums.reserved.credits);
    if (limits_.tasks > 0 && static_cast<double>(sums.spent.tasks) > limits_.tasks)
      deeds.broken = std::to_string(sums.spent.tasks) + " tasks";
  }

  static void pay(Ledger &ledger, const ChargeFacts &facts, double high, std::mt19937 &dice, Deeds &deeds) {
    const auto tell = [&](LedgerEvent event, const std::string &status = "",
                          std::optional<double> amount = {}) {
      LedgerEntry entry(event, facts);
      if (event == LedgerEvent::submitted || event == LedgerEvent::settle)
        entry.task_id = "task-" + facts.key;
      entry.status = status;
      entry.amount = amount;
      static_cast<void>(taken(ledger.append({entry}, nullptr)));
    };
    // Unless it costs less, or nothing, by what follows.
    deeds.credits += high;
    ++deeds.tasks;
    const unsigned fate = throw_of(dice, 12);
    if (fate == 0) return;  // The run dies before it submits.
    if (fate == 1) return tell(LedgerEvent::unknown);
    if (fate == 2) {
      deeds.credits -= high;
      --deeds.tasks;
      return tell(LedgerEvent::release);
    }
    tell(LedgerEvent::submitted);
    if (fate == 3) return;  // Dies afterwards.
    if (fate == 4) return tell(LedgerEvent::settle, "completed");
    const bool has_failed = fate == 5;
    const double amount = has_failed ? 0 : high * throw_of(dice, 5) / 4;
    deeds.credits -= high - amount;
    tell(LedgerEvent::settle, has_failed ? "failed" : "completed",
         has_failed ? std::nullopt : std::optional(amount));
  }

  Clock &clock_;
  const std::string store_;
  const std::string name_;
  const Limits limits_;
};

TEST(LedgerRaces, NeverExceedALimit) {
  const unsigned seed = test_seed();
  const unsigned rounds = number_from_environment("GENCLIP_ROUNDS", kUsualRounds);
  std::mt19937 dice(seed);
  LongDay clock;
  std::optional<TemporaryFolder> folder;
  Deeds all;
  unsigned refused_all = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    SCOPED_TRACE("GENCLIP_SEED=" + std::to_string(seed) + ", round " + std::to_string(round));
    if (round % kRoundsOfAStore == 0) {
      folder.emplace();
      all = {};
    }
    const std::string store = folder->path() + "/store";
    Ledger ledger(FileSystem::posix(), clock, store);
    const double room = throw_of(dice, 40) / 2.0;
    const Limits limits{.credits = throw_of(dice, 4) > 0 ? all.credits + room + 0.5 : 0,
                        .tasks = throw_of(dice, 3) == 0 ? all.tasks + 1 + throw_of(dice, 8) : 0};
    const char *span = throw_of(dice, 2) ? "total" : "per_month";
    std::vector<std::pair<BudgetLimit, double>> changes;
    for (const BudgetLimit &limit : budget_limits()) {
      const bool is_assumed = limit.name == "assumed_price";
      const double value = limit.name == span              ? limits.credits
                           : limit.name == "tasks_per_day" ? limits.tasks
                                                           : 0;
      changes.emplace_back(limit, is_assumed ? kAssumedPrice : value);
    }
    taken(ledger.change_budget(changes, nullptr));

    const Race race(clock, store, "r" + std::to_string(round), limits);
    std::vector<Deeds> deeds(2 + throw_of(dice, 6));
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < deeds.size(); ++i)
      threads.emplace_back([&race, &mine = deeds[i], i, own_seed = static_cast<unsigned>(dice())] {
        mine = race.run(i, own_seed);
      });
    for (std::thread &thread : threads) thread.join();

    const double before = all.tasks;
    for (const Deeds &one : deeds) {
      EXPECT_EQ(one.broken, "");
      all.credits += one.credits;
      all.tasks += one.tasks;
    }
    if (all.tasks == before) ++refused_all;
    EXPECT_TRUE(limits.credits == 0 || fits(all.credits, limits.credits)) << all.credits;
    EXPECT_TRUE(limits.tasks == 0 || all.tasks <= limits.tasks) << all.tasks;
    const LedgerReading reading = taken(ledger.read_all());
    const Sums sums = reading.account.sums({}, kAssumedPrice);
    EXPECT_EQ(reading.skipped, 0u);
    EXPECT_NEAR(sums.spent.credits + sums.reserved.credits, all.credits, 1e-6)
        << "the ledger has lost or invented something";
    EXPECT_EQ(static_cast<double>(sums.spent.tasks), all.tasks);
    if (HasFailure()) break;
  }
  std::cout << rounds << " races, " << refused_all << " without room for a clip\n";
  EXPECT_LT(refused_all, rounds / 2 + 1) << "the limits were too tight to race for anything";
}

}  // namespace
}  // namespace genclip::test
