// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The plan of a chain, its price, and a stored clip that goes on from another one, which may have been made
// anew.
#include "plugin/generation/chain_plan.h"

#include <gtest/gtest.h>

#include <array>

#include "plugin/catalog/request_meaning.h"
#include "tests/generation/work_fixture.h"

namespace genclip::test {
namespace {

class ReplacedLinks : public WorkTest {
 protected:
  // A record of a clip that was made of the stored one.
  ClipRecord successor(const std::string &task_id) {
    ClipRecord record;
    record.references = {
        {"first_image", 0, "", "", path().folder().substr(path().root().size() + 1), task_id},
        {"last_image", 0, std::string(64, 'a'), "copy.png", "", ""}};
    return record;
  }
  size_t replaced(const std::string &task_id) {
    return replaced_links(FileSystem::posix(), job().store, successor(task_id)).size();
  }
};

TEST_F(ReplacedLinks, AreReplacedWhenTheyAreOfAnotherTask) {
  const Outcome made = run();
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_EQ(replaced(made.state.task_id), 0u);
  EXPECT_EQ(replaced("another task"), 1u);
}

TEST_F(ReplacedLinks, ThatHaveLeftTheStoreAreNotReplaced) { EXPECT_EQ(replaced("a task"), 0u); }

TEST_F(ReplacedLinks, AreNamedInTheWarning) {
  run();
  const auto warnings = replaced_links(FileSystem::posix(), job().store, successor("another"));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("first_image"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find(path().digest().substr(0, 8)), std::string::npos) << warnings[0];
}

// A picture of one pixel, which is a clip without any length.
std::string one_pixel_png() {
  constexpr auto kPixel = std::to_array(
      "\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~"
      "\x9bU\x00\x00\x00\x0aIDATx\x9c"
      "c`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xae"
      "B`\x82");
  return std::string(kPixel.data(), kPixel.size() - 1);
}

// It was paid for by a verdict on the length that was asked for.
TEST(FrameOfALink, IsTheLastWhereTheClipIsHalfASecondShorterThanItsRequestSays) {
  const auto is_taken = [](const std::string &clip, const std::string &time) {
    ClipRequest request{.model = "sd_2.0_special"};
    request.fields.set("prompt", "x");
    request.fields.set("first_image", Json::Array{"genclip://" + clip + "#t=" + time});
    const auto checked = check_request(*Catalog::built_in(), request, {.publishes = true});
    if (!checked) give_up(problems_text(checked.error()));
    auto file = LocalFile::with_content(one_pixel_png());
    if (!file) give_up(file.error().text);
    const PlannedLink link{&*checked, std::make_shared<const IdentifiedRequest>(), "", {0}};
    LinkClip made{"key", "clip.png", "t-1", std::make_shared<const LocalFile>(std::move(*file)), {}};
    const auto media = local_media(link, {{0, std::move(made)}}, nullptr);
    EXPECT_TRUE(media || media.error().text.find("long") != std::string::npos) << media.error().text;
    return media.has_value();
  };
  EXPECT_TRUE(is_taken("dance-2.5?prompt=x&duration=4", "0.4"));
  EXPECT_FALSE(is_taken("dance-2.5?prompt=x&duration=4", "0.6"));
  EXPECT_FALSE(is_taken("veo?prompt=x", "0.4")) << "nobody knows its length";
}

class EstimateOfAClip : public WorkTest {
 protected:
  std::optional<Estimate> estimate(bool reuse = true) {
    GenerationJob now = job();
    now.reuse = reuse;
    const auto found = identify_request(now, services(), false, nullptr);
    return found ? estimate_of(now, *found, services()) : std::nullopt;
  }
};

TEST_F(EstimateOfAClip, IsNothingOnceItIsPaidUnlessItIsMadeAnew) {
  EXPECT_FALSE(estimate()) << "it is unknown";
  ASSERT_FALSE(run().error);
  EXPECT_EQ(estimate(), (Estimate{0, 0, 0, 0, "paid"}));
  const auto anew = estimate(false);
  ASSERT_TRUE(anew);
  EXPECT_GT(anew->low, 0);
  EXPECT_EQ(anew->basis, "same");
}

class CheckOfAChain : public WorkTest {
 protected:
  // The text of the problem; empty: there is none.
  std::string problem(const std::string &reference, const ReferencePolicy &policy) {
    ClipRequest request{.model = "sd_2.0_special"};
    request.fields.set("prompt", "x");
    request.fields.set("first_image", Json::Array{reference});
    auto checked = check_request(*Catalog::built_in(), request, policy);
    if (!checked) return "the request itself: " + problems_text(checked.error());
    GenerationJob now = job();
    now.model = checked->model();
    now.identity.request = meaning_of(checked->spec(), checked->body());
    now.request = *std::move(checked);
    const auto found = identify_request(now, services(), false, nullptr);
    if (!found) return "identity: " + found.error().text;
    const auto good = check_chain(now, *found, services(), nullptr);
    return good ? "" : good.error().text;
  }
};

TEST_F(CheckOfAChain, RefusesAFrameThatNothingPublishes) {
  const std::string frame = "genclip://dance-2.5?prompt=x&duration=4#last";
  const std::string within =
      "genclip://sd_2.0_special?prompt=y&first_image=genclip%3A//dance-2.5%3Fprompt%3Dx%23last#last";
  constexpr ReferencePolicy kPublishes{.publishes = true, .is_service_public = true};
  constexpr ReferencePolicy kNothing{.publishes = false, .is_service_public = true};
  for (const std::string &reference : {frame, within}) {
    EXPECT_EQ(problem(reference, kPublishes), "");
    const std::string text = problem(reference, kNothing);
    EXPECT_TRUE(text.starts_with("first_image is a frame of a clip, which the service cannot see; set"))
        << text;
  }
}

TEST(ChainEstimate, IsTheSumAndRestsOnTheWeakestLink) {
  const Estimate sum = sum_of({{1, 2, 3, 20, "same"}, {1, 1.5, 4, 2, "range"}, {2, 2, 2, 5, "line"}});
  EXPECT_EQ(sum, (Estimate{4, 5.5, 9, 2, "range"}));
  EXPECT_EQ(sum_of({{1, 2, 3, 4, "line"}}), (Estimate{1, 2, 3, 4, "line"}));
}

class ChainLimits : public testing::Test {
 protected:
  // The limit that refuses; empty: none does.
  std::string refusal(double max_amount, double spent, const std::vector<std::optional<double>> &highs,
                      const Budget &budget = {}) const {
    std::vector<std::optional<Estimate>> to_pay;
    for (const auto &high : highs)
      to_pay.push_back(high ? std::optional(Estimate{1, 2, *high, 4, "same"}) : std::nullopt);
    const auto refused = chain_refusal(to_pay, max_amount, Account(), budget, spent, UtcTime());
    return refused ? refused->budget : "";
  }
};

TEST_F(ChainLimits, OfTheRunAreForTheHighEndOfAllThatIsToPayAndIsPaid) {
  EXPECT_EQ(refusal(0, 0, {3, 4}), "");
  EXPECT_EQ(refusal(7, 0, {3, 4}), "");
  EXPECT_EQ(refusal(6.9, 0, {3, 4}), "max-amount");
  EXPECT_EQ(refusal(5, 2, {3}), "");
  EXPECT_EQ(refusal(4.9, 2, {3}), "max-amount");
  EXPECT_EQ(refusal(100, 0, {3, {}}), "max-amount") << "the price of one is unknown";
  EXPECT_EQ(refusal(0, 0, {3, {}}), "");
}

TEST_F(ChainLimits, OfATimeAreForOneAfterTheOther) {
  Budget budget;
  budget.total = 7;
  EXPECT_EQ(refusal(0, 0, {3, 4}, budget), "");
  EXPECT_EQ(refusal(0, 0, {3, 4.1}, budget), "total");
  budget.tasks_per_day = 2;
  EXPECT_EQ(refusal(0, 0, {1, 1, 1}, budget), "tasks-per-day");
}

TEST_F(ChainLimits, OfOneClipAreForEachAndRefuseOneOfUnknownPrice) {
  Budget budget;
  budget.per_clip = 4;
  EXPECT_EQ(refusal(0, 0, {3, 4}, budget), "");
  EXPECT_EQ(refusal(0, 9, {4}, budget), "") << "what is paid was asked before";
  EXPECT_EQ(refusal(0, 0, {3, 4.1}, budget), "per-clip");
  EXPECT_EQ(refusal(0, 0, {3, {}}, budget), "per-clip");
  budget.assumed_price = 4;
  EXPECT_EQ(refusal(0, 0, {3, {}}, budget), "");
}

}  // namespace
}  // namespace genclip::test
