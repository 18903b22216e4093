// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a run of captions may send, by the store's budget: over days, deaths, and disks that refuse.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <filesystem>
#include <fstream>
#include <thread>

#include "elements/captioner/caption_allowance.h"
#include "plugin/account/ledger.h"
#include "plugin/base/gref.h"
#include "tests/support/fake_clock.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

constexpr ContentTry kTold{true, 300, 20, 320};

// Never destroyed: a disk thread may look at it after its test.
FakeClock &lasting_clock() {
  static auto &all = *new std::deque<FakeClock>;
  return all.emplace_back();
}

class Allowance : public testing::Test {
 protected:
  Allowance() : store_(folder_.path() + "/store") { std::filesystem::create_directory(store_); }
  ~Allowance() override {
    // Else its last line would be written into the next test's folder.
    if (is_begun_) end();
  }

  void begin(uint64_t max_tokens = 0) {
    allowance_.begin({store_, "https://llm.example/", "gem", "film", max_tokens});
    is_begun_ = true;
  }
  // Ends the run, and waits until nothing is held any more, if it is to be so.
  CaptionCounts end(bool gives_back = true) {
    allowance_.end();
    is_begun_ = false;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    CaptionCounts counts;
    do {
      g_usleep(1000);
      counts = booked();
    } while (gives_back && counts.held_requests + counts.held_tokens > 0 &&
             std::chrono::steady_clock::now() < patience);
    return counts;
  }
  // Of all days.
  CaptionCounts booked() {
    CaptionCounts sum;
    Ledger ledger(FileSystem::posix(), clock_, store_);
    const auto reading = ledger.read_all();
    if (!reading) return sum;
    for (const auto &[of, use] : reading->account.captions_used()) sum.add(use);
    for (const auto &[run, block] : reading->account.caption_blocks()) {
      sum.held_requests += block.held_requests;
      sum.held_tokens += block.held_tokens;
    }
    return sum;
  }
  void put(const std::string &name, const std::string &text) const {
    std::ofstream(store_ + "/" + name, std::ios::binary) << text;
  }
  CaptionAllowance::Answer ask() { return allowance_.ask(cancellable_.get()); }
  bool sends() {
    if (!ask().may_send) return false;
    allowance_.ended(kTold);
    return true;
  }

  TemporaryFolder folder_;
  FakeClock &clock_ = lasting_clock();
  const std::string store_;
  const GRef<GCancellable> cancellable_ = GRef<GCancellable>::adopt(g_cancellable_new());
  CaptionAllowance allowance_{FileSystem::posix(), clock_};
  bool is_begun_ = false;
};

TEST_F(Allowance, NotesWhatWasUsedAndGivesBackTheRest) {
  begin();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(sends());
  const CaptionCounts counts = end();
  EXPECT_EQ(counts.requests, 20u);
  EXPECT_EQ(counts.total_tokens, 20u * 320u);
  EXPECT_EQ(counts.held_requests, 0u);
  Ledger ledger(FileSystem::posix(), clock_, store_);
  const LedgerReading reading = taken(ledger.read_all());
  EXPECT_EQ(reading.lines, 3u);
  const CaptionClass &of = reading.account.captions_used().begin()->first;
  EXPECT_EQ(of.base_url, "https://llm.example");
  EXPECT_EQ(of.model, "gem");
  EXPECT_EQ(of.project, "film");
}

TEST_F(Allowance, WritesNothingForARunThatSentNothing) {
  begin();
  end();
  EXPECT_FALSE(std::filesystem::exists(store_ + "/ledger.jsonl"));
}

TEST_F(Allowance, RefusesOverTheLimitAndSaysItOnce) {
  put("budget.json", R"({"requests_per_day":3})");
  begin();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(sends());
  const auto refused = ask();
  EXPECT_FALSE(refused.may_send);
  ASSERT_TRUE(refused.warning);
  EXPECT_EQ(refused.warning->kind, ErrorKind::not_authorized);
  EXPECT_NE(refused.warning->text.find("--requests-per-day"), std::string::npos) << refused.warning->text;
  const std::string resets = utc_text(UtcTime(day_of(to_utc(clock_.wall_now())) + std::chrono::days(1)));
  const std::vector<ErrorDetail> details = {{"budget", std::string("requests-per-day")},
                                            {"limit", 3.0},
                                            {"spent", 3.0},
                                            {"reserved", 0.0},
                                            {"estimate", 1.0},
                                            {"resets", resets}};
  EXPECT_EQ(refused.warning->details, details);
  for (int i = 0; i < 3; ++i) {
    const auto again = ask();
    EXPECT_FALSE(again.may_send);
    EXPECT_FALSE(again.warning);
    clock_.advance(std::chrono::seconds(11));
  }
}

TEST_F(Allowance, SendsAgainOnTheNextDay) {
  put("budget.json", R"({"requests_per_day":1})");
  begin();
  EXPECT_TRUE(sends());
  EXPECT_FALSE(sends());
  clock_.advance(std::chrono::hours(24));
  EXPECT_TRUE(sends());
  // The limit of another day is another reason.
  EXPECT_TRUE(ask().warning);
}

TEST_F(Allowance, HearsOfARaisedLimitWithinSeconds) {
  put("budget.json", R"({"requests_per_day":1})");
  begin();
  EXPECT_TRUE(sends());
  EXPECT_FALSE(sends());
  put("budget.json", R"({"requests_per_day":2})");
  EXPECT_FALSE(sends());
  clock_.advance(std::chrono::seconds(11));
  EXPECT_TRUE(sends());
}

TEST_F(Allowance, HoldsNoMoreThanABlockAfterADeath) {
  begin();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(sends());
  // As a death leaves it.
  const CaptionCounts left = booked();
  EXPECT_EQ(left.requests + left.held_requests, 16u);
}

TEST_F(Allowance, CountsWhatTheGatewayDidNotTell) {
  begin();
  ASSERT_TRUE(ask().may_send);
  allowance_.ended({});
  const CaptionCounts counts = end();
  EXPECT_EQ(counts.untold, 1u);
  EXPECT_EQ(counts.assumed_tokens, 1000u);
}

TEST_F(Allowance, StopsAtMaxTokensAndSaysItOnce) {
  begin(1000);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(sends());
  const auto refused = ask();
  EXPECT_FALSE(refused.may_send);
  ASSERT_TRUE(refused.warning);
  EXPECT_NE(refused.warning->text.find("max-tokens"), std::string::npos) << refused.warning->text;
  EXPECT_EQ(refused.warning->kind, ErrorKind::settings);
  EXPECT_FALSE(ask().warning);
}

TEST_F(Allowance, LetsOneWaitForAnAnswerThatMayLeaveRoom) {
  put("budget.json", R"({"tokens_per_day":700})");
  begin();
  EXPECT_TRUE(sends());
  ASSERT_TRUE(ask().may_send);
  std::atomic<bool> is_answered = false;
  std::thread other([&] {
    EXPECT_TRUE(ask().may_send);
    EXPECT_TRUE(is_answered);
    allowance_.ended(kTold);
  });
  g_usleep(20000);  // Most likely it waits by now; the test holds, however it is.
  is_answered = true;
  allowance_.ended({true, 5, 5, 10});
  other.join();
  const CaptionCounts counts = end();
  EXPECT_EQ(counts.total_tokens, 650u);
}

TEST_F(Allowance, GoesOnWithAWarningWhereTheLedgerCannotBeWritten) {
  std::filesystem::create_directory(store_ + "/ledger.jsonl");
  begin();
  const auto first = ask();
  EXPECT_TRUE(first.may_send);
  ASSERT_TRUE(first.warning);
  EXPECT_NE(first.warning->text.find("not noted"), std::string::npos) << first.warning->text;
  allowance_.ended(kTold);
  for (int i = 0; i < 40; ++i) {
    const auto next = ask();
    EXPECT_TRUE(next.may_send);
    EXPECT_FALSE(next.warning);
    allowance_.ended(kTold);
  }
  // It is told once it can be written again.
  std::filesystem::remove(store_ + "/ledger.jsonl");
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(sends());
  EXPECT_EQ(end().requests, 51u);
}

TEST_F(Allowance, RefusesWhereALimitCannotBeChecked) {
  std::filesystem::create_directory(store_ + "/ledger.jsonl");
  for (const char *budget : {R"({"tokens_per_day":1000000})", R"({"requests_per_day":1000})", "{"}) {
    put("budget.json", budget);
    begin();
    const auto refused = ask();
    EXPECT_FALSE(refused.may_send) << budget;
    EXPECT_TRUE(refused.warning) << budget;
    EXPECT_FALSE(ask().warning);
    end(false);
  }
  // Limits of clips are none of captions.
  put("budget.json", R"({"per_day":5})");
  begin();
  EXPECT_TRUE(ask().may_send);
  allowance_.ended(kTold);
  end(false);
}

// The disk is full, or somebody holds the ledger for long, when the first block is used up.
TEST_F(Allowance, RefusesAsABudgetDoesWhenALimitCannotBeCheckedAnyMore) {
  put("budget.json", R"({"requests_per_day":1000})");
  begin();
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(sends());
  std::filesystem::remove(store_ + "/ledger.jsonl");
  std::filesystem::create_directory(store_ + "/ledger.jsonl");
  const auto refused = ask();
  EXPECT_FALSE(refused.may_send);
  ASSERT_TRUE(refused.warning);
  EXPECT_EQ(refused.warning->details, (std::vector<ErrorDetail>{{"budget", std::string("ledger")}}));
  end(false);
}

TEST_F(Allowance, RefusesUnderABudgetThatCannotBeRead) {
  put("budget.json", "{");
  begin();
  const auto refused = ask();
  EXPECT_FALSE(refused.may_send);
  ASSERT_TRUE(refused.warning);
  EXPECT_NE(refused.warning->text.find("budget.json"), std::string::npos) << refused.warning->text;
}

// A store in which nothing can be is no reason to send nothing.
TEST_F(Allowance, SendsWithAWarningWhereTheStoreIsNoFolder) {
  std::filesystem::remove(store_);
  std::ofstream(store_) << "no folder";
  begin();
  const auto sent = ask();
  EXPECT_TRUE(sent.may_send);
  ASSERT_TRUE(sent.warning);
  EXPECT_NE(sent.warning->text.find("is not noted in the store"), std::string::npos) << sent.warning->text;
  allowance_.ended(kTold);
  end(false);
}

// As long as another process, or another machine, holds the lock.
TEST_F(Allowance, IsLeftAtOnceWhileTheLedgerIsLocked) {
  auto held = FileLock::try_lock(store_ + "/ledger.lock");
  ASSERT_TRUE(held && *held);
  clock_.hold(true);
  begin();
  std::thread worker([&] {
    const auto answer = ask();
    EXPECT_FALSE(answer.may_send);
    EXPECT_FALSE(answer.warning);
  });
  EXPECT_TRUE(clock_.wait_for_sleepers(1));
  g_cancellable_cancel(cancellable_.get());
  worker.join();
  clock_.hold(false);
}

// Each has an allowance of its own, as processes have.
TEST_F(Allowance, SharesADayAmongMany) {
  put("budget.json", R"({"requests_per_day":50})");
  std::atomic<int> sent = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      CaptionAllowance own;
      own.begin({store_, "https://llm.example", "gem", "", 0});
      while (own.ask(cancellable_.get()).may_send) {
        ++sent;
        own.ended(kTold);
      }
      own.end();
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(sent, 50);
}

}  // namespace
}  // namespace genclip::test
