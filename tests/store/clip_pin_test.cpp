// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A pinned clip stays, whatever is generated, replaced, pruned or crashes.
#include "plugin/store/clip_pin.h"

#include <filesystem>
#include <fstream>

#include "plugin/store/clip_removal.h"
#include "plugin/store/store_listing.h"
#include "tests/store/store_fixture.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class ClipPin : public StoreTest {
 protected:
  bool pinned(const ClipPath &path) {
    const auto found = is_pinned(files_, path);
    EXPECT_TRUE(found) << found.error().text;
    return found && *found;
  }
  static std::string digest_of(const ClipPath &path) { return fs::path(path.folder()).filename(); }
  size_t clips() {
    const auto list = list_store(files_, root_);
    return list ? list->size() : 0;
  }
};

TEST_F(ClipPin, IsSetAndTakenAwayAnyNumberOfTimes) {
  const ClipPath path = add("a");
  EXPECT_FALSE(pinned(path));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(pin_clip(files_, path));
    EXPECT_TRUE(pinned(path));
  }
  EXPECT_TRUE(taken(find_stored(files_, root_, digest_of(path))).pinned);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(unpin_clip(files_, path));
    EXPECT_FALSE(pinned(path));
  }
  EXPECT_FALSE(taken(find_stored(files_, root_, digest_of(path))).pinned);
}

TEST_F(ClipPin, IsNeverPruned) {
  const ClipPath path = add("a");
  add("b");
  ASSERT_TRUE(pin_clip(files_, path));
  const auto pruned = prune_store(files_, root_, 0);
  ASSERT_TRUE(pruned);
  ASSERT_EQ(pruned->removed.size(), 1u);
  EXPECT_EQ(pruned->removed[0].prompt(), "b");
  EXPECT_GT(pruned->size, 0u) << "it still takes up room";
  ASSERT_TRUE(unpin_clip(files_, path));
  EXPECT_EQ(taken(prune_store(files_, root_, 0)).removed.size(), 1u);
}

TEST_F(ClipPin, IsRemovedOnlyWhenThatIsAskedFor) {
  const ClipPath path = add("a");
  ASSERT_TRUE(pin_clip(files_, path));
  for (const Removable removable : {Removable::complete, Removable::any}) {
    const Error refused = failure_of(remove_clip(files_, root_, digest_of(path), removable));
    EXPECT_EQ(refused.kind, ErrorKind::settings);
    EXPECT_THAT(refused.text, HasSubstr("genclip store unpin " + digest_of(path).substr(0, 8)));
    EXPECT_EQ(refused.task_id, "task of a");
  }
  EXPECT_TRUE(remove_clip(files_, root_, digest_of(path), Removable::complete, Pinned::go));
  EXPECT_THAT(taken(files_.list(root_)), IsEmpty()) << "the pin is gone with its clip";
}

TEST_F(ClipPin, SurvivesTheCommitOfAClipAndItsReplacement) {
  const ClipPath path = add("a", ClipState::submitted);
  ASSERT_TRUE(pin_clip(files_, path)) << "while it is generated";
  add("a");
  EXPECT_TRUE(pinned(path));
  ClipRecord another = record_of("a", ClipState::complete);
  another.replaced = std::make_shared<const ClipRecord>(taken(ClipFolder(files_, path).look()));
  add(another, sample_mp4(20'000));
  EXPECT_TRUE(pinned(path));
  ClipFolder folder(files_, path);
  ASSERT_TRUE(folder.set_strangers_aside(on_damage()));
  EXPECT_TRUE(pinned(path));
  EXPECT_THAT(damage_, IsEmpty());
}

TEST_F(ClipPin, CanBeSetWhileAnotherProcessGeneratesOrReadsTheClip) {
  const ClipPath path = add("a");
  const auto writer = StoreLock::try_lock(path.lock());
  const auto reader = StoreLock::try_lock(path.use(), StoreLock::Kind::shared);
  ASSERT_TRUE(writer && *writer && reader && *reader);
  EXPECT_TRUE(pin_clip(files_, path));
  EXPECT_TRUE(unpin_clip(files_, path));
}

TEST_F(ClipPin, IsNotSetOnAClipThatIsBeingRemovedOrIsGone) {
  const ClipPath path = add("a");
  {
    const auto removal = StoreLock::try_lock(path.use());
    ASSERT_TRUE(removal && *removal);
    EXPECT_EQ(failure_of(pin_clip(files_, path)).kind, ErrorKind::busy);
    EXPECT_EQ(failure_of(unpin_clip(files_, path)).kind, ErrorKind::busy);
  }
  ASSERT_TRUE(remove_clip(files_, root_, digest_of(path)));
  EXPECT_EQ(failure_of(pin_clip(files_, path)).kind, ErrorKind::not_found);
  EXPECT_FALSE(fs::exists(path.folder()));
}

TEST_F(ClipPin, SurvivesAPowerCutOnceItIsSet) {
  for (const Loss loss : {Loss::nothing, Loss::names, Loss::contents, Loss::both}) {
    const ClipPath path = add("a");
    files_.crash(Loss::nothing);
    ASSERT_TRUE(pin_clip(files_, path));
    files_.crash(loss);
    EXPECT_TRUE(pinned(path));
    ASSERT_TRUE(unpin_clip(files_, path));
    files_.crash(loss);
    EXPECT_FALSE(pinned(path));
  }
}

TEST_F(ClipPin, ACrashWhileItIsSetLeavesTheClipWholeAndPinnedOrNot) {
  for (const Loss loss : {Loss::nothing, Loss::names, Loss::contents, Loss::both})
    for (size_t at = 1; at < 8; ++at) {
      const ClipPath path = add("a");
      files_.crash(Loss::nothing);
      files_.die_at(files_.operations() + at);
      const bool done = pin_clip(files_, path).has_value();
      files_.crash(loss);
      EXPECT_TRUE(!done || pinned(path)) << at;
      EXPECT_EQ(clips(), 1u);
      ASSERT_TRUE(pin_clip(files_, path));
      files_.crash(Loss::both);
      EXPECT_TRUE(pinned(path)) << "another process may have set the pin and died before it was durable";
      ASSERT_TRUE(unpin_clip(files_, path));
    }
}

// Each operation of a prune fails in turn, the search for the pin too.
TEST_F(ClipPin, KeepsTheClipWhenItCannotBeSeen) {
  const ClipPath path = add("a");
  ASSERT_TRUE(pin_clip(files_, path));
  const size_t before = files_.operations();
  ASSERT_TRUE(prune_store(files_, root_, 0));
  const size_t count = files_.operations() - before;
  for (size_t at = 1; at <= count; ++at) {
    files_.fail_at(files_.operations() + at, {ErrorKind::open_read, "No access."});
    static_cast<void>(prune_store(files_, root_, 0));
    EXPECT_EQ(clips(), 1u) << at;
  }
}

TEST_F(ClipPin, AloneInAFolderIsALeftover) {
  const ClipPath path = add("a");
  ASSERT_TRUE(pin_clip(files_, path));
  fs::remove(path.file("clip.mp4"));
  fs::remove(path.record());
  EXPECT_EQ(clips(), 0u);
  ASSERT_TRUE(prune_store(files_, root_, 0));
  EXPECT_FALSE(fs::exists(path.folder()));
}

}  // namespace
}  // namespace genclip::test
