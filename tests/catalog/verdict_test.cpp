// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every case of the hand-written facts gets its verdict, as a request and as a URI.
#include <gtest/gtest.h>

#include <algorithm>

#include "plugin/catalog/check_request.h"
#include "plugin/catalog/clip_uri.h"
#include "tests/catalog/model_facts.h"
#include "tests/catalog/verdict_cases.h"

namespace genclip::test {
namespace {

using IsSayable = bool (*)(const VerdictCase &);

// Only these: a test of a case that this form cannot express would assert nothing.
std::vector<VerdictCase> cases_that(IsSayable is_sayable) {
  std::vector<VerdictCase> cases = verdict_cases();
  std::erase_if(cases, [&](const VerdictCase &one) { return !is_sayable(one); });
  return cases;
}

std::string name_of(const testing::TestParamInfo<VerdictCase> &row) { return row.param.name; }

class Verdict : public testing::TestWithParam<VerdictCase> {
 protected:
  const Catalog &catalog_ = *Catalog::built_in();
};

class VerdictOfRequest : public Verdict {};
INSTANTIATE_TEST_SUITE_P(Catalog, VerdictOfRequest,
                         testing::ValuesIn(cases_that([](const auto &one) { return one.as_request; })),
                         name_of);

TEST_P(VerdictOfRequest, IsTheDocuments) {
  const VerdictCase &one = GetParam();
  const auto checked = check_request(catalog_, one.request);
  const std::string problems = checked ? "" : problems_text(checked.error());
  ASSERT_EQ(checked.has_value(), one.allowed) << one.uri.substr(0, 400) << "\n" << problems;
  if (checked) return;
  EXPECT_TRUE(std::any_of(checked.error().begin(), checked.error().end(),
                          [&](const Problem &problem) { return problem.field == one.field; }))
      << one.field << ": " << problems;
}

class VerdictOfUri : public Verdict {};
INSTANTIATE_TEST_SUITE_P(Catalog, VerdictOfUri,
                         testing::ValuesIn(cases_that([](const auto &one) { return one.as_uri; })), name_of);

TEST_P(VerdictOfUri, IsThatOfTheRequest) {
  const VerdictCase &one = GetParam();
  const auto request = parse_clip_uri(catalog_, one.uri);
  if (!request) {
    EXPECT_FALSE(one.allowed) << one.uri.substr(0, 400) << "\n" << request.error().text;
    return;
  }
  const auto checked = check_request(catalog_, *request);
  EXPECT_EQ(checked.has_value(), one.allowed) << one.uri.substr(0, 400) << "\n"
                                              << (checked ? "" : problems_text(checked.error()));
  if (one.allowed && one.as_request) {
    EXPECT_EQ(*request, one.request) << one.uri.substr(0, 400);
  }
}

class AllowedRequest : public Verdict {};
INSTANTIATE_TEST_SUITE_P(Catalog, AllowedRequest, testing::ValuesIn(cases_that([](const auto &one) {
                           return one.allowed && one.as_request && one.as_uri;
                         })),
                         name_of);

TEST_P(AllowedRequest, SurvivesTheWayThroughAUri) {
  const VerdictCase &one = GetParam();
  const std::string uri = clip_uri(catalog_, one.request);
  const auto request = parse_clip_uri(catalog_, uri);
  ASSERT_TRUE(request) << uri.substr(0, 400) << "\n" << request.error().text;
  EXPECT_EQ(*request, one.request) << uri.substr(0, 400);
}

TEST(VerdictCases, AreManyAndCoverEveryModel) {
  EXPECT_GE(verdict_cases().size(), 600u);
  const Catalog &catalog = *Catalog::built_in();
  EXPECT_EQ(catalog.models().size(), model_facts().size());
  for (const ModelFacts &facts : model_facts()) {
    const auto spec = catalog.find(facts.model);
    ASSERT_TRUE(spec) << facts.model;
    EXPECT_EQ(spec->result == ResultKind::image, facts.image) << facts.model;
    EXPECT_EQ(spec->apis.front() == Api::legacy, facts.legacy) << facts.model;
    EXPECT_EQ(spec->assets, facts.assets) << facts.model;
  }
}

}  // namespace
}  // namespace genclip::test
