// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is on disk when a POST may leave, whatever power cut comes then.
#include "tests/store/store_fixture.h"

namespace genclip::test {
namespace {

class StoreDurability : public StoreTest {
 protected:
  // A store of that name, with an intent in it; then a crash.
  void expect_intent_survives(const std::string &root, Loss loss) {
    const ClipRecord record = record_of("a", ClipState::intent);
    const ClipPath path(root, record.identity.digest());
    {
      ClipFolder folder(files_, path);
      const auto lock = folder.lock_writer(on_damage());
      ASSERT_TRUE(lock && *lock);
      ASSERT_TRUE(folder.write_intent(record));
    }
    files_.crash(loss);
    const auto found = ClipFolder(files_, path).look();
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_EQ(found->state, ClipState::intent);
  }
};

TEST_F(StoreDurability, AnIntentInANewStoreSurvivesAPowerCut) {
  for (const Loss loss : {Loss::nothing, Loss::names, Loss::contents, Loss::both}) {
    expect_intent_survives(root_, loss);
    expect_intent_survives(folder_.path() + "/new/and/deep", loss);
  }
}

// Of two processes that come to a new store at once, one finds folders that the other has not synced yet.
TEST_F(StoreDurability, AnIntentSurvivesInFoldersThatAnotherProcessMade) {
  const ClipRecord record = record_of("a", ClipState::intent);
  const ClipPath path(root_, record.identity.digest());
  ASSERT_TRUE(files_.make_folder(path.folder()));
  ASSERT_TRUE(files_.sync_folder(folder_.path()));
  expect_intent_survives(root_, Loss::names);
}

TEST_F(StoreDurability, AnIntentSurvivesInAStoreThatAnotherProcessMade) {
  ASSERT_TRUE(files_.make_folder(root_));
  expect_intent_survives(root_, Loss::names);
}

// By its ID: there is no intent before it.
TEST_F(StoreDurability, ATaskThatIsAttachedToInANewStoreSurvivesAPowerCut) {
  const ClipRecord record = record_of("a", ClipState::submitted);
  const ClipPath path(folder_.path() + "/new/and/deep", record.identity.digest());
  {
    ClipFolder folder(files_, path);
    const auto lock = folder.lock_writer(on_damage());
    ASSERT_TRUE(lock && *lock);
    ASSERT_TRUE(folder.write_record(record));
  }
  files_.crash(Loss::both);
  const auto found = ClipFolder(files_, path).look();
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->task_id, "task of a");
}

}  // namespace
}  // namespace genclip::test
