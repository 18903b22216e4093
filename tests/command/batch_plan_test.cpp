// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a plan says of a row is what its run may do.
#include "plugin/command/batch_plan.h"

#include <gst/gst.h>
#include <gtest/gtest.h>

#include "plugin/store/clip_folder.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

class BatchPlanTest : public testing::Test {
 protected:
  BatchPlanTest() {
    gst_init(nullptr, nullptr);
    run_.base_url = "https://api.example";
    run_.api_key = "sk-4711";
    run_.store = folder_.path();
  }

  PlannedClip planned() const {
    BatchClip clip;
    clip.line = 1;
    clip.name = "001";
    clip.request.model = "dance-2.5";
    clip.request.fields.set("prompt", "a storm");
    BatchPlan plan = plan_clips(*Catalog::shared(), {clip}, {}, run_);
    EXPECT_TRUE(plan.problems.empty());
    EXPECT_EQ(plan.clips.size(), 1u);
    EXPECT_EQ(plan.to_pay, plan.clips.front().is_paid || plan.clips.front().is_left_out ? 0u : 1u);
    return plan.clips.front();
  }

  // As the request's journal.
  void journal(ClipRecord record) const {
    record.identity = planned().plan.job.identity;
    record.model = "dance-2.5";
    ClipFolder folder(FileSystem::posix(), ClipPath(folder_.path(), planned().key));
    const auto lock = folder.lock_writer([](const std::string &) {});
    ASSERT_TRUE(lock && *lock);
    ASSERT_TRUE(folder.write_record(record));
  }

  TemporaryFolder folder_;
  RunSettings run_;
};

TEST_F(BatchPlanTest, LetsARunPayForWhatItHasPriced) {
  EXPECT_EQ(planned().plan.job.may_submit, MaySubmit::even_in_doubt);
  ClipRecord record;
  record.state = ClipState::lost;
  record.task_id = "t-1";
  journal(record);
  EXPECT_TRUE(planned().may_be_paid);
  EXPECT_EQ(planned().plan.job.may_submit, MaySubmit::even_in_doubt);
}

// Its task may have failed, so that nothing is in doubt any more.
TEST_F(BatchPlanTest, LetsNoRunPayForWhatItLeavesOut) {
  run_.on_unknown = OnUnknownSubmit::fail;
  EXPECT_EQ(planned().plan.job.may_submit, MaySubmit::unless_in_doubt);
  ClipRecord record;
  record.state = ClipState::lost;
  record.task_id = "t-1";
  journal(record);
  EXPECT_TRUE(planned().is_left_out);
  EXPECT_EQ(planned().plan.job.may_submit, MaySubmit::never);
}

// The service may have lost its task.
TEST_F(BatchPlanTest, LetsNoRunPayForWhatItCallsPaid) {
  ClipRecord record;
  record.state = ClipState::submitted;
  record.task_id = "t-1";
  journal(record);
  EXPECT_TRUE(planned().is_paid);
  EXPECT_EQ(planned().plan.job.may_submit, MaySubmit::never);
}

}  // namespace
}  // namespace genclip::test
