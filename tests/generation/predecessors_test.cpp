// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A stored clip that goes on from another one, which may have been made anew.
#include "plugin/generation/predecessors.h"

#include <gtest/gtest.h>

#include "plugin/generation/chain_estimate.h"
#include "tests/generation/work_fixture.h"

namespace genclip::test {
namespace {

class Predecessors : public WorkTest {
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
    return replaced_predecessors(FileSystem::posix(), job().store, successor(task_id)).size();
  }
};

TEST_F(Predecessors, AreReplacedWhenTheyAreOfAnotherTask) {
  const Outcome made = run();
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_EQ(replaced(made.state.task_id), 0u);
  EXPECT_EQ(replaced("another task"), 1u);
}

TEST_F(Predecessors, ThatHaveLeftTheStoreAreNotReplaced) { EXPECT_EQ(replaced("a task"), 0u); }

TEST_F(Predecessors, AreNamedInTheWarning) {
  const std::string text = replaced_text(successor("t").references[0]);
  EXPECT_NE(text.find("first_image"), std::string::npos) << text;
  EXPECT_NE(text.find(path().folder().substr(path().root().size() + 1, 8)), std::string::npos) << text;
}

TEST(ChainEstimate, IsTheSumAndRestsOnTheWeakestLink) {
  const Estimate sum = sum_of({{1, 2, 3, 20, "same"}, {1, 1.5, 4, 2, "range"}, {2, 2, 2, 5, "line"}});
  EXPECT_EQ(sum, (Estimate{4, 5.5, 9, 2, "range"}));
  EXPECT_EQ(sum_of({{1, 2, 3, 4, "line"}}), (Estimate{1, 2, 3, 4, "line"}));
}

TEST(ChainEstimate, IsRefusedByALimitOfItsHighEnd) {
  const GenerationServices services;
  const Estimate estimate{1, 2, 3, 4, "same"};
  EXPECT_EQ(decide_limit(0, 0, estimate, services).verdict, Verdict::allow);
  EXPECT_EQ(decide_limit(3, 0, estimate, services).verdict, Verdict::allow);
  EXPECT_EQ(decide_limit(2.9, 0, estimate, services).verdict, Verdict::refuse);
  EXPECT_EQ(decide_limit(5, 2, estimate, services).verdict, Verdict::allow);
  EXPECT_EQ(decide_limit(4.9, 2, estimate, services).verdict, Verdict::refuse);
  EXPECT_EQ(decide_limit(0, 0, {}, services).verdict, Verdict::allow);
  EXPECT_EQ(decide_limit(100, 0, {}, services).verdict, Verdict::refuse);
}

}  // namespace
}  // namespace genclip::test
