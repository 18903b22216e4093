// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Captions in the ledger: their lines, their sums, what the budget grants, and the words with which it
// refuses.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

#include "plugin/account/account.h"
#include "plugin/account/caption_average.h"
#include "plugin/account/caption_run.h"
#include "plugin/account/decision.h"
#include "plugin/account/ledger.h"
#include "plugin/account/ledger_summary.h"
#include "tests/account/sample_entries.h"
#include "tests/support/fake_clock.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

constexpr char kNoon[] = "2026-11-22T12:00:00.000Z";
constexpr char kNextDay[] = "2026-11-23T00:00:00.000Z";
constexpr CaptionTokens kToldTokens{true, 300, 20, 320};

ChargeFacts run_facts(const std::string &key, const std::string &model = "gem") {
  ChargeFacts facts;
  facts.key = key;
  facts.model = model;
  facts.api = "llm";
  facts.base_url = "https://llm.example";
  facts.project = "film";
  return facts;
}

LedgerEntry captions_of(const std::string &key, CaptionUse use, CaptionHold hold = {},
                        const std::string &time = kNoon) {
  LedgerEntry entry(LedgerEvent::captions, run_facts(key));
  entry.at = at(time);
  entry.captions = {use, hold};
  return entry;
}

CaptionUse use_of(uint64_t requests, uint64_t tokens) {
  return {.requests = requests, .prompt_tokens = tokens, .total_tokens = tokens, .most_tokens = tokens};
}

Budget limited(double requests, double tokens = 0) {
  Budget budget;
  budget.requests_per_day = requests;
  budget.tokens_per_day = tokens;
  return budget;
}

// By class; with CaptionClass() as the sum of that day.
std::map<CaptionClass, CaptionCounts> rows_of(const Account &account, std::optional<UtcDay> day = {}) {
  std::map<CaptionClass, CaptionCounts> rows;
  const auto row = [&](const CaptionClass &of) -> CaptionCounts & { return rows[day ? CaptionClass() : of]; };
  for (const auto &[of, use] : account.captions_used())
    if (!day || of.day == *day) row(of).add(use);
  for (const auto &[run, block] : account.caption_blocks()) {
    if (day && block.of.day != *day) continue;
    row(block.of).held_requests += block.held_requests;
    row(block.of).held_tokens += block.held_tokens;
  }
  return rows;
}
CaptionCounts counts_on(const Account &account, const char *time) {
  return rows_of(account, day_of(at(time)))[CaptionClass()];
}

CaptionCounts day_with(CaptionUse use, CaptionHold hold = {}) { return {use, hold}; }

void tell(Account &account, const LedgerEntry &entry) { EXPECT_TRUE(account.apply(entry)); }

Decision decide_at_noon(const CaptionCounts &today, const Budget &budget, const CaptionAsk &ask) {
  return decide(account_of({captions_of("another", today, today)}), budget, caption_spending(ask), at(kNoon));
}

// ---- Lines and sums.

TEST(CaptionLine, IsReadAsItWasWritten) {
  LedgerEntry entry = captions_of("run", {}, {});
  uint64_t number = 0;
  for (const CaptionMember &member : caption_members()) entry.captions.*member.count = ++number;
  const std::string line = ledger_line(entry);
  for (const auto &read : {scan_ledger_line(line), parse_ledger_line(line)}) {
    ASSERT_TRUE(read) << line;
    EXPECT_EQ(*read, entry) << line;
  }
}

TEST(CaptionLine, LeavesOutWhatIsNothing) {
  EXPECT_NE(ledger_line(captions_of("run", {})).find("\"captions\":{}"), std::string::npos);
  EXPECT_EQ(ledger_line(reserve_of("a", 1)).find("captions"), std::string::npos);
}

TEST(CaptionSums, CountsWhatWasUsedOnTheDayOfItsBlock) {
  Account account;
  tell(account, captions_of("run", {}, {4, 400}));
  EXPECT_EQ(counts_on(account, kNoon), day_with({}, {4, 400}));
  tell(account, captions_of("run", use_of(3, 200), {2, 50}, kNextDay));
  EXPECT_EQ(counts_on(account, kNoon), day_with(use_of(3, 200)));
  EXPECT_EQ(counts_on(account, kNextDay), day_with({}, {2, 50}));
  tell(account, captions_of("run", use_of(1, 40), {}, kNextDay));
  EXPECT_EQ(counts_on(account, kNextDay), day_with(use_of(1, 40)));
  EXPECT_TRUE(account.caption_blocks().empty());
}

TEST(CaptionSums, KeepsWhatADeadRunHeldOnItsDay) {
  Account account;
  tell(account, captions_of("dead", {}, {4, 400}));
  tell(account, captions_of("next", use_of(1, 10), {1, 10}));
  EXPECT_EQ(counts_on(account, kNoon), day_with(use_of(1, 10), {5, 410}));
  EXPECT_EQ(counts_on(account, kNextDay), CaptionCounts());
}

TEST(CaptionSums, SumsUpByDayGatewayModelAndProject) {
  Account account;
  LedgerEntry other = captions_of("b", use_of(2, 7));
  other.model = "gem-pro";
  tell(account, captions_of("a", use_of(1, 5)));
  tell(account, captions_of("c", use_of(1, 9), {1, 9}));
  tell(account, other);
  const auto rows = rows_of(account);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.begin()->first, (CaptionClass{day_of(at(kNoon)), "https://llm.example", "gem", "film"}));
  EXPECT_EQ(rows.begin()->second.requests, 2u);
  EXPECT_EQ(rows.begin()->second.total_tokens, 14u);
  EXPECT_EQ(rows.begin()->second.held_requests, 1u);
  EXPECT_EQ(rows.rbegin()->second.requests, 2u);
  EXPECT_EQ(account.most_tokens("https://llm.example", "gem"), 9u);
  EXPECT_EQ(account.most_tokens("https://llm.example", "gem-other"), 0u);
}

TEST(CaptionSums, IsTheSameWithTheSummary) {
  Account account = account_of({reserve_of("clip", 3), captions_of("a", use_of(2, 9), {3, 30}),
                                captions_of("b", {.requests = 1, .untold = 1, .assumed_tokens = 4})});
  LedgerSummary summary;
  summary.account = account;
  const auto read = read_summary(summary_text(summary));
  ASSERT_TRUE(read);
  EXPECT_EQ(rows_of(read->account), rows_of(account));
  EXPECT_EQ(rows_of(account.condensed()), rows_of(account));
  EXPECT_TRUE(read->account.has_clips());
  // What the run reports later counts on the same day.
  Account again = read->account;
  ASSERT_TRUE(again.apply(captions_of("a", use_of(3, 20), {}, kNextDay)));
  EXPECT_EQ(counts_on(again, kNoon).requests, 6u);
}

// Whatever a gateway has told: a sum that became nothing would lift the limit.
TEST(CaptionSums, AreNotLostWithTheSummaryHoweverLargeTheyAre) {
  std::vector<LedgerEntry> entries;
  for (int i = 0; i < 3; ++i)
    entries.push_back(
        captions_of("run" + std::to_string(i), use_of(5'000'000'000'000'000, 5'000'000'000'000'000)));
  for (const LedgerEntry &entry : entries) EXPECT_EQ(*read_ledger_line(ledger_line(entry)), entry);
  LedgerSummary summary;
  summary.account = account_of(entries);
  const auto read = read_summary(summary_text(summary));
  ASSERT_TRUE(read);
  const Sums sums = read->account.sums({}, 0);
  EXPECT_EQ(sums.spent.requests, 9e15);
  EXPECT_EQ(sums.spent.tokens, 9e15);
}

TEST(CaptionSums, IsNoClips) {
  Account account = account_of({captions_of("a", use_of(2, 9), {3, 30})});
  EXPECT_TRUE(account.charges().empty());
  EXPECT_EQ(account.sums({}, 1).spent.tasks, 0);
  EXPECT_FALSE(account.has_clips());
  LedgerSummary summary;
  summary.account = account;
  const auto read = read_summary(summary_text(summary));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->account.has_clips());
}

// ---- What is granted.

TEST(CaptionDecision, GrantsAllThatIsWantedWithoutALimit) {
  const auto decision = decide_at_noon(day_with(use_of(1000000, 1)), {}, {16, 2, 100});
  EXPECT_EQ(decision.verdict, Verdict::allow);
  EXPECT_EQ(decision.reserves.requests, 16);
  EXPECT_EQ(decision.reserves.tokens, 1800);
}

TEST(CaptionDecision, GrantsFewerAtATimeTheNearerTheLimitIs) {
  EXPECT_EQ(decide_at_noon({}, limited(1000), {16}).reserves.requests, 16);
  EXPECT_EQ(decide_at_noon({}, limited(80), {16}).reserves.requests, 10);
  EXPECT_EQ(decide_at_noon(day_with(use_of(70, 1), {6, 0}), limited(80), {16}).reserves.requests, 1);
  EXPECT_EQ(decide_at_noon({}, limited(0, 8000), {16, 0, 100}).reserves.requests, 10);
}

TEST(CaptionDecision, RefusesTheRequestAfterTheLast) {
  const auto at_most = [](uint64_t sent, uint64_t held) {
    return decide_at_noon(day_with(use_of(sent, 1), {held, 0}), limited(10), {16}).verdict;
  };
  EXPECT_EQ(at_most(9, 0), Verdict::allow);
  EXPECT_EQ(at_most(10, 0), Verdict::refuse);
  EXPECT_EQ(at_most(4, 6), Verdict::refuse);
  EXPECT_EQ(at_most(20, 0), Verdict::refuse);
}

TEST(CaptionDecision, GrantsNoRequestThatMayTakeMoreTokensThanAreLeft) {
  const auto decision_at = [](uint64_t used, uint64_t unanswered) {
    return decide_at_noon(day_with(use_of(1, used)), limited(0, 1000), {16, unanswered, 100});
  };
  EXPECT_EQ(decision_at(900, 0).verdict, Verdict::allow);
  EXPECT_EQ(decision_at(901, 0).verdict, Verdict::refuse);
  EXPECT_EQ(decision_at(800, 1).verdict, Verdict::allow);
  // It may take less than it may.
  EXPECT_EQ(decision_at(801, 1).verdict, Verdict::wait);
  EXPECT_EQ(decision_at(901, 1).verdict, Verdict::refuse);
  EXPECT_EQ(decision_at(901, 1).reserves.tokens, 100);
}

TEST(CaptionDecision, SendsOneRequestAtATimeUntilItKnowsWhatOneTakes) {
  const auto first = decide_at_noon({}, limited(0, 100000), {16, 0, 0});
  EXPECT_EQ(first.verdict, Verdict::allow);
  EXPECT_EQ(first.reserves.requests, 1);
  EXPECT_EQ(first.reserves.tokens, kAssumedTokens);
  EXPECT_EQ(decide_at_noon({}, limited(0, 100000), {16, 1, 0}).verdict, Verdict::wait);
  // Without a limit of tokens nobody need know.
  EXPECT_EQ(decide_at_noon({}, limited(1000), {16, 1, 0}).reserves.requests, 16);
  // The ledger may know.
  EXPECT_EQ(decide_at_noon({}, limited(0, 100000), {16, 1, 0, 300}).reserves.requests, 16);
  EXPECT_EQ(decide_at_noon({}, limited(0, 299), {16, 0, 0, 300}).verdict, Verdict::refuse);
  // Else any room is enough, and all of it is held.
  EXPECT_EQ(decide_at_noon(day_with(use_of(1, 90)), limited(0, 100), {16, 0, 0}).reserves.tokens, 10);
  EXPECT_EQ(decide_at_noon(day_with(use_of(1, 100)), limited(0, 100), {16, 0, 0}).verdict, Verdict::refuse);
}

TEST(CaptionDecision, RefusesInWordsAndDetails) {
  const auto requests = decide_at_noon(day_with(use_of(8, 1), {2, 0}), limited(10), {});
  EXPECT_EQ(requests.text,
            "No caption was requested: the store's budget allows 10 requests for captions a day; 8 are sent, "
            "and 2 are reserved. Captions come again after 2026-11-23 00:00 UTC, or raise the limit with: "
            "genclip budget set --requests-per-day N.");
  EXPECT_EQ(requests.budget, "requests-per-day");
  EXPECT_EQ(requests.limit, 10);
  EXPECT_EQ(requests.spent, 8);
  EXPECT_EQ(requests.reserved, 2);
  EXPECT_EQ(requests.resets, at(kNextDay));
  const auto tokens = decide_at_noon(day_with(use_of(8, 950), {2, 40}), limited(0, 1000), {1, 0, 320});
  EXPECT_EQ(tokens.text,
            "No caption was requested: the store's budget allows 1000 tokens for captions a day; 950 are "
            "used, and 40 are reserved. Captions come again after 2026-11-23 00:00 UTC, or raise the limit "
            "with: genclip budget set --tokens-per-day N. (One request may take 320.)");
  EXPECT_EQ(tokens.budget, "tokens-per-day");
  EXPECT_EQ(tokens.estimate, 320);
}

// The one knows no price, the other no tokens.
TEST(CaptionDecision, IsNotAboutTheLimitsOfClips) {
  Budget of_clips;
  of_clips.per_clip = of_clips.per_day = of_clips.per_month = of_clips.total = of_clips.tasks_per_day = 1;
  const Account full = account_of({reserve_of("a", 5, kNoon), reserve_of("b", {}, kNoon)});
  for (const uint64_t most : {0, 100}) {
    const Decision captions = decide(full, of_clips, caption_spending({16, 4, most}), at(kNoon));
    EXPECT_EQ(captions.verdict, Verdict::allow) << captions.text;
    EXPECT_EQ(captions.reserves.requests, 16);
    EXPECT_EQ(captions.warning, "");
  }
  const Account used = account_of({captions_of("run", use_of(50, 5000), {5, 500})});
  for (const std::optional<Estimate> &estimate :
       {std::optional<Estimate>(), std::optional(Estimate{1, 1, 1, 1, "same"})}) {
    const Decision clip = decide(used, limited(1, 1), clip_spending(limited(1, 1), 0, estimate), at(kNoon));
    EXPECT_EQ(clip.verdict, Verdict::allow) << clip.text;
    EXPECT_EQ(clip.warning, "");
  }
}

TEST(CaptionDecision, ARefusalCountsWhatIsNotAnsweredYet) {
  const auto refused = decide_at_noon(day_with(use_of(8, 950), {2, 40}), limited(0, 1000), {1, 2, 320});
  EXPECT_EQ(refused.verdict, Verdict::refuse);
  EXPECT_EQ(refused.reserved, 680);
  EXPECT_EQ(refused.reserves.tokens, 640);
  EXPECT_NE(refused.text.find("950 are used, and 680 are reserved."), std::string::npos) << refused.text;
}

TEST(CaptionDecision, HoldsNoMoreThanALineCan) {
  const Decision decision = decide_at_noon({}, {}, {16, 3000, 8'999'999'999'999'999});
  EXPECT_EQ(hold_of(decision).held_tokens, 9'000'000'000'000'000u);
}

// ---- A run.

TEST(CaptionRun, CountsWhatTheGatewayDoesNotTell) {
  const UtcDay today = day_of(at(kNoon));
  CaptionRun run;
  run.allowed({5, 0}, today, 700);
  for (int i = 0; i < 4; ++i) run.began();
  EXPECT_EQ(run.ended({}), 700u);
  EXPECT_EQ(run.ended(kToldTokens), 320u);
  EXPECT_EQ(run.ended({}), 320u);
  run.ended({true, 0, 0, 0});
  const CaptionUse use = run.begin_report(0).use;
  EXPECT_EQ(use.requests, 4u);
  EXPECT_EQ(use.untold, 2u);
  EXPECT_EQ(use.assumed_tokens, 700u + 320u);
  EXPECT_EQ(use.total_tokens, 320u);
  EXPECT_EQ(use.most_tokens, 320u);
}

constexpr CaptionTokens kNotSent{true, 0, 0, 0, false};

TEST(CaptionRun, CountsNothingThatWasNotSent) {
  const UtcDay today = day_of(at(kNoon));
  CaptionRun run;
  run.allowed({2, 0}, today, 0);
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(run.next(today), CaptionRun::Step::send) << "it was allowed, and is still to be sent";
    run.began();
    run.ended(kNotSent);
  }
  run.began();
  run.ended(kToldTokens);
  EXPECT_EQ(run.begin_report(0).use.requests, 1u);
}

TEST(CaptionRun, WhatALineCountsAndWasNotSentStaysCounted) {
  const UtcDay today = day_of(at(kNoon));
  CaptionRun run;
  run.allowed({5, 0}, today, 0);
  run.began();
  EXPECT_EQ(run.begin_report(5).use.requests, 1u);
  run.allowed({5, 0}, today, 0);
  run.ended(kNotSent);
  run.began();
  run.ended(kToldTokens);
  EXPECT_EQ(run.begin_report(0).use.requests, 1u);
}

TEST(CaptionRun, StopsBeforeTheAnswerThatMayExceedMaxTokens) {
  const UtcDay today = day_of(at(kNoon));
  CaptionRun run(1000);
  run.allowed({100, 0}, today, 0);
  EXPECT_EQ(run.next(today), CaptionRun::Step::send);
  run.began();
  EXPECT_EQ(run.next(today), CaptionRun::Step::wait);
  run.ended(kToldTokens);
  run.began();
  EXPECT_EQ(run.next(today), CaptionRun::Step::send);
  run.began();
  EXPECT_EQ(run.next(today), CaptionRun::Step::wait);
  run.ended({true, 10, 10, 20});
  run.ended(kToldTokens);
  EXPECT_EQ(run.next(today), CaptionRun::Step::send);
  run.began();
  run.ended(kToldTokens);
  EXPECT_EQ(run.next(today), CaptionRun::Step::stop);
}

TEST(CaptionRun, AsksAnewOnANewDay) {
  const UtcDay today = day_of(at(kNoon)), tomorrow = day_of(at(kNextDay));
  CaptionRun run;
  EXPECT_EQ(run.next(today), CaptionRun::Step::ask);
  run.allowed({5, 0}, today, 0);
  EXPECT_EQ(run.next(tomorrow), CaptionRun::Step::ask);
  run.began();
  EXPECT_EQ(run.next(tomorrow), CaptionRun::Step::wait);
  run.ended(kToldTokens);
  EXPECT_EQ(run.next(tomorrow), CaptionRun::Step::ask);
}

// ---- In a store.

class CaptionLedger : public testing::Test {
 protected:
  CaptionLedger() : store_(folder_.path() + "/store"), ledger_(FileSystem::posix(), clock_, store_) {}

  Ledger::CaptionLease lease(const std::string &key, CaptionUse use, CaptionAsk ask) {
    return taken(ledger_.lease_captions(run_facts(key), use, ask, nullptr));
  }
  void limit(std::string_view name, double value) {
    for (const BudgetLimit &row : budget_limits())
      if (row.name == name) taken(ledger_.change_budget({{row, value}}, nullptr));
  }
  void put(const std::string &name, const std::string &text) const {
    std::filesystem::create_directories(store_);
    std::ofstream(store_ + "/" + name, std::ios::binary) << text;
  }
  uint64_t lines() { return taken(ledger_.read_all()).lines; }

  TemporaryFolder folder_;
  FakeClock clock_;
  const std::string store_;
  Ledger ledger_;
};

TEST_F(CaptionLedger, SaysInOneLineWhatWasUsedAndWhatIsHeld) {
  EXPECT_EQ(lease("run", {}, {16}).hold.held_requests, 16u);
  EXPECT_EQ(lease("run", use_of(16, 320), {16, 1, 320}).hold.held_tokens, 17u * 320u);
  EXPECT_EQ(lease("run", use_of(2, 320), {0}).hold.held_requests, 0u);
  EXPECT_EQ(lines(), 3u);
  const Account account = taken(ledger_.read_condensed()).account;
  const CaptionCounts day = rows_of(account, day_of(to_utc(clock_.wall_now())))[CaptionClass()];
  EXPECT_EQ(day.requests, 18u);
  EXPECT_EQ(day.total_tokens, 640u);
  EXPECT_EQ(day.held_requests, 0u);
}

TEST_F(CaptionLedger, WritesNoLineThatSaysNothing) {
  limit("requests_per_day", 1);
  lease("a", {}, {16});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(lease("b", {}, {16}).decision.verdict, Verdict::refuse);
  EXPECT_EQ(lines(), 1u);
}

TEST_F(CaptionLedger, HoldsTheBudgetOverRunsAndTheirDeaths) {
  limit("requests_per_day", 10);
  uint64_t granted = 0;
  for (int run = 0; run < 30; ++run)
    granted += lease("run" + std::to_string(run), {}, {16}).hold.held_requests;
  EXPECT_EQ(granted, 10u);
  clock_.advance(std::chrono::hours(24));
  EXPECT_EQ(lease("later", {}, {16}).decision.verdict, Verdict::allow);
}

TEST_F(CaptionLedger, RefusesUnderABudgetThatCannotBeReadAndStillNotesWhatWasUsed) {
  put("budget.json", "{");
  const auto refused = lease("run", use_of(3, 5), {16});
  EXPECT_EQ(refused.decision.verdict, Verdict::refuse);
  EXPECT_EQ(refused.decision.budget, "budget.json");
  EXPECT_NE(refused.decision.text.find("genclip budget clear"), std::string::npos) << refused.decision.text;
  EXPECT_EQ(lines(), 1u);
}

TEST_F(CaptionLedger, TellsARunWhatItsModelTook) {
  lease("a", use_of(1, 2500), {0});
  EXPECT_EQ(lease("b", {}, {1}).most_of_model, 2500u);
  EXPECT_EQ(taken(ledger_.lease_captions(run_facts("c", "other"), {}, {1}, nullptr)).most_of_model, 0u);
  // An outlier does not last.
  clock_.advance(std::chrono::hours(24));
  lease("a", use_of(1, 300), {0});
  EXPECT_EQ(lease("d", {}, {1}).most_of_model, 300u);
}

TEST_F(CaptionLedger, KeepsDaysOverItsSummary) {
  std::string text;
  for (int i = 0; i < 600; ++i)
    text += ledger_line(
                captions_of("run" + std::to_string(i), use_of(2, 10), {1, 5}, i < 300 ? kNoon : kNextDay)) +
            "\n";
  put("ledger.jsonl", text);
  lease("now", use_of(1, 1), {0});
  ASSERT_TRUE(std::filesystem::exists(store_ + "/ledger.summary"));
  const LedgerReading reading = taken(ledger_.read_condensed());
  ASSERT_TRUE(reading.account.is_condensed());
  EXPECT_EQ(counts_on(reading.account, kNoon).requests, 600u);
  EXPECT_EQ(counts_on(reading.account, kNextDay).held_tokens, 1500u);
  EXPECT_EQ(rows_of(reading.account), rows_of(taken(ledger_.read_all()).account));
}

// Captions may be the first to write a store's ledger; its clips are older.
TEST_F(CaptionLedger, DoesNotKeepClipsFromBeingImported) {
  lease("run", use_of(1, 1), {1});
  LedgerEntry imported = settle_of("a", "t", 2, "completed", "2025-05-05T05:05:05.000Z");
  imported.imported = true;
  const auto import = [&]() -> Result<std::vector<LedgerEntry>> {
    return std::vector<LedgerEntry>{imported};
  };
  EXPECT_TRUE(taken(ledger_.begin_with(import, nullptr)));
  EXPECT_FALSE(taken(ledger_.begin_with(import, nullptr)));
  const Account account = taken(ledger_.read_all()).account;
  EXPECT_EQ(account.sums({}, 0).spent.credits, 2);
  ASSERT_EQ(account.charges().size(), 1u);
  EXPECT_EQ(account.charges()[0].at, at("2025-05-05T05:05:05.000Z"));
  EXPECT_EQ(rows_of(account).size(), 1u);
}

// Each has a ledger of its own, as processes have.
TEST_F(CaptionLedger, GrantsExactlyTheLimitToManyAtOnce) {
  limit("requests_per_day", 100);
  std::atomic<uint64_t> sent = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      Ledger own(FileSystem::posix(), Clock::system(), store_);
      CaptionUse used;
      for (;;) {
        const auto lease = own.lease_captions(run_facts("run" + std::to_string(i)), used, {16}, nullptr);
        ASSERT_TRUE(lease);
        used = use_of(lease->hold.held_requests, 1);
        sent += lease->hold.held_requests;
        if (lease->decision.verdict == Verdict::refuse) return;
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(sent, 100u);
}

TEST(CaptionAverage, IsThatOfTheRequestsWhoseTokensWereTold) {
  Account account;
  EXPECT_FALSE(average_tokens(account, "https://llm.example", "gem"));
  tell(account, captions_of("a", use_of(3, 900)));
  CaptionUse untold = use_of(4, 100);
  untold.untold = 3;
  tell(account, captions_of("b", untold));
  EXPECT_DOUBLE_EQ(*average_tokens(account, "https://llm.example", "gem"), 250);
  EXPECT_FALSE(average_tokens(account, "https://llm.example", "gem-pro")) << "another model";
}

TEST(CaptionAverage, PrefersTheSameGateway) {
  Account account;
  tell(account, captions_of("a", use_of(2, 200)));
  LedgerEntry other = captions_of("b", use_of(2, 600));
  other.base_url = "https://other.example";
  tell(account, other);
  EXPECT_DOUBLE_EQ(*average_tokens(account, "https://llm.example", "gem"), 100);
  EXPECT_DOUBLE_EQ(*average_tokens(account, "https://other.example", "gem"), 300);
  EXPECT_DOUBLE_EQ(*average_tokens(account, "https://third.example", "gem"), 200);
  EXPECT_DOUBLE_EQ(*average_tokens(account, "", "gem"), 200);
}

TEST(CaptionDecision, SpeaksOfOneRequestAsOne) {
  const auto requests = decide_at_noon(day_with(use_of(1, 1)), limited(1), {});
  EXPECT_EQ(
      requests.text.substr(0, requests.text.find(" are reserved")),
      "No caption was requested: the store's budget allows 1 request for captions a day; 1 is sent, and 0");
  const auto tokens = decide_at_noon(day_with(use_of(1, 1)), limited(0, 1), {1, 0, 320});
  EXPECT_EQ(tokens.text.substr(0, tokens.text.find(", and")),
            "No caption was requested: the store's budget allows 1 token for captions a day; 1 is used");
}

}  // namespace
}  // namespace genclip::test
