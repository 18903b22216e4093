// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a clip will cost, by what clips have cost.
#include "plugin/account/estimate.h"

#include <gtest/gtest.h>

#include "tests/account/sample_entries.h"

namespace genclip::test {
namespace {

class EstimateTest : public testing::Test {
 protected:
  void learn(const ChargeFacts &facts, double amount) {
    history_.put(price_class_of(facts), ++number_, amount);
  }
  std::optional<Estimate> estimate(const ChargeFacts &facts) const { return estimate_price(history_, facts); }

  PriceHistory history_;
  uint64_t number_ = 0;
};

TEST_F(EstimateTest, IsUnknownWithoutHistoryAndNever0) { EXPECT_FALSE(estimate(facts_of("a"))); }

TEST_F(EstimateTest, IsTheMedianOfTheSameKindFirst) {
  for (const double amount : {4.0, 1.0, 2.0, 9.0}) learn(facts_of("a"), amount);
  learn(facts_of("a", 10), 100);
  const auto found = estimate(facts_of("b"));
  ASSERT_TRUE(found);
  EXPECT_TRUE(*found == (Estimate{1, 3, 9, 4, "same"}));
}

TEST_F(EstimateTest, LearnsNothingOfAClipThatWasFree) {
  learn(facts_of("a"), 0);
  EXPECT_FALSE(estimate(facts_of("a"))) << "an estimate of 0 would fit into any budget";
  EXPECT_TRUE(history_.classes().empty());
  learn(facts_of("a"), 4);
  for (int i = 0; i < 30; ++i) learn(facts_of("a"), 0);
  EXPECT_TRUE(*estimate(facts_of("a")) == (Estimate{4, 4, 4, 1, "same"})) << "a promotion of 30 clips";
  EXPECT_TRUE(*estimate(facts_of("b", 10)) == (Estimate{4, 4, 4, 1, "range"}));
}

TEST_F(EstimateTest, LearnsAndForgetsAsAmountsAreCorrected) {
  const PriceClass kind = price_class_of(facts_of("a"));
  history_.put(kind, 1, 0);
  history_.put(kind, 2, 6);
  history_.put(kind, 1, 2);
  EXPECT_TRUE(*estimate(facts_of("a")) == (Estimate{2, 4, 6, 2, "same"}))
      << "the first one did cost something";
  history_.put(kind, 2, 0);
  EXPECT_TRUE(*estimate(facts_of("a")) == (Estimate{2, 2, 2, 1, "same"})) << "the second one was free";
  history_.put(kind, 1, 0);
  EXPECT_FALSE(estimate(facts_of("a")));
}

TEST_F(EstimateTest, ForgetsTheOldestThoughItsAmountIsCorrected) {
  for (int i = 0; i < 21; ++i) learn(facts_of("a"), 2);
  history_.put(price_class_of(facts_of("a")), 1, 100);
  EXPECT_TRUE(*estimate(facts_of("a")) == (Estimate{2, 2, 2, 20, "same"}));
}

TEST_F(EstimateTest, RestsOnTheLast20) {
  learn(facts_of("a"), 1000);
  for (int i = 0; i < 20; ++i) learn(facts_of("a"), 2);
  EXPECT_TRUE(*estimate(facts_of("a")) == (Estimate{2, 2, 2, 20, "same"}));
}

TEST_F(EstimateTest, TellsRequestsApartByAllThatPricesHangOn) {
  learn(facts_of("a"), 2);
  std::vector<ChargeFacts> others(6, facts_of("a"));
  others[0].resolution = "1080p";
  others[1].size = "1440x1440";
  others[2].audio = false;
  others[3].references = {{"first_image", 1}};
  others[4].duration.reset();
  others[5].duration = 6;
  for (const ChargeFacts &facts : others) {
    ASSERT_TRUE(estimate(facts));
    EXPECT_NE(estimate(facts)->basis, "same");
  }
  ChargeFacts twin = facts_of("b");
  twin.take = 3;
  twin.project = "another";
  twin.api = "legacy";
  EXPECT_EQ(estimate(twin)->basis, "same");
}

// Of all fields but the first, the request says nothing.
ChargeFacts unset_of(const std::string &model, std::optional<double> duration = {}) {
  ChargeFacts facts = facts_of("a");
  facts.model = model;
  facts.duration = duration;
  facts.resolution.clear();
  return facts;
}

TEST_F(EstimateTest, TakesADocumentedDefaultThatIsSpelledOutForTheSameRequest) {
  const ChargeFacts unset = unset_of("dance-2.5");
  ChargeFacts spelled = unset_of("dance-2.5", 4);
  spelled.resolution = "480p";
  learn(spelled, 4);
  learn(unset, 6);
  for (const ChargeFacts &facts : {unset, spelled})
    EXPECT_TRUE(*estimate(facts) == (Estimate{4, 5, 6, 2, "same"}));
  learn(unset_of("dance-2.5", 10), 10);
  ChargeFacts large = unset_of("dance-2.5", 30);
  large.resolution = "480p";
  const auto line = estimate(large);
  EXPECT_EQ(line->basis, "line");
  EXPECT_NEAR(line->likely, 10 + 20 * 5.0 / 6, 1e-9) << "a limit of 15 would let 27 pass";

  ChargeFacts silent = unset_of("sd_2.0_special", 5), loud = silent;
  loud.audio = true;
  learn(silent, 7);
  EXPECT_EQ(estimate(loud)->basis, "same");
  loud.audio = false;
  EXPECT_EQ(estimate(loud)->basis, "range") << "it is no default";
}

TEST_F(EstimateTest, LeavesUnsetWhatNoDocumentSays) {
  // The ratio may say another size than the default. Nothing is documented of the other model.
  ChargeFacts square = unset_of("mini-h3", 5), small = unset_of("veo", 5);
  EXPECT_EQ(price_class_of(square).size, "");
  EXPECT_EQ(price_class_of(small).resolution, "");
  learn(square, 2);
  learn(small, 2);
  square.size = "2560x1440";
  small.resolution = "480p";
  EXPECT_EQ(estimate(square)->basis, "range");
  EXPECT_EQ(estimate(small)->basis, "range");
}

TEST_F(EstimateTest, GoesByTheKindsOfReferencesNotByTheirNumber) {
  ChargeFacts one = facts_of("a"), three = facts_of("b");
  one.references = {{"reference_images", 1}};
  three.references = {{"reference_images", 3}};
  learn(one, 2);
  EXPECT_EQ(estimate(three)->basis, "same");
}

TEST_F(EstimateTest, IsNeverOfAnotherServiceOrModel) {
  learn(facts_of("a"), 2);
  ChargeFacts elsewhere = facts_of("a"), other = facts_of("a");
  elsewhere.base_url = "https://other.example";
  other.model = "dance-2.5";
  EXPECT_FALSE(estimate(elsewhere));
  EXPECT_FALSE(estimate(other));
}

TEST_F(EstimateTest, DrawsALineOverTheDuration) {
  learn(facts_of("a", 4), 8);
  learn(facts_of("b", 10), 20);
  const auto found = estimate(facts_of("c", 6));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->basis, "line");
  EXPECT_EQ(found->samples, 2u);
  EXPECT_NEAR(found->low, 12, 1e-9);
  EXPECT_NEAR(found->likely, 12, 1e-9);
  EXPECT_NEAR(found->high, 12, 1e-9);
}

TEST_F(EstimateTest, IsAsWideAroundTheLineAsThePricesWere) {
  for (const double amount : {7.0, 9.0}) learn(facts_of("a", 4), amount);
  for (const double amount : {19.0, 21.0}) learn(facts_of("b", 10), amount);
  const auto found = estimate(facts_of("c", 7));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->low, 13, 1e-9);
  EXPECT_NEAR(found->likely, 14, 1e-9);
  EXPECT_NEAR(found->high, 15, 1e-9);
}

TEST_F(EstimateTest, DrawsNoLineThroughOneDurationOrAnotherResolution) {
  learn(facts_of("a", 4), 8);
  learn(facts_of("b", 4), 9);
  ChargeFacts large = facts_of("c", 10);
  large.resolution = "1080p";
  learn(large, 50);
  EXPECT_TRUE(*estimate(facts_of("d", 6)) == (Estimate{8, 9, 50, 3, "range"}));
}

TEST_F(EstimateTest, DrawsNoLineToAClipForNothing) {
  learn(facts_of("a", 10), 1);
  learn(facts_of("b", 15), 100);
  EXPECT_EQ(estimate(facts_of("c", 5))->basis, "range");
}

TEST_F(EstimateTest, WithoutADurationIsTheModelsRange) {
  learn(facts_of("a", 4), 8);
  learn(facts_of("b", 10), 20);
  ChargeFacts unset = facts_of("c");
  unset.duration.reset();
  EXPECT_TRUE(*estimate(unset) == (Estimate{8, 14, 20, 2, "range"}));
}

}  // namespace
}  // namespace genclip::test
