// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Stores that this user may not read or write; also if root runs the tests.
#include <sys/stat.h>
#include <unistd.h>

#include "tests/generation/work_fixture.h"

namespace genclip::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr uid_t kNobody = 65534;

class Permission : public WorkTest {
 protected:
  // From here on, run as a user who is subject to permissions.
  void SetUp() override {
    if (::geteuid() != 0) return;
    ASSERT_EQ(::chown(folder_.path().c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::seteuid(kNobody), 0);
    was_root_ = true;
  }
  void TearDown() override {
    if (was_root_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
    ::chmod(path().folder().c_str(), 0700);
  }
  static void set_mode(const std::string &path, mode_t mode) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0) << path;
  }

  bool was_root_ = false;
};

TEST_F(Permission, AClipThatMayNotBeReadIsAnErrorThatChangesNothing) {
  ASSERT_FALSE(run().error);
  set_mode(path().file("clip.mp4"), 0);
  const Outcome again = run();
  ASSERT_TRUE(again.error);
  EXPECT_EQ(again.error->kind, ErrorKind::open_read);
  EXPECT_THAT(again.text(), HasSubstr("clip.mp4"));
  EXPECT_TRUE(std::filesystem::exists(path().file("clip.mp4")));
  EXPECT_EQ(service_.submits(), 1u);
}

// A5
TEST_F(Permission, AJournalThatMayNotBeReadIsAnErrorThatChangesAndPaysNothing) {
  ASSERT_FALSE(run().error);
  set_mode(path().record(), 0);
  const Outcome again = run();
  ASSERT_TRUE(again.error);
  EXPECT_EQ(again.error->kind, ErrorKind::open_read);
  EXPECT_THAT(again.text(), HasSubstr("task.json"));
  EXPECT_TRUE(std::filesystem::exists(path().record()));
  EXPECT_EQ(service_.submits(), 1u);
  set_mode(path().record(), 0600);
  EXPECT_FALSE(run().error);
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(Permission, AFolderThatMayNotBeReadIsAnErrorAndCostsNothing) {
  ASSERT_FALSE(run().error);
  set_mode(path().folder(), 0);
  const Outcome again = run();
  ASSERT_TRUE(again.error);
  EXPECT_THAT(again.text(), HasSubstr("ermission"));
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(Permission, AStoreThatMayNotBeWrittenIsAnErrorBeforeTheSubmit) {
  std::filesystem::create_directories(job().store);
  set_mode(job().store, 0500);
  const Outcome outcome = run();
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->kind, ErrorKind::open_write);
  EXPECT_EQ(service_.submits(), 0u);
  set_mode(job().store, 0700);
}

TEST_F(Permission, AClipInAStoreThatMayOnlyBeReadIsServed) {
  ASSERT_FALSE(run().error);
  for (const char *name : {"task.json", "clip.mp4", "lock", "use"}) set_mode(path().file(name), 0400);
  set_mode(path().folder(), 0500);
  for (const bool has_use : {true, false}) {
    SCOPED_TRACE(has_use);
    if (!has_use) {
      set_mode(path().folder(), 0700);
      std::filesystem::remove(path().use());
      set_mode(path().folder(), 0500);
    }
    const Outcome again = run();
    ASSERT_FALSE(again.error) << again.text();
    EXPECT_TRUE(are_same(again.bytes, service_.clip()));
  }
  EXPECT_EQ(service_.submits(), 1u);
}

}  // namespace
}  // namespace genclip::test
