// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a user of the element sees of estimates, limits and projects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/support/one_day.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

constexpr char kCosts[] =
    R"({"id":"t-7","status":"completed","amount":2.5,"video_url":"URL/clip.mp4?sig=s3cr3t"})";

class ClipMoney : public testing::Test {
 protected:
  ClipMoney() : service_({.poll = {answer(200, kCosts)}}) {}

  void prepare(ClipPipeline &clip, const std::string &prompt) {
    use(clip, service_.url(), folder_.path());
    clip.set("prompt", prompt);
  }
  std::optional<BusError> pay_for(const std::string &prompt) {
    ClipPipeline clip;
    prepare(clip, prompt);
    return clip.play();
  }
  std::string ledger() {
    std::ifstream file(folder_.path() + "/ledger.jsonl");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryFolder folder_;
  ScriptedService service_;
};

double number(const BusError &error, const char *field) {
  const GstStructure *details = nullptr;
  gst_message_parse_error_details(error.message.get(), &details);
  double value = -99;
  gst_structure_get_double(details, field, &value);
  return value;
}
bool flag(const BusError &error, const char *field) {
  const GstStructure *details = nullptr;
  gst_message_parse_error_details(error.message.get(), &details);
  gboolean value = FALSE;
  EXPECT_TRUE(gst_structure_get_boolean(details, field, &value)) << field;
  return value;
}

TEST_F(ClipMoney, ADryRunShowsWhatTheClipWillCost) {
  ASSERT_FALSE(pay_for("one"));
  ClipPipeline clip;
  prepare(clip, "two");
  clip.set("dry-run", "true");
  EXPECT_DOUBLE_EQ(std::stod(clip.get("estimate")), -1);
  std::atomic<int> notified = 0;
  g_signal_connect_swapped(clip.src(), "notify::estimate",
                           G_CALLBACK(+[](std::atomic<int> *count) { ++*count; }), &notified);
  const auto error = clip.play();
  ASSERT_FALSE(error) << error->text;
  const GstStructure *request = clip.posted("genclip-request");
  ASSERT_TRUE(request);
  const GValue *value = gst_structure_get_value(request, "estimate");
  ASSERT_TRUE(value);
  const GstStructure *estimate = gst_value_get_structure(value);
  for (const char *field : {"low", "likely", "high"}) {
    double credits = 0;
    EXPECT_TRUE(gst_structure_get_double(estimate, field, &credits));
    EXPECT_EQ(credits, 2.5) << field;
  }
  guint samples = 0;
  EXPECT_TRUE(gst_structure_get_uint(estimate, "samples", &samples));
  EXPECT_EQ(samples, 1u);
  EXPECT_STREQ(gst_structure_get_string(estimate, "basis"), "same");
  EXPECT_DOUBLE_EQ(std::stod(clip.get("estimate")), 2.5);
  EXPECT_EQ(notified, 1);
}

TEST_F(ClipMoney, ADryRunOfAnUnknownPriceShowsNone) {
  ClipPipeline clip;
  prepare(clip, "one");
  clip.set("dry-run", "true");
  ASSERT_FALSE(clip.play());
  const GstStructure *request = clip.posted("genclip-request");
  ASSERT_TRUE(request);
  EXPECT_FALSE(gst_structure_has_field(request, "estimate"));
  EXPECT_EQ(ledger(), "") << "a dry run writes nothing";
}

TEST_F(ClipMoney, ARunShowsItsEstimate) {
  ASSERT_FALSE(pay_for("one"));
  ClipPipeline clip;
  prepare(clip, "two");
  ASSERT_FALSE(clip.play());
  EXPECT_DOUBLE_EQ(std::stod(clip.get("estimate")), 2.5);
}

TEST_F(ClipMoney, ASpentBudgetRefusesInWordsAndDetails) {
  stay_within_one_day();
  ASSERT_FALSE(pay_for("one"));
  std::ofstream(folder_.path() + "/budget.json") << R"({"per_day":3})";
  const auto error = pay_for("two");
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->is(GST_RESOURCE_ERROR_NOT_AUTHORIZED));
  EXPECT_THAT(error->text, HasSubstr("3 credits a day"));
  EXPECT_THAT(error->text, HasSubstr("genclip budget set --per-day"));
  EXPECT_EQ(error->detail("budget"), "per-day");
  EXPECT_EQ(number(*error, "limit"), 3);
  EXPECT_EQ(number(*error, "spent"), 2.5);
  EXPECT_EQ(number(*error, "reserved"), 0);
  EXPECT_EQ(number(*error, "estimate"), 2.5);
  EXPECT_EQ(error->detail("outcome"), "not-submitted");
  EXPECT_EQ(error->detail("charged"), "no");
  EXPECT_TRUE(flag(*error, "retry"));
  EXPECT_EQ(service_.submits(), 1);
  EXPECT_FALSE(pay_for("one")) << "a stored clip needs no budget";
}

TEST_F(ClipMoney, MaxAmountRefusesADearClip) {
  ASSERT_FALSE(pay_for("one"));
  ClipPipeline clip;
  prepare(clip, "two");
  clip.set("max-amount", "2.4");
  const auto error = clip.play();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->detail("budget"), "max-amount");
  EXPECT_FALSE(flag(*error, "retry")) << "the same clip stays too dear";
  EXPECT_EQ(service_.submits(), 1);
}

TEST_F(ClipMoney, MaxAmountComesFromTheEnvironmentToo) {
  ASSERT_FALSE(pay_for("one"));
  g_setenv("GENCLIP_MAX_AMOUNT", "2.4", TRUE);
  const auto dear = pay_for("two");
  g_setenv("GENCLIP_MAX_AMOUNT", "two", TRUE);
  const auto mistyped = pay_for("two");
  g_unsetenv("GENCLIP_MAX_AMOUNT");
  ASSERT_TRUE(dear);
  EXPECT_EQ(dear->detail("budget"), "max-amount");
  EXPECT_THAT(dear->text, HasSubstr("GENCLIP_MAX_AMOUNT allows this clip 2.4 credits"));
  ASSERT_TRUE(mistyped);
  EXPECT_TRUE(mistyped->is(GST_RESOURCE_ERROR_SETTINGS));
  EXPECT_THAT(mistyped->text, HasSubstr("GENCLIP_MAX_AMOUNT"));
  EXPECT_EQ(mistyped->detail("outcome"), "not-submitted");
}

TEST_F(ClipMoney, TheProjectIsInTheLedgerAndNotInTheRequest) {
  {
    ClipPipeline clip;
    prepare(clip, "one");
    clip.set("project", "spring");
    ASSERT_FALSE(clip.play());
  }
  EXPECT_THAT(ledger(), HasSubstr(R"("project":"spring")"));
  g_setenv("GENCLIP_PROJECT", "autumn", TRUE);
  EXPECT_FALSE(pay_for("one")) << "the same clip, whatever the project";
  EXPECT_FALSE(pay_for("two"));
  g_unsetenv("GENCLIP_PROJECT");
  EXPECT_EQ(service_.submits(), 2);
  EXPECT_THAT(ledger(), HasSubstr(R"("project":"autumn")"));
  for (const std::string &request : service_.requests()) EXPECT_EQ(request.find("spring"), std::string::npos);
}

}  // namespace
}  // namespace genclip::test
