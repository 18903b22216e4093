// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a run says that it has paid, when it fails.
#include "plugin/generation/paid_amount.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/account/decision.h"

namespace genclip::test {
namespace {

using testing::Contains;
using testing::IsEmpty;

GenerationState state_of(double own, double links) {
  GenerationState state;
  state.charged = true;
  state.amount = own;
  state.links_amount = links;
  return state;
}

Error refusal(Charged charged) {
  return with_ending({ErrorKind::not_authorized, "Nothing was sent: the store's budget is spent."},
                     {genclip::Outcome::not_submitted, charged, true});
}

TEST(PaidAmount, IsOfTheTaskAndOfTheClipsBeforeIt) {
  EXPECT_EQ(paid_amount(state_of(5, 7)), 12);
  EXPECT_EQ(paid_amount(state_of(-1, 7)), 7);
  GenerationState attached = state_of(5, 0);
  attached.reused = true;
  EXPECT_EQ(paid_amount(attached), 0) << "an earlier run has paid for that task";
  GenerationState refused = state_of(-1, 7);
  refused.charged = false;
  EXPECT_EQ(paid_amount(refused), 7);
}

TEST(PaidAmount, IsOfTheseTasks) {
  GenerationState state = state_of(-1, 7);
  state.link_tasks = {{"x", 7}};
  state.task_id = "own";
  EXPECT_EQ(paid_tasks(state), (std::vector<genclip::PaidTask>{{"x", 7}, {"own", -1, true}}));
  state.completed = true;
  EXPECT_EQ(paid_tasks(state), (std::vector<genclip::PaidTask>{{"x", 7}, {"own", -1}}))
      << "its clip could not be downloaded";
  state.completed = false;
  state.amount = 5;
  EXPECT_EQ(paid_tasks(state), (std::vector<genclip::PaidTask>{{"x", 7}, {"own", 5}}));
  state.reused = true;
  EXPECT_EQ(paid_tasks(state), state.link_tasks);
}

TEST(PaidAmount, OfARunThatPaidNothingLeavesItsErrorAsItIs) {
  const Error error = with_paid(refusal(Charged::no), {});
  EXPECT_EQ(error.text, "Nothing was sent: the store's budget is spent.");
  EXPECT_EQ(error.details, refusal(Charged::no).details);
  EXPECT_THAT(with_paid(cancelled(), {}).details, IsEmpty());
}

TEST(PaidAmount, OfAChainStandsInPlaceOfNothingWasSent) {
  GenerationState links = state_of(-1, 7.5);
  links.charged = false;
  const Error error = with_paid(refusal(Charged::yes), links);
  EXPECT_EQ(error.text,
            "The clip was not submitted: the store's budget is spent. This run has paid 7.5 credits for the "
            "clips before it.");
  EXPECT_THAT(error.details, Contains(ErrorDetail{"amount", 7.5}));
  EXPECT_EQ(with_paid(error, links).text, error.text) << "told once";
  EXPECT_EQ(with_paid(error, links).details, error.details);
}

TEST(PaidAmount, ThatWasNotToldDoesNotMakeItNothing) {
  EXPECT_EQ(with_paid(refusal(Charged::yes), {}).text,
            "The clip was not submitted: the store's budget is spent.");
  EXPECT_EQ(charged_of(refusal(Charged::maybe)), Charged::maybe);
  EXPECT_EQ(charged_of({}), Charged::no);
}

TEST(PaidAmount, OfItsOwnTaskIsADetailAlone) {
  const Error error = with_paid({ErrorKind::read, "The download broke."}, state_of(5, 0));
  EXPECT_EQ(error.text, "The download broke.");
  EXPECT_THAT(error.details, Contains(ErrorDetail{"amount", 5.0}));
}

}  // namespace
}  // namespace genclip::test
