// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How a process ends in which an answer is outstanding, tried in processes of their own.
#include "plugin/generation/exit_guard.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "tests/generation/work_fixture.h"
#include "tests/support/give_up.h"

namespace genclip::test {
namespace {

void nothing() {}

// Two pipes between the test and a child in which an answer is outstanding.
class Child {
 public:
  // `prepare` runs before there is a guard, `beside` when there is.
  template <typename Prepare, typename Beside>
  Child(Prepare prepare, Beside beside, void (*hands_over)() = nothing) : hands_over_(hands_over) {
    if (::pipe(to_child_) != 0 || ::pipe(from_child_) != 0) give_up("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) run(prepare, beside);
  }
  ~Child() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
    for (const int end : {to_child_[0], to_child_[1], from_child_[0], from_child_[1]}) ::close(end);
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  // The child's next word; '\0': it has ended.
  char hear() {
    ::close(std::exchange(from_child_[1], -1));
    char word = '\0';
    return ::read(from_child_[0], &word, 1) == 1 ? word : '\0';
  }
  void answer() { ASSERT_EQ(::write(to_child_[1], "a", 1), 1); }
  // Says 's' once a signal has come.
  void watch_for_signal() { ASSERT_EQ(::write(to_child_[1], "s", 1), 1); }
  // Calls what was given as `hands_over`, and says 'o' then.
  void hand_over() {
    ASSERT_EQ(::write(to_child_[1], "o", 1), 1);
    ASSERT_EQ(hear(), 'o');
  }
  void signal(int number) { ASSERT_EQ(::kill(pid_, number), 0); }
  bool is_running() const {
    siginfo_t info = {};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
  }
  // As waitpid() tells it.
  int end() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return status;
  }

 private:
  template <typename Prepare, typename Beside>
  [[noreturn]] void run(Prepare prepare, Beside beside) {
    ::close(from_child_[0]);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_DFL);  // A shell may ignore them.
    prepare();
    auto guard = std::make_unique<ExitGuard>();
    beside();
    std::thread work([&] {
      say('r');
      char word = '\0';
      while (word != 'a') {
        if (::read(to_child_[0], &word, 1) != 1) ::_exit(9);
        if (word == 'o') {
          hands_over_();
          say('o');
        }
        if (word != 's') continue;
        while (!ExitGuard::is_ending()) std::this_thread::yield();
        say('s');
      }
      say('k');  // The answer is kept.
      guard.reset();
      say(::signal(SIGTERM, SIG_DFL) == SIG_DFL ? 'd' : 'o');
    });
    for (;;) ::pause();
  }
  void say(char word) const {
    if (::write(from_child_[1], &word, 1) != 1) ::_exit(9);
  }

  void (*const hands_over_)();
  int to_child_[2] = {-1, -1}, from_child_[2] = {-1, -1};
  pid_t pid_ = -1;
};

class ExitGuardOf : public testing::TestWithParam<int> {};

// B9
TEST_P(ExitGuardOf, ASignalThatNobodyHandlesKeepsTheAnswer) {
  Child child(nothing, nothing);
  ASSERT_EQ(child.hear(), 'r');
  child.signal(GetParam());
  child.watch_for_signal();
  ASSERT_EQ(child.hear(), 's');
  child.answer();
  EXPECT_EQ(child.hear(), 'k');
  const int status = child.end();
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Each, ExitGuardOf, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST(ExitGuard, DoesNotWaitForEver) {
  Child child([] { ExitGuard::set_patience(std::chrono::milliseconds(50)); }, nothing);
  ASSERT_EQ(child.hear(), 'r');
  child.signal(SIGTERM);
  EXPECT_EQ(child.hear(), '\0');
  EXPECT_EQ(WTERMSIG(child.end()), SIGTERM);
}

void end_as_the_application_does(int) { ::_exit(7); }

// In the child.
std::atomic<std::chrono::nanoseconds> the_time{std::chrono::hours(7)};

std::atomic<int> signals_taken = 0;

void use_the_time() {
  ExitGuard::set_clock([] {
    ++signals_taken;
    return the_time.load();
  });
  ExitGuard::set_patience(std::chrono::hours(1));
}

void pass_a_second() { the_time = the_time.load() + std::chrono::seconds(1); }

TEST(ExitGuard, TakesTheSignalsOfOneSecondForOneStop) {
  using namespace std::chrono_literals;
  EXPECT_TRUE(ExitGuard::is_same_stop(7h, 7h));
  EXPECT_TRUE(ExitGuard::is_same_stop(7h, 7h + 999ms));
  EXPECT_FALSE(ExitGuard::is_same_stop(7h, 7h + 1s));
  EXPECT_FALSE(ExitGuard::is_same_stop(7h, 8h));
}

// A signal that ends the process does so within these milliseconds.
void wait_for_the_second_signal() {
  for (int tries = 0; tries < 10000 && signals_taken < 2; ++tries) ::usleep(1000);
  ::usleep(20000);
}

// coreutils' timeout sends its signal to the process, and then to its group.
TEST(ExitGuard, KeepsTheAnswerAfterTwoSignalsAtOnce) {
  Child child(use_the_time, nothing, wait_for_the_second_signal);
  ASSERT_EQ(child.hear(), 'r');
  child.signal(SIGTERM);
  child.watch_for_signal();
  ASSERT_EQ(child.hear(), 's');
  child.signal(SIGTERM);
  child.hand_over();
  child.answer();
  EXPECT_EQ(child.hear(), 'k');
  EXPECT_EQ(WTERMSIG(child.end()), SIGTERM);
}

// gst-launch gives up its own handler at the first signal.
TEST(ExitGuard, KeepsTheAnswerOnceTheApplicationHasGivenUpItsHandler) {
  const auto handle = [] {
    use_the_time();
    ::signal(SIGINT, end_as_the_application_does);
  };
  Child child(handle, nothing, [] {
    ::signal(SIGINT, SIG_DFL);
    ExitGuard::look_again();
  });
  ASSERT_EQ(child.hear(), 'r');
  child.hand_over();
  child.signal(SIGINT);
  child.watch_for_signal();
  ASSERT_EQ(child.hear(), 's');
  child.answer();
  EXPECT_EQ(child.hear(), 'k');
  EXPECT_EQ(WTERMSIG(child.end()), SIGINT);
}

TEST(ExitGuard, KeepsTheAnswerWhenASignalComesAmidTheExit) {
  const auto handle = [] {
    use_the_time();
    ::signal(SIGINT, end_as_the_application_does);
  };
  Child child(handle, nothing, [] {
    ::signal(SIGINT, SIG_DFL);
    std::thread([] { std::exit(6); }).detach();
    struct sigaction now = {};
    for (int tries = 0; tries < 10000 && now.sa_handler == SIG_DFL; ++tries) {
      ::usleep(1000);
      ::sigaction(SIGINT, nullptr, &now);
    }
  });
  ASSERT_EQ(child.hear(), 'r');
  child.hand_over();
  child.signal(SIGINT);
  child.answer();
  EXPECT_EQ(child.hear(), 'k');
  child.end();  // By exit(), or by the signal, if that is taken after the guard's end.
}

TEST(ExitGuard, DoesNotWaitAfterASecondSignal) {
  for (const int second : {SIGTERM, SIGINT}) {
    Child child(use_the_time, nothing, pass_a_second);
    ASSERT_EQ(child.hear(), 'r');
    child.signal(SIGTERM);
    child.watch_for_signal();
    ASSERT_EQ(child.hear(), 's');
    child.hand_over();
    child.signal(second);
    EXPECT_EQ(child.hear(), '\0');
    EXPECT_TRUE(WIFSIGNALED(child.end()));
  }
}

TEST(ExitGuard, LeavesNoHandlerBehind) {
  Child child(nothing, nothing);
  ASSERT_EQ(child.hear(), 'r');
  child.answer();
  EXPECT_EQ(child.hear(), 'k');
  EXPECT_EQ(child.hear(), 'd');
}

TEST(ExitGuard, LeavesAnIgnoredSignalIgnored) {
  Child child([] { ::signal(SIGTERM, SIG_IGN); }, nothing);
  ASSERT_EQ(child.hear(), 'r');
  child.signal(SIGTERM);
  child.answer();
  EXPECT_EQ(child.hear(), 'k');
  EXPECT_EQ(child.hear(), 'o');
}

TEST(ExitGuard, LeavesASignalToTheApplicationThatHandlesIt) {
  const auto handle = [] { ::signal(SIGTERM, end_as_the_application_does); };
  Child before(handle, nothing), after(nothing, handle);
  for (Child *child : {&before, &after}) {
    ASSERT_EQ(child->hear(), 'r');
    child->signal(SIGTERM);
    EXPECT_EQ(WEXITSTATUS(child->end()), 7);
  }
}

TEST(ExitGuard, KeepsTheHandlerThatTheApplicationSetsMeanwhile) {
  Child child(nothing, [] { ::signal(SIGTERM, end_as_the_application_does); });
  ASSERT_EQ(child.hear(), 'r');
  child.answer();
  EXPECT_EQ(child.hear(), 'k');
  EXPECT_EQ(child.hear(), 'o');
}

// Else a signal that comes amid many submits would end the process with as many in doubt.
class AfterASignal : public WorkTest {};

TEST_F(AfterASignal, NothingNewIsSubmitted) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGTERM, SIG_DFL);
    ExitGuard::set_patience(std::chrono::hours(1));
    const ExitGuard guard;
    if (ExitGuard::is_ending()) ::_exit(8);
    std::raise(SIGTERM);
    const Outcome done = run();
    const bool is_cancelled = done.error && done.error->kind == ErrorKind::cancelled;
    ::_exit(ExitGuard::is_ending() && is_cancelled && service_.submits() == 0 ? 0 : 9);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(AfterASignal, TheAnswerToASubmitIsKept) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGTERM, SIG_DFL);
    ExitGuard::set_patience(std::chrono::hours(1));
    http_->before_answer([](const HttpRequest &request) {
      if (request.method == HttpRequest::Method::post) std::raise(SIGTERM);
    });
    static_cast<void>(run());
    for (;;) ::pause();
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  ASSERT_TRUE(record());
  EXPECT_EQ(record()->task_id, "task-1");
}

// A forked child has no answer to wait for.
TEST(ExitGuard, OfAParentDelaysNoChild) {
  const ExitGuard guard;
  const pid_t child = ::fork();
  if (child == 0) {
    std::raise(SIGTERM);
    ::_exit(9);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

}  // namespace
}  // namespace genclip::test
