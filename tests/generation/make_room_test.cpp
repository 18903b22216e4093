// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Paid clips leave the store only by name or with a warning (A10).
#include <fstream>
#include <sstream>

#include "plugin/account/ledger.h"
#include "tests/generation/work_fixture.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MakeRoom : public WorkTest {
 protected:
  GenerationJob job_for(const std::string &prompt, uint64_t store_max_size = 0) const {
    GenerationJob other = job();
    other.request = sample_request(prompt);
    other.identity.request = other.request->body();
    other.store_max_size = store_max_size;
    return other;
  }
  // As if the ledger had been locked when the clips so far ended, by a machine that has died.
  void forget_ends() const {
    const LedgerPath path(job().store);
    std::string kept;
    std::ifstream before(path.ledger);
    for (std::string line; std::getline(before, line);) {
      const auto entry = read_ledger_line(line);
      if (entry && (entry->event == LedgerEvent::reserve || entry->event == LedgerEvent::submitted))
        kept += line + "\n";
    }
    std::ofstream(path.ledger) << kept;
    std::remove(path.summary.c_str());
  }
  std::string key_of(const GenerationJob &job) const { return job.identity.digest().substr(0, 8); }
};

TEST_F(MakeRoom, WarnsOfEachClipThatItRemovesWithItsTaskAndItsCost) {
  std::string task_id;
  double amount = -1;
  {
    const Outcome first = run(job_for("one"));
    ASSERT_FALSE(first.error) << first.text();
    task_id = first.state.task_id;
    amount = first.state.amount;
  }
  ASSERT_GT(amount, 0);
  wait_until_unused(job_for("one"));
  const Outcome last = run(job_for("two", 1));
  ASSERT_FALSE(last.error) << last.text();
  std::ostringstream cost;
  cost << "which cost " << amount << " credit";
  EXPECT_THAT(last.warnings,
              ElementsAre(AllOf(HasSubstr("One clip was removed"), HasSubstr(key_of(job_for("one"))),
                                HasSubstr("task " + task_id), HasSubstr(cost.str()))));
}

TEST_F(MakeRoom, WhatTheJournalAloneTellsIsInTheLedgerBeforeTheClipGoes) {
  const double amount = run(job_for("one")).state.amount;
  ASSERT_GT(amount, 0);
  forget_ends();
  wait_until_unused(job_for("one"));
  ASSERT_FALSE(run(job_for("two", 1)).error);
  EXPECT_FALSE(
      ClipFolder(FileSystem::posix(), ClipPath(job().store, job_for("one").identity.digest())).look());
  const auto reading = Ledger(FileSystem::posix(), clock_, job().store).read_all();
  ASSERT_TRUE(reading);
  const Sums sums = reading->account.sums({}, 0);
  EXPECT_EQ(sums.spent.credits, 2 * amount);
  EXPECT_EQ(sums.unknown, 0u);
}

// The reader waits for its last byte, and a later clip makes room as well.
TEST_F(MakeRoom, ALockedLedgerDelaysNoClipByMinutes) {
  for (const char *prompt : {"one", "another"}) ASSERT_FALSE(run(job_for(prompt)).error);
  std::optional<FileLock> dead;
  http_->before_answer([&](const HttpRequest &request) {
    if (request.method != HttpRequest::Method::post || dead) return;
    forget_ends();
    dead = taken(FileLock::try_lock(LedgerPath(job().store).lock));
  });
  for (const char *prompt : {"one", "another"}) wait_until_unused(job_for(prompt));
  const auto begin = clock_.elapsed();
  const Outcome last = run(job_for("two", 1));
  ASSERT_FALSE(last.error) << last.text();
  ASSERT_TRUE(dead);
  EXPECT_LT(clock_.elapsed() - begin, std::chrono::seconds(100));
  EXPECT_THAT(last.warnings, Each(HasSubstr("ledger.lock, for up to 10 s")));
  for (const char *prompt : {"one", "another"}) {
    const ClipPath path(job().store, job_for(prompt).identity.digest());
    EXPECT_TRUE(ClipFolder(FileSystem::posix(), path).look()) << prompt << " stays";
  }
}

TEST_F(MakeRoom, SaysNothingWhenNothingIsRemoved) {
  const Outcome held = run(job_for("one"));
  const Outcome last = run(job_for("two", 1));
  ASSERT_FALSE(last.error) << last.text();
  EXPECT_THAT(last.warnings, IsEmpty()) << "the other clip is in use";
}

// A reader may stop listening after the last byte.
TEST_F(MakeRoom, WarnsBeforeTheClipIsComplete) {
  ASSERT_FALSE(run(job_for("one")).error);
  wait_until_unused(job_for("one"));
  class Order final : public GenerationObserver {
   public:
    explicit Order(Generation &generation) : generation_(generation) {}
    void on_change(const GenerationState &state) override {
      if (state.status == ClipStatus::completed) events.emplace_back("completed");
    }
    void on_warning(const Error &) override {
      // The last byte is there once the clip is complete.
      const auto size = generation_.clip().size();
      events.emplace_back(size && !is_last_there(*size) ? "warned" : "warned too late");
    }
    std::vector<std::string> events;

   private:
    bool is_last_there(uint64_t size) {
      const Interrupt never;
      const Interrupt::Watch watch(never);
      const auto ready = generation_.clip().wait(0, size, true, watch);
      return ready && ready->available == size;
    }
    Generation &generation_;
  };
  const auto generation = std::make_shared<Generation>(job_for("two", 1), services());
  const auto order = std::make_shared<Order>(*generation);
  ASSERT_TRUE(generation->join(order));
  ASSERT_TRUE(ClipWork(*generation).run());
  EXPECT_THAT(order->events, ElementsAre("warned", "completed"));
}

}  // namespace
}  // namespace genclip::test
