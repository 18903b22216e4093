// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Real programs that behave badly.
#include "plugin/base/child_process.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "plugin/base/gref.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using Cause = ChildEnd::Cause;

ChildCall shell(const std::string &script) {
  ChildCall call;
  call.words = {"sh", "-c", script};
  call.environment = {"PATH=/usr/bin:/bin", "GREETING=hello"};
  return call;
}

// The file's content, once it ends in a newline; empty after 20 s.
std::string line_in(const std::string &path) {
  for (const auto end = steady_clock::now() + 60s; steady_clock::now() < end;
       std::this_thread::sleep_for(5ms)) {
    std::ifstream file(path);
    if (std::string line; std::getline(file, line) && !file.eof()) return line;
  }
  return {};
}

// Waits for it to be gone; a zombie that nobody waits for is.
bool is_gone(pid_t pid) {
  for (const auto end = steady_clock::now() + 60s; steady_clock::now() < end;
       std::this_thread::sleep_for(5ms)) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string id, name, state;
    if (!(file >> id >> name >> state) || state == "Z" || state == "X") return true;
  }
  return false;
}

class Children : public testing::Test {
 protected:
  std::string pid_file() const { return folder_.file("pid"); }

  const TemporaryFolder folder_;
};

TEST_F(Children, GiveTheirOutputErrorsAndExitCode) {
  const ChildEnd end = taken(run_child(shell("echo $GREETING; echo no >&2; exit 3"), nullptr));
  EXPECT_EQ(end.cause, Cause::exited);
  EXPECT_TRUE(WIFEXITED(end.status));
  EXPECT_EQ(WEXITSTATUS(end.status), 3);
  EXPECT_EQ(end.output, "hello\n");
  EXPECT_EQ(end.errors, "no\n");
}

TEST_F(Children, HaveNothingToReadAndNoOtherFiles) {
  const ChildEnd end = taken(run_child(shell("cat; ls /proc/self/fd | wc -w"), nullptr));
  EXPECT_EQ(end.output, "4\n") << "the three, and the folder that ls reads";
}

TEST_F(Children, ReadTheirInput) {
  ChildCall call = shell("cat | wc -c");
  call.input = std::string(300000, 'x');
  EXPECT_EQ(taken(run_child(call, nullptr)).output, "300000\n");
}

TEST_F(Children, NeedNotReadTheirInput) {
  ChildCall call = shell("exec <&-; echo done");
  call.input = std::string(300000, 'x');
  EXPECT_EQ(taken(run_child(call, nullptr)).output, "done\n");
}

TEST_F(Children, ThatDoNotExistAreAnError) {
  ChildCall call;
  call.words = {"/no/such/program"};
  EXPECT_EQ(failure_of(run_child(call, nullptr)).kind, ErrorKind::failed);
}

TEST_F(Children, AreWaitedForAfterTheyClosedTheirOutput) {
  const ChildEnd end = taken(run_child(shell("exec >&- 2>&-; sleep 0.2; exit 5"), nullptr));
  EXPECT_EQ(WEXITSTATUS(end.status), 5);
}

TEST_F(Children, AreNotWaitedForByTheOutputOfWhatTheyLeaveBehind) {
  const auto begin = steady_clock::now();
  const ChildEnd end =
      taken(run_child(shell("sleep 30 & echo $! > '" + pid_file() + "'; echo url"), nullptr));
  EXPECT_EQ(end.cause, Cause::exited);
  EXPECT_EQ(end.output, "url\n");
  EXPECT_LT(steady_clock::now() - begin, time_limit(20s));
  kill(std::stoi(line_in(pid_file())), SIGKILL);
}

TEST_F(Children, EndWithTheirChildrenAtTheTimeLimit) {
  ChildCall call =
      shell("sh -c 'trap \"\" TERM; echo $$ > \"" + pid_file() + "\"; while :; do sleep 1; done' & wait");
  call.time_limit = 500ms;
  EXPECT_EQ(taken(run_child(call, nullptr)).cause, Cause::time_limit);
  if (const std::string pid = line_in(pid_file()); !pid.empty()) {
    EXPECT_TRUE(is_gone(std::stoi(pid)));
  }
}

TEST_F(Children, EndWithTheirChildrenWhenTheCallIsCancelled) {
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  std::string pid;
  steady_clock::time_point left;
  std::thread leaver([&] {
    pid = line_in(pid_file());
    left = steady_clock::now();
    g_cancellable_cancel(cancellable.get());
  });
  const auto run = run_child(
      shell("sh -c 'echo $$ > \"" + pid_file() + "\"; sleep 60' & trap '' TERM; while :; do sleep 1; done"),
      cancellable.get());
  const auto back = steady_clock::now();
  leaver.join();
  EXPECT_EQ(failure_of(run).kind, ErrorKind::cancelled);
  EXPECT_LT(back - left, time_limit(15s)) << "the grace is one second";
  ASSERT_FALSE(pid.empty());
  EXPECT_TRUE(is_gone(std::stoi(pid)));
}

TEST_F(Children, AreNotStartedForNothing) {
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  g_cancellable_cancel(cancellable.get());
  EXPECT_EQ(failure_of(run_child(shell("sleep 60"), cancellable.get())).kind, ErrorKind::cancelled);
}

TEST_F(Children, MayCleanUpAsTheirChildrenMay) {
  const std::string cleaned = folder_.file("cleaned");
  std::ofstream(folder_.file("child.sh")) << "trap 'echo cleaned > \"" + cleaned +
                                                 "\"; exit' TERM\necho ready > \"" + pid_file() +
                                                 "\"\nwhile :; do sleep 0.05; done\n";
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  std::thread leaver([&] {
    line_in(pid_file());
    g_cancellable_cancel(cancellable.get());
  });
  const auto run =
      run_child(shell("trap : TERM; sh '" + folder_.file("child.sh") + "' & wait; wait"), cancellable.get());
  leaver.join();
  EXPECT_EQ(failure_of(run).kind, ErrorKind::cancelled);
  EXPECT_EQ(line_in(cleaned), "cleaned");
}

TEST_F(Children, EndWhenTheyPrintTooMuch) {
  EXPECT_EQ(taken(run_child(shell("yes"), nullptr)).cause, Cause::too_much_output);
  ChildCall call = shell("head -c 8192 /dev/zero");
  const ChildEnd end = taken(run_child(call, nullptr));
  EXPECT_EQ(end.cause, Cause::exited);
  EXPECT_EQ(end.output.size(), 8192u);
}

TEST_F(Children, AreHeardToTheEndOfTheirErrors) {
  const ChildEnd end = taken(run_child(shell("yes | head -c 3000000 >&2; echo last >&2"), nullptr));
  EXPECT_EQ(end.cause, Cause::exited);
  EXPECT_TRUE(end.errors.ends_with("last\n"));
  EXPECT_LE(end.errors.size(), 8192u);
}

TEST_F(Children, EndWithThisProcess) {
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    static_cast<void>(run_child(shell("echo $$ > '" + pid_file() + "'; exec sleep 60"), nullptr));
    _exit(0);
  }
  const std::string pid = line_in(pid_file());
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  ASSERT_FALSE(pid.empty());
  EXPECT_TRUE(is_gone(std::stoi(pid)));
}

TEST_F(Children, RunInTheirFolder) {
  ChildCall call = shell("pwd");
  call.folder = folder_.path();
  EXPECT_EQ(taken(run_child(call, nullptr)).output, folder_.path() + "\n");
}

TEST_F(Children, AreFoundWhereTheyAreStarted) {
  std::filesystem::create_directories(folder_.file("bin/folder"));
  for (const char *name : {"tool", "bin/upload", "bin/plain"})
    std::ofstream(folder_.file(name)) << "#!/bin/sh\n";
  for (const char *name : {"tool", "bin/upload"}) chmod(folder_.file(name).c_str(), 0700);
  std::filesystem::create_symlink("missing", folder_.file("bin/dangling"));
  const auto make_script = [this](const std::string &name, const std::string &text) {
    std::ofstream(folder_.file(name)) << text;
    chmod(folder_.file(name).c_str(), 0700);
  };
  make_script("lost", "#! /no/such/shell -e\n");
  make_script("bin/lost-too", "#!" + folder_.file("lost") + "\n");
  make_script("bin/dos", "#!/bin/sh\r\n");
  make_script("bin/of-tool", "#!" + folder_.file("tool") + "\n");
  make_script("bin/of-folder", "#!" + folder_.path() + "\n");
  make_script("bin/words", "true\n");
  make_script("bin/no-name", "#!\n");
  make_script("empty", "");
  const std::string usual = g_getenv("PATH");
  for (const char *path :
       {usual.c_str(), "", "bin", "/none:bin", "/none::bin", "tool", static_cast<const char *>(nullptr)}) {
    if (path)
      g_setenv("PATH", path, TRUE);
    else
      g_unsetenv("PATH");
    for (const std::string &program : {std::string(),
                                       std::string("tool"),
                                       std::string("upload"),
                                       std::string("plain"),
                                       std::string("folder"),
                                       std::string("dangling"),
                                       std::string("sh"),
                                       std::string("no-such-program"),
                                       std::string("./tool"),
                                       std::string("bin/upload"),
                                       std::string("bin/plain"),
                                       std::string("./bin"),
                                       std::string("/bin/sh"),
                                       folder_.file("tool"),
                                       folder_.file("missing"),
                                       folder_.path() + "/",
                                       std::string("lost"),
                                       std::string("./lost"),
                                       std::string("bin/lost-too"),
                                       std::string("bin/dos"),
                                       std::string("bin/of-tool"),
                                       std::string("bin/of-folder"),
                                       std::string("bin/words"),
                                       std::string("bin/no-name")}) {
      ChildCall call;
      call.words = {program};
      call.folder = folder_.path();
      EXPECT_EQ(find_program(call).has_value(), run_child(call, nullptr).has_value())
          << program << " in " << (path ? path : "the system's folders");
    }
  }
  g_setenv("PATH", usual.c_str(), TRUE);
  const auto reason = [this](const char *program) {
    ChildCall call;
    call.words = {folder_.file(program)};
    return failure_of(find_program(call)).text;
  };
  EXPECT_EQ(reason("bin/plain"), g_strerror(EACCES));
  EXPECT_EQ(reason("bin"), g_strerror(EACCES));
  EXPECT_EQ(reason("missing"), g_strerror(ENOENT));
  EXPECT_EQ(reason("lost"), std::string("its interpreter /no/such/shell: ") + g_strerror(ENOENT));
  // A shell would do it, and it does nothing.
  EXPECT_EQ(reason("empty"), "the file is empty");
}

TEST(CommandWords, AreThoseOfAShellWithoutItsVariables) {
  EXPECT_EQ(taken(command_words("mail -s 'it is dark' $USER")),
            (std::vector<std::string>{"mail", "-s", "it is dark", "$USER"}));
  for (const char *wrong : {"", "echo 'open"})
    EXPECT_EQ(failure_of(command_words(wrong)).kind, ErrorKind::settings) << wrong;
}

}  // namespace
}  // namespace genclip::test
