// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/special_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

// A FIFO that is read at the moments that the test chooses.
class SpecialFile : public testing::Test {
 protected:
  SpecialFile() {
    ::mkfifo(path_.c_str(), 0600);
    reader_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }
  ~SpecialFile() override { ::close(reader_); }
  SpecialFile(const SpecialFile &) = delete;
  SpecialFile &operator=(const SpecialFile &) = delete;

  void read() {
    std::array<char, 4096> part;
    for (ssize_t count; (count = ::read(reader_, part.data(), part.size())) > 0;)
      read_.append(part.data(), static_cast<size_t>(count));
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/fifo";
  int reader_ = -1;
  std::string read_;
  const std::string text_ = std::string(size_t{1} << 20, 'x');  // A pipe holds less.
  unsigned told_ = 0;
};

TEST_F(SpecialFile, TellsNothingOfAReaderThatIsOnlySlow) {
  const auto written = write_special(
      path_, text_, [this] { ++told_; },
      [this] {
        read();
        return false;
      });
  EXPECT_TRUE(written);
  read();
  EXPECT_EQ(read_, text_);
  EXPECT_EQ(told_, 0u);
}

TEST_F(SpecialFile, TellsOnceThatItWaitsForAReader) {
  unsigned looks = 0;
  const auto written = write_special(
      path_, text_,
      [this] {
        ++told_;
        read();
      },
      [this, &looks] {
        if (++looks > 2) read();
        return false;
      });
  EXPECT_TRUE(written);
  EXPECT_EQ(told_, 1u);
  EXPECT_FALSE(write_special(
      path_, text_, [] {}, [] { return true; }))
      << "it was stopped";
}

}  // namespace
}  // namespace genclip::test
