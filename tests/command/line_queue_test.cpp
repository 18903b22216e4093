// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is printed for a reader that stalls, or goes away.
#include "plugin/command/line_queue.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "plugin/command/console.h"

namespace genclip::test {
namespace {

using std::chrono::steady_clock;

class Pipe {
 public:
  Pipe() {
    EXPECT_EQ(::pipe(ends_.data()), 0);
    std::signal(SIGPIPE, SIG_IGN);  // As the channel does.
  }
  ~Pipe() {
    stop_reading();
    ::close(ends_[1]);
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;

  int in() const { return ends_[1]; }
  // Until a write would wait. Returns how much that is.
  size_t fill() const {
    size_t size = 0;
    ::fcntl(in(), F_SETFL, O_NONBLOCK);
    while (::write(in(), "\n", 1) == 1) ++size;
    ::fcntl(in(), F_SETFL, 0);
    return size;
  }
  std::string read(size_t size) const {
    std::string text(size, 0);
    size_t at = 0;
    for (ssize_t count = 1; at < size && count > 0; at += static_cast<size_t>(count))
      count = ::read(ends_[0], text.data() + at, size - at);
    return text;
  }
  std::string read_line() const {
    std::string line;
    while (!line.ends_with('\n')) line += read(1);
    return line;
  }
  void stop_reading() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(LineQueue, WritesWhatIsReadInItsOrder) {
  const Pipe pipe;
  const auto queue = LineQueue::make([](uint64_t) { ADD_FAILURE() << "nothing is left out"; });
  for (const char *line : {"a\n", "b\n", "c\n"}) queue->add(pipe.in(), line);
  EXPECT_TRUE(queue->wait_until_empty(steady_clock::now() + std::chrono::minutes(1)));
  EXPECT_EQ(pipe.read(6), "a\nb\nc\n");
}

TEST(LineQueue, WaitsForNoReaderAndSaysHowManyLinesItHasLeftOut) {
  const Pipe pipe;
  const size_t filled = pipe.fill();
  std::atomic<uint64_t> left_out = 0;
  const auto queue = LineQueue::make([&](uint64_t lines) { left_out += lines; });
  constexpr size_t kAdded = LineQueue::kMost + 5;
  for (size_t i = 0; i < kAdded; ++i) queue->add(pipe.in(), std::to_string(i) + "\n");
  EXPECT_FALSE(queue->wait_until_empty(steady_clock::now()));
  EXPECT_EQ(left_out, 0u) << "nobody would read that";
  pipe.read(filled);
  std::vector<size_t> read;
  while (read.empty() || read.back() != kAdded - 1) {
    read.push_back(std::stoul(pipe.read_line()));
    if (read.size() > 1) {
      EXPECT_LT(read[read.size() - 2], read.back());
    }
  }
  EXPECT_TRUE(queue->wait_until_empty(steady_clock::now() + std::chrono::minutes(1)));
  EXPECT_GE(read.size(), LineQueue::kMost);
  EXPECT_LE(read.size(), LineQueue::kMost + 1) << "one was on its way";
  EXPECT_EQ(read.size() + left_out, kAdded);
}

TEST(LineQueue, GoesOnWithoutAReader) {
  Pipe pipe;
  pipe.stop_reading();
  const auto queue = LineQueue::make([](uint64_t) {});
  for (int i = 0; i < 3; ++i) queue->add(pipe.in(), "line\n");
  EXPECT_TRUE(queue->wait_until_empty(steady_clock::now() + std::chrono::minutes(1)));
}

// Standard output and standard error, for a while.
class Redirected {
 public:
  explicit Redirected(int to) {
    fflush(stdout);
    for (int i : {1, 2}) {
      saved_[i - 1] = ::dup(i);
      ::dup2(to, i);
    }
  }
  ~Redirected() {
    for (int i : {1, 2}) {
      ::dup2(saved_[i - 1], i);
      ::close(saved_[i - 1]);
    }
  }
  Redirected(const Redirected &) = delete;
  Redirected &operator=(const Redirected &) = delete;

 private:
  std::array<int, 2> saved_{};
};

TEST(BackgroundConsole, PrintsOnOneTerminalInOrder) {
  const Pipe pipe;
  {
    const Redirected redirected(pipe.in());
    const BackgroundConsole console;
    print("a\n");
    print_error("b");
    print("c\n");
    const std::string printed = "a\ngenclip: b\nc\n";
    EXPECT_EQ(pipe.read(printed.size()), printed);
  }
}

// A pager that shows its first page.
TEST(BackgroundConsole, LetsNobodyWaitForAReader) {
  Pipe pipe;
  pipe.fill();
  {
    const Redirected redirected(pipe.in());
    const BackgroundConsole console;
    for (int i = 0; i < 3; ++i) {
      print("a cut\n");
      print_error("an alarm");
    }
  }
  pipe.stop_reading();
}

}  // namespace
}  // namespace genclip::test
