// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/film_place.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/disk_calls.h"
#include "tests/support/temporary_folder.h"

namespace genclip {
namespace {

constexpr FilmPlace::Kind kBoth[] = {FilmPlace::Kind::copy, FilmPlace::Kind::text};

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask &) = delete;
  Umask &operator=(const Umask &) = delete;

 private:
  const mode_t before_;
};

// While it lives, the file systems have no locks.
class NoLocks {
 public:
  NoLocks() {
    test::set_disk_hook([](test::FileCall call, std::string &, int) -> int {
      return call == test::FileCall::lock ? ENOLCK : 0;
    });
  }
  ~NoLocks() { test::set_disk_hook(nullptr); }
  NoLocks(const NoLocks &) = delete;
  NoLocks &operator=(const NoLocks &) = delete;
};

mode_t mode_of(const std::string &path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

TEST(FilmPlace, ACopyHasTheModeThatTheUmaskLeavesFromItsFirstByte) {
  for (const auto &[mask, mode] : {std::pair<mode_t, mode_t>{077, 0600}, {022, 0644}, {002, 0664}}) {
    test::TemporaryFolder folder;
    const std::string path = folder.file("film.mkv");
    const Umask umask(mask);
    auto place = FilmPlace::take(path, FilmPlace::Kind::copy);
    ASSERT_TRUE(place) << place.error().text;
    EXPECT_EQ(mode_of(place->part()), mode);
    ASSERT_TRUE(place->publish());
    EXPECT_EQ(mode_of(path), mode);
  }
}

TEST(FilmPlace, APartThatIsTakenOverKeepsItsMode) {
  test::TemporaryFolder folder;
  const std::string path = folder.file("film.mkv");
  std::ofstream(path + ".part") << "half";
  ASSERT_EQ(::chmod((path + ".part").c_str(), 0640), 0);
  auto place = FilmPlace::take(path, FilmPlace::Kind::copy);
  ASSERT_TRUE(place) << place.error().text;
  ASSERT_TRUE(place->publish());
  EXPECT_EQ(mode_of(path), 0640U);
}

TEST(FilmPlace, IsTakenOnceAtATime) {
  test::TemporaryFolder folder;
  for (const auto kind : kBoth) {
    const auto place = FilmPlace::take(folder.file("film"), kind);
    ASSERT_TRUE(place);
    for (const auto other : kBoth) {
      const auto again = FilmPlace::take(folder.file("film"), other);
      ASSERT_FALSE(again);
      EXPECT_EQ(again.error().kind, ErrorKind::busy);
    }
  }
}

TEST(FilmPlace, DoesWithoutALockWhereThereAreNone) {
  test::TemporaryFolder folder;
  const std::string path = folder.file("film");
  {
    const NoLocks no_locks;
    for (const auto kind : kBoth) {
      const auto place = FilmPlace::take(path, kind);
      ASSERT_TRUE(place) << place.error().text;
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    auto place = FilmPlace::take(path, FilmPlace::Kind::copy);
    ASSERT_TRUE(place && place->publish());
  }
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(FilmPlace, OnlyACopyFailsWhereThePartCannotBeMade) {
  test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("film.part"));
  EXPECT_TRUE(FilmPlace::take(folder.file("film"), FilmPlace::Kind::text));
  EXPECT_FALSE(FilmPlace::take(folder.file("film"), FilmPlace::Kind::copy));
  EXPECT_TRUE(std::filesystem::exists(folder.file("film.part")));
}

TEST(FilmPlace, OfATextLeavesAPartThatGenclipCannotHaveMade) {
  test::TemporaryFolder folder;
  const std::string part = folder.file("film.vtt.part");
  std::ofstream{part};
  EXPECT_TRUE(FilmPlace::take(folder.file("film.vtt"), FilmPlace::Kind::text));
  EXPECT_FALSE(std::filesystem::exists(part)) << "an empty one is of a killed run";
  std::ofstream(part) << "mine";
  EXPECT_TRUE(FilmPlace::take(folder.file("film.vtt"), FilmPlace::Kind::text));
  std::string word;
  std::ifstream(part) >> word;
  EXPECT_EQ(word, "mine");
}

}  // namespace
}  // namespace genclip
