// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A crash at every file operation of a generation, and what the ledger knows afterwards: nothing was sent
// that is not in it, and a budget holds all the same.
#include <filesystem>
#include <functional>

#include "plugin/base/durable_file.h"
#include "plugin/generation/store_account.h"
#include "tests/generation/work_fixture.h"
#include "tests/support/give_up.h"
#include "tests/support/sanitized.h"

namespace genclip::test {
namespace {

// A sanitizer takes a multiple of the time, and judges the code alone.
constexpr size_t kStep = kIsSanitized ? 3 : 1;
constexpr double kPrice = 2.5;  // Of every task of the fake service.
constexpr Loss kEachLoss[] = {Loss::nothing, Loss::names, Loss::contents, Loss::both};

class MoneyWorld : public World {
 public:
  LedgerReading reading() {
    Ledger ledger(files_, clock_, job().store);
    auto reading = ledger.read_all();
    if (!reading) give_up(reading.error().text);
    return std::move(reading).value();
  }
  // As anybody does who looks at the ledger.
  void look() {
    Ledger ledger(files_, clock_, job().store);
    if (const auto written = reconcile(files_, ledger, job().store, "", nullptr); !written)
      give_up(written.error().text);
  }
  void set_budget(const std::string &json) {
    const std::string store = job().store;
    if (!make_folder_durably(files_, store) || !write_durably(files_, LedgerPath(store).budget, json))
      give_up("no budget");
  }
};

size_t operations_of_a_run(const std::string &budget) {
  MoneyWorld world;
  if (!budget.empty()) world.set_budget(budget);
  const Outcome whole = world.run();
  EXPECT_FALSE(whole.error) << whole.text();
  return whole.operations;
}

TEST(MoneyAfterACrash, EveryTaskIsInTheLedgerAndTheNextRunSettlesWhatCanBeKnown) {
  const size_t operations = operations_of_a_run("");
  ASSERT_GT(operations, 40u);
  for (const Loss loss : kEachLoss)
    for (size_t at = 1; at <= operations; at += kStep) {
      SCOPED_TRACE("operation " + std::to_string(at) + " of " + std::to_string(operations) + ", loss " +
                   std::to_string(static_cast<int>(loss)));
      MoneyWorld world;
      world.files_.die_at(at);
      static_cast<void>(world.run());
      world.crash(loss);
      const unsigned sent = world.service_.submits();
      ASSERT_GE(world.reading().account.sums({}, 0).spent.tasks, sent)
          << "a POST left that is not in the ledger";

      const Outcome second = world.run();
      ASSERT_FALSE(second.error) << second.text();
      world.look();
      const LedgerReading after = world.reading();
      const Sums sums = after.account.sums({}, kPrice);
      const unsigned submits = world.service_.submits();
      EXPECT_EQ(after.skipped, 0u);
      for (const Charge &charge : after.account.charges())
        EXPECT_FALSE(charge.is_under_way()) << "a reservation of a dead run is left";
      // The clip's task is settled; of a task whose ID no crash left the ledger says that it does not know.
      EXPECT_EQ(sums.spent.credits, kPrice);
      EXPECT_GE(sums.spent.tasks, submits);
      // At most the intent that was journalled before a POST that never left.
      EXPECT_LE(sums.spent.tasks, std::max(submits, 2u));
      EXPECT_EQ(sums.unknown, sums.spent.tasks - 1);
      EXPECT_EQ(sums.untold, 0u);
    }
}

TEST(MoneyAfterACrash, ABudgetForOneClipPaysOne) {
  const std::string budget = R"({"total":2.5,"assumed_price":2.5})";
  const size_t operations = operations_of_a_run(budget);
  unsigned refused = 0;
  for (const Loss loss : {Loss::nothing, Loss::both})
    for (size_t at = 1; at <= operations; at += kStep) {
      SCOPED_TRACE("operation " + std::to_string(at) + ", loss " + std::to_string(static_cast<int>(loss)));
      MoneyWorld world;
      world.set_budget(budget);
      const size_t before = world.files_.operations();
      if (at <= before) continue;
      world.files_.die_at(at);
      static_cast<void>(world.run());
      world.crash(loss);
      const Outcome second = world.run();
      EXPECT_LE(world.service_.submits(), 1u);
      if (second.error) {
        ++refused;
        EXPECT_EQ(second.error->kind, ErrorKind::not_authorized) << second.text();
        EXPECT_THAT(second.text(), testing::HasSubstr("2.5 credits are reserved"));
      }
    }
  // From the synced reservation to the journal of the ID, for both losses: whether that was paid is unknown.
  // (A journal that is missing may have been removed.)
  EXPECT_GT(refused, 0u);
  EXPECT_LE(refused, 2 * 30u);
}

TEST(MoneyAfterACrash, ADiskThatFailsOnceLosesNoTask) {
  const size_t operations = operations_of_a_run("");
  for (size_t at = 1; at <= operations; at += kStep) {
    SCOPED_TRACE("operation " + std::to_string(at));
    MoneyWorld world;
    world.files_.fail_at(at, {ErrorKind::write, "Input/output error."});
    static_cast<void>(world.run());
    EXPECT_GE(world.reading().account.sums({}, 0).spent.tasks, world.service_.submits());
    const Outcome second = world.run();
    ASSERT_FALSE(second.error) << second.text();
    world.look();
    const LedgerReading after = world.reading();
    EXPECT_EQ(after.account.sums({}, 0).spent.credits, kPrice);
    EXPECT_GE(after.account.sums({}, 0).spent.tasks, world.service_.submits());
    for (const Charge &charge : after.account.charges()) EXPECT_FALSE(charge.is_under_way());
  }
}

// Once the journal says that the clip's file is gone, the ledger says so, too: it alone remembers the task
// when the folder vanishes. `harm`: what happens at the operation with that number. Returns how often the
// folder vanished.
unsigned lose_file_and_folder(const std::function<void(MoneyWorld &, size_t)> &harm, Loss loss) {
  const auto begin = [](MoneyWorld &world) {
    const Outcome first = world.run();
    EXPECT_FALSE(first.error) << first.text();
    EXPECT_TRUE(std::filesystem::remove(world.path().file("clip.mp4")));
  };
  MoneyWorld whole;
  begin(whole);
  const size_t first = whole.files_.operations();
  const size_t last = whole.run().operations;
  EXPECT_GT(last, first + 10);
  unsigned vanished = 0;
  for (size_t at = 1; at <= last - first; at += kStep) {
    SCOPED_TRACE("operation " + std::to_string(at) + ", loss " + std::to_string(static_cast<int>(loss)));
    MoneyWorld world;
    begin(world);
    harm(world, world.files_.operations() + at);
    static_cast<void>(world.run());
    world.crash(loss);
    // Who removes the folder of a clip that is there wants another one.
    const auto record = world.record();
    if (!record || record->state != ClipState::submitted) continue;
    ++vanished;
    std::filesystem::remove_all(world.path().folder());
    const Outcome again = world.run();
    EXPECT_FALSE(again.error) << again.text();
    EXPECT_EQ(world.service_.submits(), 1u);
  }
  return vanished;
}

TEST(MoneyAfterACrash, AClipWhoseFileAndThenItsFolderAreGoneIsNotPaidAgain) {
  for (const Loss loss : {Loss::nothing, Loss::both})
    EXPECT_GT(lose_file_and_folder([](MoneyWorld &world, size_t at) { world.files_.die_at(at); }, loss), 5u);
}

// A line that is not in the ledger is not made up for later: the journal waits for it.
TEST(MoneyAfterACrash, ALostClipWhoseLedgerCannotBeWrittenIsNotPaidAgain) {
  for (const size_t later : {8, 20}) {
    const auto harm = [later](MoneyWorld &world, size_t at) {
      world.files_.fail_at(at, {ErrorKind::write, "Input/output error."});
      world.files_.die_at(at + later);
    };
    EXPECT_GT(lose_file_and_folder(harm, Loss::nothing), 3u);
  }
}

}  // namespace
}  // namespace genclip::test
