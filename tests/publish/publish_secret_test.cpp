// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A store has one secret for ever, whoever asks first and whatever fails.
#include "plugin/publish/publish_secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "plugin/base/durable_file.h"
#include "plugin/base/gref.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/store_listing.h"
#include "plugin/store/store_lock.h"
#include "tests/support/acting_clock.h"
#include "tests/support/fake_clock.h"
#include "tests/support/file_content.h"
#include "tests/support/lossy_file_system.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

class PublishSecret : public testing::Test {
 protected:
  Result<std::string> secret(FileSystem &files = FileSystem::posix()) {
    return publish_secret(files, Clock::system(), store_, nullptr);
  }

  const TemporaryFolder folder_;
  const std::string store_ = folder_.file("a/store");
};

TEST_F(PublishSecret, IsMadeOnceOfRandomBytesForTheOwnerAlone) {
  const std::string first = taken(secret());
  EXPECT_EQ(first.size(), 32u);
  EXPECT_EQ(taken(secret()), first);
  EXPECT_EQ(content(store_ + "/publish-secret"), first);
  struct stat status;
  ASSERT_EQ(stat((store_ + "/publish-secret").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);

  const TemporaryFolder other;
  EXPECT_NE(taken(publish_secret(FileSystem::posix(), Clock::system(), other.path(), nullptr)), first);
}

TEST_F(PublishSecret, IsNoClip) {
  ASSERT_TRUE(secret());
  EXPECT_TRUE(taken(list_store(FileSystem::posix(), store_)).empty());
}

TEST_F(PublishSecret, IsTheSameForProcessesThatRace) {
  constexpr int kProcesses = 8;
  int gate[2], answers[2];
  ASSERT_EQ(pipe(gate), 0);
  ASSERT_EQ(pipe(answers), 0);
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      char go;
      close(gate[1]);
      static_cast<void>(read(gate[0], &go, 1));  // Ends for all of them at once.
      const auto found = secret();
      const std::string answer = found ? *found : std::string(32, '!');
      _exit(write(answers[1], answer.data(), answer.size()) == 32 ? 0 : 1);
    }
  }
  close(gate[0]);
  close(gate[1]);
  for (int i = 0; i < kProcesses; ++i) {
    std::string answer(32, '\0');
    ASSERT_EQ(read(answers[0], answer.data(), answer.size()), 32);
    EXPECT_EQ(answer, content(store_ + "/publish-secret"));
    wait(nullptr);
  }
  close(answers[0]);
  close(answers[1]);
}

// Over NFS, the second machine remembers for a while that there was none.
TEST_F(PublishSecret, IsTheSameForAMachineThatHasSeenNone) {
  const std::string other = folder_.file_on_other("a/store");
  ASSERT_FALSE(taken(read_publish_secret(FileSystem::posix(), other)));
  const std::string ours = taken(secret());
  EXPECT_EQ(taken(publish_secret(FileSystem::posix(), Clock::system(), other, nullptr)), ours);
  EXPECT_EQ(content(store_ + "/publish-secret"), ours);
}

TEST_F(PublishSecret, IsTheOneThatAnotherMakesWhileItIsWaitedFor) {
  const std::string other = folder_.file_on_other("a/store");
  ASSERT_TRUE(FileSystem::posix().make_folder(other));
  auto lock = taken(StoreLock::try_lock(store_lock_path(other)));
  ASSERT_TRUE(lock);
  const std::string theirs(kPublishSecretSize, 's');
  FakeClock time;
  ActingClock clock(time,
                    {{3, [&] {
                        EXPECT_TRUE(write_durably(FileSystem::posix(), other + "/publish-secret", theirs));
                        lock.reset();
                      }}});
  EXPECT_EQ(taken(publish_secret(FileSystem::posix(), clock, store_, nullptr)), theirs);
  EXPECT_EQ(content(store_ + "/publish-secret"), theirs);
}

TEST_F(PublishSecret, ThatIsDamagedIsNeverReplaced) {
  ASSERT_TRUE(secret());
  for (const std::string &damaged : {std::string(), std::string(31, 'x'), std::string(33, 'x')}) {
    std::ofstream(store_ + "/publish-secret", std::ios::binary | std::ios::trunc) << damaged;
    const Error error = failure_of(secret());
    EXPECT_EQ(error.kind, ErrorKind::read);
    EXPECT_THAT(error.text, HasSubstr("is damaged: it must have 32 bytes. Restore it from a backup."));
    EXPECT_EQ(content(store_ + "/publish-secret"), damaged);
  }
}

TEST_F(PublishSecret, IsWholeOrMissingAfterAnyCrash) {
  for (size_t operation = 1;; ++operation) {
    for (const Loss loss : {Loss::nothing, Loss::names, Loss::contents, Loss::both}) {
      const TemporaryFolder folder;
      const std::string root = folder.path();
      LossyFileSystem files(root);
      FakeClock clock;
      files.die_at(operation);
      const auto given = publish_secret(files, clock, root + "/store", nullptr);
      const bool is_over = !files.is_dead();
      files.crash(loss);
      const auto after = publish_secret(files, clock, root + "/store", nullptr);
      ASSERT_TRUE(after) << operation << ": " << after.error().text;
      if (given) {
        EXPECT_EQ(*after, *given) << operation;
      }
      if (is_over && loss == Loss::both) return;
    }
  }
}

TEST_F(PublishSecret, WaitsForTheStoresLockUntilItIsCancelled) {
  std::filesystem::create_directories(store_);
  auto lock = taken(StoreLock::try_lock(store_lock_path(store_)));
  ASSERT_TRUE(lock);
  FakeClock clock;
  EXPECT_EQ(failure_of(publish_secret(FileSystem::posix(), clock, store_, nullptr)).kind, ErrorKind::busy);
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  g_cancellable_cancel(cancellable.get());
  EXPECT_EQ(failure_of(publish_secret(FileSystem::posix(), Clock::system(), store_, cancellable.get())).kind,
            ErrorKind::cancelled);
  lock.reset();
  EXPECT_TRUE(publish_secret(FileSystem::posix(), clock, store_, nullptr));
}

}  // namespace
}  // namespace genclip::test
