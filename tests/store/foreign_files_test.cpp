// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What somebody else has put into a clip's folder (A15).
#include <filesystem>
#include <fstream>

#include "plugin/store/clip_removal.h"
#include "plugin/store/store_listing.h"
#include "tests/store/store_fixture.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ForeignFiles : public StoreTest {
 protected:
  static std::string digest_of(const ClipPath &path) { return fs::path(path.folder()).filename(); }
  std::vector<std::string> names_in(const std::string &folder) {
    auto names = files_.list(folder);
    return names ? *names : std::vector<std::string>();
  }
  ClipPath add_used(const std::string &prompt, int hours) {
    ClipPath path = add(prompt);
    EXPECT_TRUE(ClipFolder(files_, path).lock_use());
    fs::last_write_time(path.use(), fs::file_time_type::clock::now() + std::chrono::hours(hours));
    return path;
  }
  uint64_t size_of_store() {
    uint64_t size = 0;
    const auto clips = list_store(files_, root_);
    if (clips)
      for (const StoredClip &clip : *clips) size += clip.size;
    return size;
  }
  // Durable, and known to the layer that loses what is not.
  void put(const ClipPath &path, const std::string &name, const std::string &bytes) {
    const auto file = files_.open(path.file(name), FileSystem::Mode::read_write);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write_at(0, std::as_bytes(std::span(bytes))));
    ASSERT_TRUE((*file)->sync());
    ASSERT_TRUE(files_.sync_folder(path.folder()));
  }
};

TEST_F(ForeignFiles, StayWhenTheirFoldersClipIsRemoved) {
  for (const Removable removable : {Removable::complete, Removable::any}) {
    const ClipPath path = add("a");
    std::ofstream(path.file("notes.txt")) << "mine";
    std::ofstream(path.file("clip.srt")) << "mine";
    std::ofstream(path.file("notes.txt.damaged-1")) << "mine";
    std::ofstream(path.file("clip.mp4.damaged-1")) << "ours";
    fs::create_directories(path.file("pictures"));
    std::ofstream(path.file("pictures/1.png")) << "mine";
    fs::create_directories(path.file("clip.png"));
    std::ofstream(path.file("clip.png/1.png")) << "mine";
    const auto removed = remove_clip(files_, root_, digest_of(path), removable);
    ASSERT_TRUE(removed) << removed.error().text;
    EXPECT_THAT(names_in(path.folder()),
                UnorderedElementsAre("notes.txt", "clip.srt", "notes.txt.damaged-1", "pictures", "clip.png"));
    EXPECT_THAT(names_in(path.file("pictures")), ElementsAre("1.png"));
    EXPECT_THAT(names_in(path.file("clip.png")), ElementsAre("1.png"));
    EXPECT_FALSE(fs::exists(ClipPath::removed(path.folder())));
    fs::remove_all(path.file("clip.png"));
    const auto clips = list_store(files_, root_);
    ASSERT_TRUE(clips);
    EXPECT_THAT(*clips, IsEmpty());
  }
}

TEST_F(ForeignFiles, StayAsAFolderUnderANameOfOurs) {
  const ClipPath path = add("a");
  fs::create_directories(path.file("clip.png"));
  std::ofstream(path.file("clip.png/1.png")) << "mine";
  ASSERT_TRUE(remove_clip(files_, root_, digest_of(path)));
  EXPECT_THAT(names_in(path.folder()), ElementsAre("clip.png"));
  EXPECT_THAT(names_in(path.file("clip.png")), ElementsAre("1.png"));
}

TEST_F(ForeignFiles, TakeNoOtherClipWithThem) {
  const ClipPath oldest = add_used("oldest", -3);
  add_used("older", -2);
  add_used("new", -1);
  fs::create_directories(oldest.file("pictures"));
  std::ofstream(oldest.file("pictures/1.png")) << "mine";
  const auto pruned = prune_store(files_, root_, 25'000);
  ASSERT_TRUE(pruned);
  ASSERT_EQ(pruned->removed.size(), 1u);
  EXPECT_EQ(pruned->removed[0].prompt(), "oldest");
  EXPECT_EQ(pruned->size, size_of_store());
  EXPECT_THAT(names_in(oldest.folder()), ElementsAre("pictures"));
  const auto clips = list_store(files_, root_);
  ASSERT_TRUE(clips);
  EXPECT_EQ(clips->size(), 2u);
}

TEST_F(ForeignFiles, AreNoReasonToRemoveAClip) {
  const ClipPath path = add("a");
  std::ofstream(path.file("film.mov")) << std::string(1'000'000, 'x');
  const auto pruned = prune_store(files_, root_, 50'000);
  ASSERT_TRUE(pruned);
  EXPECT_THAT(pruned->removed, IsEmpty());
  EXPECT_LT(pruned->size, 20'000u) << "the bytes of clips alone";
}

TEST_F(ForeignFiles, StayInWhatACrashAmidARemovalLeft) {
  const ClipPath path = add("a");
  const std::string removed = ClipPath::removed(path.folder());
  fs::rename(path.folder(), removed);
  std::ofstream(removed + "/notes.txt") << "mine";
  ASSERT_TRUE(prune_store(files_, root_, uint64_t{1} << 40));
  EXPECT_THAT(names_in(removed), ElementsAre("notes.txt"));
  add("a");
  const auto again = remove_clip(files_, root_, digest_of(path));
  EXPECT_TRUE(again) << "what is left of the last time is not in the way: " << again.error().text;
  EXPECT_FALSE(fs::exists(path.folder()));
  EXPECT_THAT(names_in(removed), ElementsAre("notes.txt"));
}

TEST_F(ForeignFiles, SurviveACrashAnywhereInARemovalAndNoHalfClipIsServed) {
  for (const Loss loss : {Loss::nothing, Loss::names, Loss::contents, Loss::both}) {
    for (size_t at = 1; at < 40; ++at) {
      SCOPED_TRACE(at);
      const ClipPath path = add("a");
      put(path, "notes.txt", "mine");
      files_.crash(Loss::nothing);
      files_.die_at(at);
      static_cast<void>(remove_clip(files_, root_, digest_of(path)));
      files_.crash(loss);
      std::ifstream notes(path.file("notes.txt"));
      EXPECT_EQ(std::string(std::istreambuf_iterator<char>(notes), {}), "mine");
      const auto clips = list_store(files_, root_);
      ASSERT_TRUE(clips);
      for (const StoredClip &clip : *clips) {
        if (clip.is_complete() && !clip.clip_path.empty()) {
          EXPECT_TRUE(verify_clip(files_, clip));
        }
        EXPECT_TRUE(remove_clip(files_, root_, clip.digest, Removable::any)) << "a second try ends it";
      }
      EXPECT_THAT(names_in(path.folder()), testing::Contains("notes.txt"));
    }
  }
}

// ---- What a removal tells.

TEST_F(ForeignFiles, ARemovalTellsWhatLeft) {
  ClipRecord record = record_of("a", ClipState::complete);
  record.amount = 12.5;
  const ClipPath path = add(record);
  const auto removed = remove_clip(files_, root_, digest_of(path));
  ASSERT_TRUE(removed);
  ASSERT_TRUE(removed->record);
  EXPECT_EQ(removed->record->amount, 12.5);
  EXPECT_EQ(removed->record->task_id, "task of a");
  EXPECT_GT(removed->size, 10'000u);
}

}  // namespace
}  // namespace genclip::test
