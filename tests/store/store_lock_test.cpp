// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Locks over threads, processes and removed files.
#include "plugin/store/store_lock.h"

#include <fcntl.h>
#include <glib.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "plugin/base/file_system.h"
#include "tests/support/sanitized.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using Kind = StoreLock::Kind;

class StoreLockTest : public testing::Test {
 protected:
  std::optional<StoreLock> lock(Kind kind = Kind::exclusive) {
    auto lock = StoreLock::try_lock(path_, kind);
    EXPECT_TRUE(lock) << lock.error().text;
    return lock ? std::move(*lock) : std::nullopt;
  }

  // A process that does that and then waits to be killed; returns when it has done it.
  template <typename Do>
  pid_t start(Do action) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      action();
      static_cast<void>(!::write(ready[1], "x", 1));
      for (;;) ::pause();
    }
    ::close(ready[1]);
    char byte;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    return child;
  }
  static void kill_and_reap(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.file("lock");
};

TEST_F(StoreLockTest, SaysWhenTheProcessHasTooFewDescriptors) {
  ASSERT_TRUE(lock());
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int free = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(free, 0);
  ::close(free);
  for (const int more : {0, 1}) {  // None for the lock; one for it, and none to look it up.
    rlimit few = before;
    few.rlim_cur = static_cast<rlim_t>(free + more);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    const auto none = StoreLock::try_lock(path_, Kind::exclusive);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    ASSERT_FALSE(none) << more;
    EXPECT_NE(none.error().text.find(g_strerror(EMFILE)), std::string::npos) << none.error().text;
    EXPECT_NE(none.error().text.find("ulimit -n"), std::string::npos) << none.error().text;
  }
}

TEST_F(StoreLockTest, HasOneHolderAtATimeInThisProcessToo) {
  auto held = lock();
  ASSERT_TRUE(held);
  EXPECT_FALSE(lock());
  EXPECT_FALSE(lock(Kind::shared));
  held.reset();
  EXPECT_TRUE(lock());
}

TEST_F(StoreLockTest, IsSharedByReadersAndKeepsTheRemoverOut) {
  auto one = lock(Kind::shared);
  auto two = lock(Kind::shared);
  ASSERT_TRUE(one && two);
  EXPECT_FALSE(lock());
  one.reset();
  EXPECT_FALSE(lock());
  two.reset();
  EXPECT_TRUE(lock());
}

TEST_F(StoreLockTest, MovesWithItsValue) {
  auto held = lock();
  StoreLock moved = std::move(*held);
  held.reset();
  EXPECT_FALSE(lock());
}

TEST_F(StoreLockTest, DiesWithItsProcessHoweverItDies) {
  std::optional<StoreLock> held;
  const pid_t child = start([&] { held = lock(); });
  EXPECT_FALSE(lock());
  kill_and_reap(child);
  EXPECT_TRUE(lock());
}

TEST_F(StoreLockTest, IsNotInheritedByAProgramThatIsStarted) {
  auto held = lock();
  ASSERT_TRUE(held);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/sleep", "sleep", "1000", static_cast<char *>(nullptr));
    ::_exit(1);
  }
  // Until the exec the child has a copy of the descriptor.
  const std::string exe = "/proc/" + std::to_string(child) + "/exe";
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  std::error_code error;
  while (std::filesystem::read_symlink(exe, error) == self) std::this_thread::yield();
  held.reset();
  EXPECT_TRUE(lock());
  kill_and_reap(child);
}

TEST_F(StoreLockTest, IsNotInheritedByAForkThatStartsNoProgram) {
  auto held = lock();
  ASSERT_TRUE(held);
  const pid_t child = start([] {});
  held.reset();
  EXPECT_TRUE(lock());
  kill_and_reap(child);
}

TEST_F(StoreLockTest, IsNotGivenBackByAForkThatLetsGoOfIt) {
  auto held = lock();
  ASSERT_TRUE(held);
  std::optional<StoreLock> other = StoreLock::try_lock(folder_.file("other")).value();
  const pid_t child = start([&] {
    const int reused = ::open("/dev/null", O_RDONLY);  // The number of one that was closed.
    held.reset();
    other.reset();
    if (::fcntl(reused, F_GETFD) < 0) ::_exit(1);
  });
  EXPECT_FALSE(lock());
  kill_and_reap(child);
  EXPECT_FALSE(lock());
}

// A process that ends without giving its locks back, and its forks, which live as long as this.
class ForkingHolder {
 public:
  // A process that holds what `hold` takes, forks `forks` times, and is killed.
  template <typename Hold>
  ForkingHolder(int forks, Hold hold) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    EXPECT_EQ(::pipe(alive_), 0);
    const pid_t holder = ::fork();
    if (holder == 0) {
      ::close(alive_[1]);
      [[maybe_unused]] const auto held = hold();
      for (int i = 0; i < forks; ++i)
        if (::fork() == 0) live_and_exit(ready[1]);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    // A fork that has not run yet has done nothing about its copies.
    char byte;
    for (int i = 0; i < forks; ++i) EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::kill(holder, SIGKILL);
    ::waitpid(holder, nullptr, 0);
  }
  ~ForkingHolder() {
    ::close(alive_[0]);
    ::close(alive_[1]);
  }
  ForkingHolder(const ForkingHolder &) = delete;
  ForkingHolder &operator=(const ForkingHolder &) = delete;

 private:
  [[noreturn]] void live_and_exit(int ready) {
    static_cast<void>(!::write(ready, "x", 1));
    char byte;
    static_cast<void>(!::read(alive_[0], &byte, 1));
    ::_exit(0);
  }

  int alive_[2];
};

TEST_F(StoreLockTest, OfAProcessThatIsKilledIsNotKeptByItsForks) {
  const ForkingHolder killed(1, [&] { return lock(); });
  EXPECT_TRUE(lock());
}

// Wherever a lock is on its way when the process forks.
TEST_F(StoreLockTest, ThatComesAndGoesWhileTheProcessForksIsInheritedByNone) {
  if (kIsThreadSanitized) GTEST_SKIP() << "ThreadSanitizer takes no new threads in a fork.";
  const ForkingHolder killed(60, [&] {
    for (int i = 0; i < 2; ++i)
      std::thread([path = folder_.file("lock-" + std::to_string(i))] {
        for (;;) static_cast<void>(StoreLock::try_lock(path));
      }).detach();
    return 0;
  });
  for (int i = 0; i < 2; ++i) {
    const auto now = StoreLock::try_lock(folder_.file("lock-" + std::to_string(i)));
    ASSERT_TRUE(now) << now.error().text;
    EXPECT_TRUE(*now) << "a fork holds it";
  }
}

// As a file server does that cannot reach this machine: all locks of the file are gone, and nobody is told.
void drop_locks(const std::string &given) {
  const std::filesystem::path path = std::filesystem::canonical(given);
  for (const auto &each : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // The folder's own descriptor.
    if (std::filesystem::read_symlink(each, gone) != path) continue;
    struct flock none = {};
    none.l_type = F_UNLCK;
    none.l_whence = SEEK_SET;
    const bool is_dropped = ::fcntl(std::stoi(each.path().filename()), F_OFD_SETLK, &none) == 0;
    EXPECT_TRUE(is_dropped || errno == EBADF) << "that can have no lock";
  }
}

TEST_F(StoreLockTest, ThatWasDroppedIsRenewedUnlessAnotherHolderHasIt) {
  const auto first = lock();
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->renew()) << "nothing was dropped";
  drop_locks(path_);
  EXPECT_TRUE(first->renew());
  EXPECT_FALSE(lock()) << "it was taken again";
  drop_locks(path_);
  const auto second = lock();
  ASSERT_TRUE(second);
  EXPECT_FALSE(first->renew());
  EXPECT_TRUE(second->renew());
}

TEST_F(StoreLockTest, OfARemovedFileIsNoLock) {
  auto held = lock();
  ASSERT_TRUE(held);
  std::filesystem::remove(path_);
  auto next = lock();
  EXPECT_TRUE(next) << "another file, another lock";
  EXPECT_FALSE(lock());
}

TEST_F(StoreLockTest, KnowsWhetherItsFileWasRemovedOrReplaced) {
  const auto held = lock();
  ASSERT_TRUE(held);
  EXPECT_FALSE(held->is_replaced(path_));
  const std::string moved = folder_.file("moved");
  std::filesystem::rename(path_, moved);
  EXPECT_TRUE(held->is_replaced(path_)) << "nothing has the name";
  std::ofstream(path_) << "";
  EXPECT_TRUE(held->is_replaced(path_)) << "another file has the name";
  std::filesystem::rename(moved, path_);
  EXPECT_FALSE(held->is_replaced(path_)) << "it has its name again";
}

TEST_F(StoreLockTest, IsNotReplacedWhereThatCannotBeFoundOut) {
  const auto held = lock();
  ASSERT_TRUE(held);
  std::filesystem::rename(path_, folder_.file("moved"));
  std::filesystem::create_symlink("moved", path_);
  EXPECT_FALSE(held->is_replaced(path_));
}

// Who removes the file holds its lock; who waited for that lock must not think that it has one.
TEST_F(StoreLockTest, ThatIsRemovedAndMadeAgainHasOneHolderAtATime) {
  std::atomic<int> holders{0};
  std::atomic<int> rounds{0};
  std::atomic<bool> broken{false};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (rounds < 2000) {
        auto held = StoreLock::try_lock(path_);
        if (!held || !*held) continue;
        if (++holders != 1) broken = true;
        // A lock of a file that has lost its name keeps nobody out, however long it is held.
        if (const auto other = StoreLock::try_lock(path_); other && *other) broken = true;
        ++rounds;
        --holders;
        std::filesystem::remove(path_);
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_FALSE(broken);
}

// Over NFS, the first machine takes the renamed folder for the one that has its name.
TEST_F(StoreLockTest, OfAFolderThatAnotherMachineHasReplacedIsNoLock) {
  const std::string path = folder_.file("clip/lock"), other = folder_.file_on_other("clip/lock");
  ASSERT_TRUE(FileSystem::posix().make_folder(folder_.file("clip")));
  { const auto held = taken(StoreLock::try_lock(path)); }
  ASSERT_TRUE(FileSystem::posix().rename(folder_.file_on_other("clip"), folder_.file_on_other("removed")));
  ASSERT_TRUE(FileSystem::posix().make_folder(folder_.file_on_other("clip")));
  {
    const auto theirs = taken(StoreLock::try_lock(other));
    ASSERT_TRUE(theirs);
    EXPECT_FALSE(taken(StoreLock::try_lock(path))) << "both would write into a folder, and pay";
  }
  const auto ours = taken(StoreLock::try_lock(path));
  ASSERT_TRUE(ours);
  EXPECT_FALSE(taken(StoreLock::try_lock(other)));
}

TEST_F(StoreLockTest, KnowsThatAnotherMachineHasReplacedItsFolder) {
  const std::string path = folder_.file("clip/lock");
  ASSERT_TRUE(FileSystem::posix().make_folder(folder_.file("clip")));
  const auto held = taken(StoreLock::try_lock(path));
  ASSERT_TRUE(held);
  EXPECT_FALSE(held->is_replaced(path));
  ASSERT_TRUE(FileSystem::posix().rename(folder_.file_on_other("clip"), folder_.file_on_other("removed")));
  EXPECT_TRUE(held->is_replaced(path)) << "there is no such folder any more";
  ASSERT_TRUE(FileSystem::posix().make_folder(folder_.file_on_other("clip")));
  { const auto theirs = taken(StoreLock::try_lock(folder_.file_on_other("clip/lock"))); }
  EXPECT_TRUE(held->is_replaced(path)) << "there is another one";
}

TEST_F(StoreLockTest, WithoutItsFolderIsNotFound) {
  const auto lock = StoreLock::try_lock(folder_.file("missing/lock"));
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().kind, ErrorKind::not_found);
}

TEST_F(StoreLockTest, FollowsNoSymlinkAndTakesNoFolder) {
  std::filesystem::create_symlink("/etc/passwd", path_);
  EXPECT_FALSE(StoreLock::try_lock(path_));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_FALSE(StoreLock::try_lock(path_));
}

TEST_F(StoreLockTest, OfAReaderNeedsNoRightToWrite) {
  std::ofstream(path_) << "";
  std::filesystem::permissions(path_, std::filesystem::perms(0444));
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0555));
  const bool is_root = ::geteuid() == 0;  // Whom no permission stops.
  if (is_root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  EXPECT_TRUE(lock(Kind::shared));
  EXPECT_FALSE(StoreLock::try_lock(path_));
  const auto missing = StoreLock::try_lock(folder_.file("missing"), Kind::shared);
  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::open_write) << "not to be taken for one that was removed";
}

TEST_F(StoreLockTest, ThatIsAPipeOfSomebodyElseIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0444), 0);
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  const bool is_root = ::geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  static_cast<void>(
      StoreLock::try_lock(path_, Kind::shared));  // What comes of it does not matter, but that it ends.
  EXPECT_FALSE(StoreLock::try_lock(path_));
  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
}

}  // namespace
}  // namespace genclip::test
