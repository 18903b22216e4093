// SPDX-License-Identifier: LGPL-2.1-or-later
//
// gencaption under the budget of its store: what it sends, what it says, and that nobody waits for the ledger
// but its workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "plugin/account/ledger.h"
#include "tests/captioner/harness.h"
#include "tests/support/one_day.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string budgeted(unsigned seconds, const std::string &properties) {
  return "videotestsrc name=src num-buffers=" + std::to_string(10 * seconds) +
         " ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! gencaption name=cap "
         "interval=1000000000 max-in-flight=1 " +
         properties + " ! appsink name=out sync=false";
}

class CaptionBudget : public testing::Test {
 protected:
  CaptionBudget() : store_(folder_.path() + "/store") {
    stay_within_one_day();
    std::filesystem::create_directory(store_);
  }
  // Else a run's last line might be written into a folder that is removed.
  ~CaptionBudget() override {
    if (std::filesystem::is_regular_file(store_ + "/ledger.jsonl")) wait_for_last_line();
  }

  void put(const std::string &name, const std::string &text) const {
    std::ofstream(store_ + "/" + name, std::ios::binary) << text;
  }
  std::string of_store(const std::string &properties = "") const {
    return "store=" + store_ + " " + properties;
  }
  // Until each run has given back what it held; a disk thread writes that line.
  Account::CaptionsUsed wait_for_last_line() const {
    Ledger ledger(FileSystem::posix(), Clock::system(), store_);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      const auto reading = ledger.read_all();
      EXPECT_TRUE(reading);
      if (!reading) return {};
      if (reading->account.caption_blocks().empty() || std::chrono::steady_clock::now() >= end)
        return reading->account.captions_used();
      g_usleep(1000);
    }
  }

  TemporaryFolder folder_;
  const std::string store_;
  GatewayServer gateway_;
};

TEST_F(CaptionBudget, CountsRequestsAndTokensInTheLedger) {
  uint64_t total = 0;
  {
    CaptionRun run(gateway_, budgeted(3, of_store("project=film")));
    ASSERT_EQ(run.play(), "");
    total = run.stat("total-tokens");
    EXPECT_GT(total, 0u);
    EXPECT_THAT(run.warnings(), IsEmpty());
  }
  const auto rows = wait_for_last_line();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.begin()->first.project, "film");
  EXPECT_EQ(rows.begin()->first.model, "gem-2.5-flash-lite");
  EXPECT_EQ(rows.begin()->first.base_url, gateway_.url());
  EXPECT_EQ(rows.begin()->second.requests, 3u);
  EXPECT_EQ(rows.begin()->second.total_tokens, total);
  EXPECT_EQ(rows.begin()->second.untold, 0u);
}

TEST_F(CaptionBudget, CountsTheTokensOfAnswersThatFailedAsTheLedgerDoes) {
  uint64_t total = 0;
  gateway_.silence("SAFETY");
  {
    CaptionRun run(gateway_, budgeted(3, of_store("on-error=skip")));
    ASSERT_EQ(run.play(), "");
    total = run.stat("total-tokens");
    EXPECT_EQ(run.stat("captions"), 2u);
    EXPECT_GT(total, run.stat("prompt-tokens") + run.stat("output-tokens"));
    EXPECT_GE(run.stat("most-tokens") * 3, total);
    EXPECT_LT(run.stat("most-tokens"), total);
  }
  const auto rows = wait_for_last_line();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.begin()->second.tokens(), total);
}

TEST_F(CaptionBudget, StopsAtTheRequestsOfADayWithOneWarning) {
  put("budget.json", R"({"requests_per_day":2})");
  CaptionRun run(gateway_, budgeted(6, of_store()));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), each_second(2));
  EXPECT_EQ(gateway_.gateway().calls(), 2u);
  EXPECT_THAT(run.warnings(),
              ElementsAre(AllOf(HasSubstr("2 requests for captions a day"), HasSubstr("00:00 UTC"),
                                HasSubstr("genclip budget set --requests-per-day N"))));
  EXPECT_EQ(run.stat("skipped"), 4u);
  EXPECT_EQ(run.stat("unasked"), 4u);
  EXPECT_EQ(run.stat("requests"), 2u);
  for (const auto &message : run.seen) {
    if (GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_WARNING) continue;
    GError *raw = nullptr;
    gst_message_parse_warning(message.get(), &raw, nullptr);
    EXPECT_EQ(GErrorPtr(raw)->code, GST_RESOURCE_ERROR_NOT_AUTHORIZED);
    const GstStructure *details = nullptr;
    gst_message_parse_warning_details(message.get(), &details);
    ASSERT_TRUE(details);
    EXPECT_STREQ(gst_structure_get_string(details, "budget"), "requests-per-day");
    double limit = 0, spent = 0;
    EXPECT_TRUE(gst_structure_get_double(details, "limit", &limit));
    EXPECT_TRUE(gst_structure_get_double(details, "spent", &spent));
    EXPECT_EQ(limit, 2);
    EXPECT_EQ(spent, 2);
  }
}

TEST_F(CaptionBudget, CountsRetries) {
  put("budget.json", R"({"requests_per_day":2})");
  gateway_.fault(sim::GatewayFaultKind::status, 1, 503);
  CaptionRun run(gateway_, budgeted(6, of_store()));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(gateway_.gateway().calls(), 2u);
  EXPECT_EQ(run.cues(), each_second(1));
  EXPECT_EQ(run.stat("retries"), 1u);
  EXPECT_EQ(run.stat("requests"), 2u);
}

TEST_F(CaptionBudget, StopsAtTheTokensOfADay) {
  uint64_t of_one = 0;
  {
    CaptionRun run(gateway_, budgeted(1, of_store()));
    ASSERT_EQ(run.play(), "");
    of_one = run.stat("total-tokens");
  }
  wait_for_last_line();
  put("budget.json", "{\"tokens_per_day\":" + std::to_string(of_one * 3 + of_one / 2) + "}");
  CaptionRun run(gateway_, budgeted(6, of_store()));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), each_second(2));
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("--tokens-per-day")));
}

TEST_F(CaptionBudget, StopsAtMaxTokensWithOneWarning) {
  CaptionRun run(gateway_, budgeted(6, of_store("max-tokens=1")));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), each_second(1));
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("max-tokens")));
  EXPECT_EQ(run.stat("skipped"), 5u);
}

// As genclipsrc does with a clip whose price is unknown.
TEST_F(CaptionBudget, SendsNothingUnderALimitOfCreditsThatItCannotKeep) {
  for (const char *on_error : {"fail", "skip"}) {
    CaptionRun run(gateway_, budgeted(3, of_store("max-amount=2.5 on-error=" + std::string(on_error))));
    EXPECT_THAT(run.play(), AllOf(HasSubstr("max-amount allows these captions 2.5 credits"),
                                  HasSubstr("--tokens-per-day N")))
        << on_error;
    EXPECT_EQ(gateway_.gateway().calls(), 0u);
    EXPECT_EQ(run.stat("requests"), 0u);
    unsigned errors = 0;
    for (const auto &message : run.seen) {
      if (GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_ERROR || errors++ > 0) continue;
      GError *raw = nullptr;
      gst_message_parse_error(message.get(), &raw, nullptr);
      EXPECT_TRUE(
          g_error_matches(GErrorPtr(raw).get(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED));
      const GstStructure *details = nullptr;
      gst_message_parse_error_details(message.get(), &details);
      ASSERT_TRUE(details);
      EXPECT_STREQ(gst_structure_get_string(details, "budget"), "max-amount");
      double limit = 0, estimate = 0;
      EXPECT_TRUE(gst_structure_get_double(details, "limit", &limit));
      EXPECT_TRUE(gst_structure_get_double(details, "estimate", &estimate));
      EXPECT_EQ(limit, 2.5);
      EXPECT_EQ(estimate, -1);
    }
    EXPECT_GE(errors, 1u);
  }
}

TEST_F(CaptionBudget, GoesOnWhereTheLedgerCannotBeWrittenAndSaysItOnce) {
  std::filesystem::create_directory(store_ + "/ledger.jsonl");
  CaptionRun run(gateway_, budgeted(3, of_store()));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), each_second(3));
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("not noted")));
}

TEST_F(CaptionBudget, SendsNothingWhereALimitCannotBeChecked) {
  std::filesystem::create_directory(store_ + "/ledger.jsonl");
  put("budget.json", R"({"tokens_per_day":1000000})");
  CaptionRun run(gateway_, budgeted(3, of_store()));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(gateway_.gateway().calls(), 0u);
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("the ledger")));
}

TEST_F(CaptionBudget, LetsTheStreamingThreadGoOnWhileTheLedgerIsLocked) {
  auto held = FileLock::try_lock(store_ + "/ledger.lock");
  ASSERT_TRUE(held && *held);
  Harness harness(gateway_, "interval=1000000000 " + of_store(),
                  "video/x-raw,format=RGB,width=4,height=4,framerate=2/1");
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  harness.begin(segment);
  // Returns from each: no request has left, and the worker waits for the ledger.
  for (unsigned half = 0; half < 4; ++half)
    ASSERT_EQ(
        harness.push(std::string(48, static_cast<char>(60 * half)), half * GST_SECOND / 2, GST_SECOND / 2),
        GST_FLOW_OK);
  EXPECT_EQ(gateway_.gateway().calls(), 0u);
  held->reset();
  EXPECT_EQ(harness.finish().size(), 2u);
}

TEST_F(CaptionBudget, GoesToNullAtOnceWhileTheLedgerIsLocked) {
  auto held = FileLock::try_lock(store_ + "/ledger.lock");
  ASSERT_TRUE(held && *held);
  CaptionRun run(gateway_, budgeted(60, of_store()));
  run.go(GST_STATE_PLAYING);
  EXPECT_LT(run.time_to_null_at_best(kAtOnce), time_limit(kAtOnce));
  EXPECT_EQ(gateway_.gateway().calls(), 0u);
}

}  // namespace
}  // namespace genclip::test
