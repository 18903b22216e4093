// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Real files, links, pipes and devices: what a stranger's path may open, and what a file's content is.
#include "plugin/base/local_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "plugin/base/durable_file.h"
#include "plugin/base/gref.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

// sha256sum of "abc".
constexpr const char *kSumOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

void write_file(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string problem_of(const std::string &path, const std::vector<std::string> *roots = nullptr) {
  const auto file = LocalFile::open(path, roots);
  return file ? "" : file.error().text;
}

class LocalFiles : public testing::Test {
 protected:
  LocalFiles() {
    std::filesystem::create_directories(folder_.file("root/inner"));
    std::filesystem::create_directories(folder_.file("rooted"));
    write_file(folder_.file("root/inner/a.png"), "abc");
    write_file(folder_.file("rooted/secret.png"), "secret");
    write_file(folder_.file("secret.png"), "secret");
  }

  const TemporaryFolder folder_;
};

TEST_F(LocalFiles, AreReadAndNamedByTheirContent) {
  const LocalFile file = taken(LocalFile::open(folder_.file("root/inner/a.png"), nullptr));
  EXPECT_EQ(taken(file.size()), 3u);
  EXPECT_EQ(file.read_at(1, 10), "bc");
  EXPECT_EQ(taken(file.sha256(nullptr)), kSumOfAbc);
  EXPECT_EQ(file.uri(), "file://" + file.location());
  EXPECT_EQ(taken(LocalFile::open(file.location(), nullptr)).read_at(0, 10), "abc") << file.location();
}

// Over NFS, a machine remembers for a while which files there are: a request would be paid for the old
// picture.
TEST_F(LocalFiles, AreThoseThatAnotherMachineHasJustMade) {
  const auto bytes = [&] {
    const auto file = LocalFile::open(folder_.file("new.png"), nullptr);
    return file ? file->read_at(0, 10) : "none";
  };
  EXPECT_EQ(bytes(), "none");
  for (const char *text : {"one", "two", "three"}) {
    ASSERT_TRUE(write_durably(FileSystem::posix(), folder_.file_on_other("new.png"), text));
    EXPECT_EQ(bytes(), text);
  }
}

TEST_F(LocalFiles, StayTheSameWhenTheirNameIsReplaced) {
  const std::string path = folder_.file("root/inner/a.png");
  const LocalFile file = taken(LocalFile::open(path, nullptr));
  write_file(folder_.file("new"), "other");
  std::filesystem::rename(folder_.file("new"), path);
  EXPECT_EQ(file.read_at(0, 10), "abc");
}

TEST_F(LocalFiles, MayBeContentWithoutAName) {
  const std::string large(3 << 20, 'x');
  const LocalFile file = taken(LocalFile::with_content(large));
  EXPECT_EQ(taken(file.size()), large.size());
  EXPECT_EQ(taken(LocalFile::open(file.location(), nullptr)).read_at(large.size() - 1, 10), "x");
  EXPECT_EQ(taken(taken(LocalFile::with_content("abc")).sha256(nullptr)), kSumOfAbc);
  EXPECT_FALSE(LocalFile::with_content(""));
}

TEST_F(LocalFiles, AreOnlyThoseBelowARoot) {
  const std::vector<std::string> roots = {folder_.file("root"), folder_.file("missing"), "root", ""};
  EXPECT_EQ(problem_of(folder_.file("root/inner/a.png"), &roots), "");
  EXPECT_EQ(problem_of(folder_.file("root/../root/./inner//a.png"), &roots), "");
  for (const char *outside : {"secret.png", "rooted/secret.png", "root/../secret.png",
                              "root/inner/../../rooted/secret.png", "missing/../secret.png"})
    EXPECT_NE(problem_of(folder_.file(outside), &roots), "") << outside;
  EXPECT_THAT(problem_of(folder_.file("secret.png"), &roots), HasSubstr("GENCLIP_PUBLISH_ROOTS"));
  EXPECT_THAT(problem_of("/etc/passwd", &roots), HasSubstr("GENCLIP_PUBLISH_ROOTS"));

  const CurrentFolder current(folder_.path());
  const std::vector<std::string> relative = {"root", ".", ""};
  EXPECT_NE(problem_of("root/inner/a.png", &relative), "");
  EXPECT_EQ(problem_of("root/inner/a.png", &roots), "");
  const std::vector<std::string> none;
  EXPECT_NE(problem_of(folder_.file("root/inner/a.png"), &none), "");
  const std::vector<std::string> all = {"/"};
  EXPECT_EQ(problem_of(folder_.file("root/inner/a.png"), &all), "");
}

TEST_F(LocalFiles, HaveThePathThatTheyHaveInTheirFolder) {
  const CurrentFolder current(folder_.path());
  EXPECT_EQ(absolute_path("inner/../a.png"), folder_.file("inner/../a.png"))
      << "behind a link it leads elsewhere";
  EXPECT_EQ(absolute_path("a.png", "/srv"), "/srv/a.png");
  EXPECT_EQ(absolute_path("/a.png", "/srv"), "/a.png");
  EXPECT_EQ(absolute_path(""), "") << "what is not set stays so";
}

TEST_F(LocalFiles, AreJudgedWhereTheirLinksLead) {
  symlink(folder_.file("secret.png").c_str(), folder_.file("root/link.png").c_str());
  symlink("../rooted", folder_.file("root/folder").c_str());
  symlink(folder_.file("root").c_str(), folder_.file("linked-root").c_str());
  symlink("inner/a.png", folder_.file("root/fine.png").c_str());
  const std::vector<std::string> roots = {folder_.file("linked-root")};
  EXPECT_EQ(problem_of(folder_.file("root/fine.png"), &roots), "");
  EXPECT_EQ(problem_of(folder_.file("linked-root/inner/a.png"), &roots), "");
  EXPECT_NE(problem_of(folder_.file("root/link.png"), &roots), "");
  EXPECT_NE(problem_of(folder_.file("root/folder/secret.png"), &roots), "");
  const LocalFile secret = taken(LocalFile::open(folder_.file("secret.png"), nullptr));
  EXPECT_NE(problem_of(secret.location(), &roots), "") << "a descriptor of this process";
}

TEST_F(LocalFiles, AreJudgedAsOpenedThoughLinksAreSwappedMeanwhile) {
  const std::string link = folder_.file("root/link.png");
  const std::string next = folder_.file("root/next");
  const std::vector<std::string> roots = {folder_.file("root")};
  std::atomic<bool> is_done = false;
  std::thread swapper([&] {
    for (unsigned turn = 0; !is_done; ++turn) {
      symlink(turn % 2 ? "../secret.png" : "inner/a.png", next.c_str());
      rename(next.c_str(), link.c_str());
    }
  });
  unsigned opened = 0;
  unsigned refused = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while ((opened < 200 || refused < 200) && std::chrono::steady_clock::now() < end) {
    const auto file = LocalFile::open(link, &roots);
    if (file) {
      ++opened;
      EXPECT_EQ(file->read_at(0, 10), "abc");
    } else if (file.error().kind == ErrorKind::settings) {
      ++refused;
    }
  }
  is_done = true;
  swapper.join();
  EXPECT_GT(opened, 0u);
  EXPECT_GT(refused, 0u);
}

TEST_F(LocalFiles, AreNeitherFoldersNorPipesNorDevices) {
  const std::string pipe = folder_.file("root/pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(inotify_add_watch(watch, pipe.c_str(), IN_OPEN), 0);
  EXPECT_EQ(problem_of(folder_.file("root")), "is a folder.");
  for (const std::string &path : {pipe, std::string("/dev/null"), std::string("/dev/zero"),
                                  std::string("/dev/random"), std::string("/dev/tty")})
    EXPECT_EQ(problem_of(path), "is not a regular file.") << path;
  std::byte event[4096];
  EXPECT_EQ(read(watch, event, sizeof event), -1) << "the pipe was opened";
  close(watch);
}

TEST_F(LocalFiles, AreNotOfTheKernel) {
  for (const char *path : {"/proc/self/environ", "/proc/self/mem", "/proc/self/maps", "/proc/kmsg",
                           "/proc/self/cmdline", "/sys/kernel/mm/transparent_hugepage/enabled"}) {
    if (access(path, F_OK) == 0) {
      EXPECT_EQ(problem_of(path), "is not a regular file.") << path;
    }
  }
}

TEST_F(LocalFiles, AreNotEmptyNorMissing) {
  write_file(folder_.file("empty.png"), "");
  EXPECT_EQ(problem_of(folder_.file("empty.png")), "is empty.");
  EXPECT_EQ(problem_of(folder_.file("none.png")), "cannot be opened: No such file or directory.");
  EXPECT_NE(problem_of(folder_.file("secret.png") + std::string("\0.jpg", 5)), "") << "a zero byte";
  EXPECT_NE(problem_of(""), "");
  const auto missing = LocalFile::open(folder_.file("none.png"), nullptr);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
}

TEST_F(LocalFiles, OfOthersAreNotRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  ASSERT_EQ(chmod(folder_.file("secret.png").c_str(), 0), 0);
  EXPECT_EQ(problem_of(folder_.file("secret.png")), "cannot be opened: Permission denied.");
}

TEST_F(LocalFiles, ThatChangeWhileTheyAreReadHaveNoSum) {
  const std::string path = folder_.file("changing");
  const std::string bytes(1 << 20, 'x');
  const auto read_while = [&](const std::function<void(uint64_t)> &change) {
    write_file(path, bytes);
    const LocalFile file = taken(LocalFile::open(path, nullptr));
    uint64_t done = 0;
    const auto size = file.read_all(
        [&](std::span<const std::byte> some) -> Result<void> {
          done += some.size();
          if (done > 2 * bytes.size()) return Error{ErrorKind::failed, "it has no end"};
          change(done);
          return {};
        },
        nullptr);
    EXPECT_LE(done, bytes.size()) << "a file that grows is read for ever";
    return size ? "" : size.error().text;
  };
  EXPECT_EQ(read_while([](uint64_t) {}), "");
  EXPECT_THAT(read_while([&](uint64_t) { std::ofstream(path, std::ios::app) << bytes; }),
              HasSubstr("changed while it was read"));
  EXPECT_THAT(read_while([&](uint64_t) { std::filesystem::resize_file(path, 1000); }),
              HasSubstr("changed while it was read"));
  // The same size and time as before, which a program can set, but another content.
  EXPECT_THAT(read_while([&](uint64_t done) {
                if (done < bytes.size()) return;
                struct stat before;
                stat(path.c_str(), &before);
                // Until the clock of the file system has moved on.
                for (struct stat now = before; now.st_ctim.tv_nsec == before.st_ctim.tv_nsec;) {
                  std::fstream(path, std::ios::in | std::ios::out).put('y');
                  const timespec times[] = {before.st_atim, before.st_mtim};
                  utimensat(AT_FDCWD, path.c_str(), times, 0);
                  stat(path.c_str(), &now);
                }
              }),
              HasSubstr("changed while it was read"));
}

TEST_F(LocalFiles, AreLeftAtOnceHoweverLargeTheyAre) {
  const std::string path = folder_.file("sparse");
  write_file(path, "x");
  std::error_code error;
  std::filesystem::resize_file(path, uint64_t{1} << 40, error);
  if (error) GTEST_SKIP() << "no file of 1 TiB here: " << error.message();
  const LocalFile file = taken(LocalFile::open(path, nullptr));
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  unsigned pieces = 0;
  const auto read = file.read_all(
      [&](std::span<const std::byte>) -> Result<void> {
        if (++pieces == 3) g_cancellable_cancel(cancellable.get());
        return pieces < 100 ? Result<void>() : Error{ErrorKind::failed, "it goes on"};
      },
      cancellable.get());
  ASSERT_FALSE(read);
  ASSERT_EQ(read.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(pieces, 3u);
  const auto sum = file.sha256(cancellable.get());
  ASSERT_FALSE(sum);
  EXPECT_EQ(sum.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace genclip::test
