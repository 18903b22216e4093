// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A file that hangs holds up no other one.
#include "plugin/channel/vetting_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "plugin/base/gref.h"
#include "tests/channel/hanging_files.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;

// A file with "hangs" in its name is not opened until release().
class HangingVetter final : public Vetter {
 public:
  Result<VettedMedia> vet(const VettingRequest &request, GCancellable *) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    asked_.push_back(request.uri);
    while (!is_released_ && request.uri.find("hangs") != std::string::npos) changed_.wait(lock);
    VettedMedia media;
    media.length = std::chrono::seconds(2);
    return media;
  }
  void release() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    is_released_ = true;
    changed_.notify_all();
  }
  std::vector<std::string> asked() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return asked_;
  }

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> asked_ GUARDED_BY(mutex_);
  bool is_released_ GUARDED_BY(mutex_) = false;
};

VettingRequest request(const std::string &uri) { return {.uri = uri, .patience = std::chrono::seconds(0)}; }

TEST(VettingMemory, LeavesAFileThatHangsAndWhatIsBesideIt) {
  const auto vetter = std::make_shared<HangingVetter>();
  const auto memory = std::make_shared<VettingMemory>(vetter, FileSystem::posix());
  const auto vet = [&](const char *uri) { return memory->vet(request(uri), nullptr).media; };
  const auto hung = vet("file:///dead/hangs.mp4");
  ASSERT_FALSE(hung);
  EXPECT_EQ(hung.error().kind, ErrorKind::timed_out) << "it is tried again later";
  const auto beside = vet("file:///dead/good.mp4");
  ASSERT_FALSE(beside);
  EXPECT_EQ(beside.error().kind, ErrorKind::timed_out);
  EXPECT_TRUE(vet("file:///alive/good.mp4"));
  EXPECT_TRUE(vet("file:///dead/folder/good.mp4"));
  EXPECT_THAT(vetter->asked(), ElementsAre("file:///dead/hangs.mp4", "file:///alive/good.mp4",
                                           "file:///dead/folder/good.mp4"));
  vetter->release();
  for (int i = 0; i < 6000 && !vet("file:///dead/good.mp4"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(vet("file:///dead/good.mp4"));
}

TEST(VettingMemory, WaitsForAFileThatCannotBeOpenedNotAsLongAsForItsDecoder) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("a.mp4")) << "one";
  auto &files = HangingFiles::shared();
  files.hang(folder.file("a.mp4"));
  const auto vetter = std::make_shared<HangingVetter>();
  const auto memory = std::make_shared<VettingMemory>(vetter, files, std::chrono::milliseconds(10));
  VettingRequest patient = request("file://" + folder.file("a.mp4"));
  patient.patience = std::chrono::hours(1);
  const auto vetted = memory->vet(patient, nullptr).media;
  ASSERT_FALSE(vetted);
  EXPECT_EQ(vetted.error().kind, ErrorKind::timed_out) << "it is tried again later";
  EXPECT_EQ(vetted.error().text, "It could not be opened within 1 s.");
  EXPECT_TRUE(vetter->asked().empty());
  files.hang("");
}

TEST(VettingMemory, EndsAtOnceWhenItIsCancelled) {
  const auto vetter = std::make_shared<HangingVetter>();
  const auto memory = std::make_shared<VettingMemory>(vetter, FileSystem::posix());
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  g_cancellable_cancel(cancellable.get());
  VettingRequest patient = request("file:///dead/hangs.mp4");
  patient.patience = std::chrono::hours(1);
  const auto vetted = memory->vet(patient, cancellable.get()).media;
  ASSERT_FALSE(vetted);
  EXPECT_EQ(vetted.error().kind, ErrorKind::cancelled);
  vetter->release();
}

TEST(VettingMemory, TellsAFileThatTookThePlaceOfAnother) {
  FileInfo file;
  file.size = 4;
  file.inode = 1;
  FileInfo other = file;
  other.inode = 2;
  EXPECT_TRUE(is_same_file(file, other)) << "a mounted bucket";
  other.changed += std::chrono::seconds(1);
  EXPECT_FALSE(is_same_file(file, other)) << "another one of the same size and time";
  other.inode = file.inode;
  EXPECT_TRUE(is_same_file(file, other)) << "a backup has made a link";
  other.size = 5;
  EXPECT_FALSE(is_same_file(file, other));
}

TEST(VettingMemory, AsksOnceForAFileThatDoesNotChange) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.mp4");
  std::ofstream(path) << "one";
  const auto vetter = std::make_shared<HangingVetter>();
  const auto memory = std::make_shared<VettingMemory>(vetter, FileSystem::posix());
  for (int i = 0; i < 3; ++i) {
    const VettedFile vetted = memory->vet(request("file://" + path), nullptr);
    EXPECT_TRUE(vetted.media);
    EXPECT_TRUE(vetted.file);
  }
  EXPECT_EQ(vetter->asked().size(), 1u);
}

TEST(VettingMemory, LooksAtTheFileBehindALink) {
  const TemporaryFolder folder;
  const std::string target = folder.file("monday.mp4"), link = folder.file("today.mp4");
  std::ofstream(target) << "one";
  std::filesystem::create_symlink("monday.mp4", link);
  const auto vetter = std::make_shared<HangingVetter>();
  const auto memory = std::make_shared<VettingMemory>(vetter, FileSystem::posix());
  const auto asked = [&] {
    EXPECT_TRUE(memory->vet(request("file://" + link), nullptr).media);
    return vetter->asked().size();
  };
  EXPECT_EQ(asked(), 1u);
  EXPECT_EQ(asked(), 1u) << "it has not changed";
  const auto before = memory->file_of("file://" + link);
  std::ofstream(target) << "another";
  EXPECT_FALSE(is_same_file(before, memory->file_of("file://" + link))) << "so those who watch it see it";
  EXPECT_EQ(asked(), 2u);
}

}  // namespace
}  // namespace genclip::test
