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

class Verdict : public testing::TestWithParam<std::string> {
 protected:
  static const std::vector<VerdictCase> &cases() {
    static const VerdictCases kAll = verdict_cases_by_model();
    return kAll.at(GetParam());
  }

  const Catalog &catalog_ = *Catalog::built_in();
};

TEST_P(Verdict, OfTheRequestIsTheDocuments) {
  for (const VerdictCase &one : cases()) {
    // A form that cannot express the case would assert nothing.
    if (!one.as_request) continue;
    SCOPED_TRACE(one.name + " " + one.uri.substr(0, 400));
    const auto checked = check_request(catalog_, one.request);
    const std::string problems = checked ? "" : problems_text(checked.error());
    ASSERT_EQ(checked.has_value(), one.allowed) << problems;
    if (checked) continue;
    EXPECT_TRUE(std::any_of(checked.error().begin(), checked.error().end(),
                            [&](const Problem &problem) { return problem.field == one.field; }))
        << one.field << ": " << problems;
  }
}

TEST_P(Verdict, OfTheUriIsThatOfTheRequest) {
  for (const VerdictCase &one : cases()) {
    if (!one.as_uri) continue;
    SCOPED_TRACE(one.name + " " + one.uri.substr(0, 400));
    const auto request = parse_clip_uri(catalog_, one.uri);
    if (!request) {
      EXPECT_FALSE(one.allowed) << request.error().text;
      continue;
    }
    const auto checked = check_request(catalog_, *request);
    EXPECT_EQ(checked.has_value(), one.allowed) << (checked ? "" : problems_text(checked.error()));
    if (one.allowed && one.as_request) {
      EXPECT_EQ(*request, one.request);
    }
  }
}

TEST_P(Verdict, OfAnAllowedRequestSurvivesTheWayThroughAUri) {
  size_t said = 0;
  for (const VerdictCase &one : cases()) {
    if (!one.allowed || !one.as_request || !one.as_uri) continue;
    SCOPED_TRACE(one.name + " " + one.uri.substr(0, 400));
    const auto request = parse_clip_uri(catalog_, clip_uri(catalog_, one.request));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(*request, one.request);
    ++said;
  }
  EXPECT_GT(said, 0u);
}

INSTANTIATE_TEST_SUITE_P(Catalog, Verdict, testing::ValuesIn(models_with_verdicts()),
                         [](const auto &row) { return test_name(row.param); });

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
