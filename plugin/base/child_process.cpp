// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The program leads a process group of its own, which signals reach as a whole. It is waited for last: until
// then its ID, and so the group's, cannot belong to other processes.
#include "plugin/base/child_process.h"

#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <memory>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/base/local_file.h"
#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kGrace{1000};
constexpr size_t kKeptErrors = 8192;
// The system reads so much of a script, whose interpreter may be another script.
constexpr size_t kScriptLine = 256;
constexpr int kScriptLevels = 4;

// Runs in the child, between fork and exec: only calls that are safe in a signal handler.
void prepare_child(gpointer parent) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have died before that call.
  if (getppid() != GPOINTER_TO_INT(parent)) _exit(127);
}

std::vector<char *> pointers_to(const std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string &text : texts) pointers.push_back(const_cast<char *>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct StringsFree {
  void operator()(char **strings) const { g_strfreev(strings); }
};
using Strings = std::unique_ptr<char *, StringsFree>;

std::vector<std::string> texts_of(const Strings &strings) {
  std::vector<std::string> texts;
  for (char **text = strings.get(); text && *text; ++text) texts.emplace_back(*text);
  return texts;
}

class Child {
 public:
  Child() = default;
  ~Child() {
    if (pid_ > 0) wait();
    for (const int descriptor : {process_, input_, output_, errors_})
      if (descriptor >= 0) close(descriptor);
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  // An empty text, or what is wrong.
  std::string start(const ChildCall &call) {
    auto words = pointers_to(call.words);
    auto environment = pointers_to(call.environment);
    if (!call.input.empty() && !hold_input(call.input)) return g_strerror(errno);
    const char *folder = call.folder.empty() ? nullptr : call.folder.c_str();
    GErrorPtr error;
    const auto flags =
        static_cast<GSpawnFlags>(G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CLOEXEC_PIPES);
    if (!g_spawn_async_with_pipes_and_fds(folder, words.data(), environment.data(), flags, prepare_child,
                                          GINT_TO_POINTER(getpid()), input_, -1, -1, nullptr, nullptr, 0,
                                          &pid_, nullptr, &output_, &errors_, take(error)))
      return error ? error->message : "";
    process_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
    if (process_ < 0) {
      std::string problem = g_strerror(errno);
      kill(-pid_, SIGKILL);
      return problem;
    }
    for (const int descriptor : {output_, errors_}) g_unix_set_fd_nonblocking(descriptor, TRUE, nullptr);
    return {};
  }

  ChildEnd run(const ChildCall &call, GPollFD *cancellation) {
    ChildEnd end;
    const auto deadline = steady_clock::now() + call.time_limit;
    bool has_exited = false;
    while (!has_exited) {
      pollfd waits[] = {{process_, POLLIN, 0},
                        {output_, POLLIN, 0},
                        {errors_, POLLIN, 0},
                        {cancellation ? cancellation->fd : -1, POLLIN, 0}};
      const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
      if (left.count() <= 0) return stop(ChildEnd::Cause::time_limit, std::move(end));
      poll(waits, std::size(waits), static_cast<int>(std::min(left, milliseconds(G_MAXINT)).count()));
      if (waits[3].revents != 0) return stop(ChildEnd::Cause::exited, std::move(end));
      // Looked at first: what it has written before its exit is then in the pipes.
      has_exited = waits[0].revents != 0;
      take_from(output_, end.output);
      if (end.output.size() > call.max_output) return stop(ChildEnd::Cause::too_much_output, std::move(end));
      take_errors(end);
    }
    end.status = wait();
    return end;
  }

 private:
  // The input is a file in memory, which takes all of it at once. A pipe would have to be fed, and would
  // raise SIGPIPE if the program does not read it.
  bool hold_input(const std::string &input) {
    input_ = memfd_create("input", MFD_CLOEXEC);
    if (input_ < 0) return false;
    for (size_t written = 0; written < input.size();) {
      const ssize_t count = write(input_, input.data() + written, input.size() - written);
      if (count < 0) return false;
      written += static_cast<size_t>(count);
    }
    return lseek(input_, 0, SEEK_SET) == 0;
  }

  // What is in the pipe, but no more than a pipe holds: a flood of output must not keep the loop from its
  // limits.
  static void take_from(int &descriptor, std::string &text) {
    char buffer[8192];
    for (int piece = 0; descriptor >= 0 && piece < 16; ++piece) {
      const ssize_t count = read(descriptor, buffer, sizeof buffer);
      if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (count <= 0) {
        close(descriptor);  // poll() would return at once from now on.
        descriptor = -1;
      } else {
        text.append(buffer, static_cast<size_t>(count));
      }
    }
  }

  void take_errors(ChildEnd &end) {
    take_from(errors_, end.errors);
    if (end.errors.size() > kKeptErrors) end.errors.erase(0, end.errors.size() - kKeptErrors);
  }

  ChildEnd stop(ChildEnd::Cause cause, ChildEnd end) {
    kill(-pid_, SIGTERM);
    pollfd exit = {process_, POLLIN, 0};
    poll(&exit, 1, static_cast<int>(kGrace.count()));
    kill(-pid_, SIGKILL);
    end.status = wait();
    end.cause = cause;
    take_errors(end);
    return end;
  }

  int wait() {
    int status = -1;
    // ECHILD: the application has waited for all of its children.
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return status;
  }

  GPid pid_ = 0;
  int process_ = -1;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;
};

// The interpreter that the first line of a script names; empty: it is not a script, or names none.
std::string interpreter_of(const std::string &begin) {
  if (!begin.starts_with("#!")) return {};
  const size_t from = begin.find_first_not_of(" \t", 2);
  const size_t end = from == begin.npos ? from : begin.find_first_of(" \t\n", from);
  return end == begin.npos ? std::string() : begin.substr(from, end - from);
}

// Why the system would not start that file, as far as can be known; empty: it would. An empty file does
// nothing, and the C library has a shell do it.
std::string start_problem(const std::string &path, const std::string &folder, int levels = kScriptLevels) {
  if (access(path.c_str(), X_OK) != 0) return g_strerror(errno);
  if (!g_file_test(path.c_str(), G_FILE_TEST_IS_REGULAR)) return g_strerror(EACCES);
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::string begin(kScriptLine, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(file.gcount()));
  if (begin.empty()) return "the file is empty";
  const std::string interpreter = interpreter_of(begin);
  if (interpreter.empty() || levels == 0) return {};
  const std::string problem = start_problem(absolute_path(interpreter, folder), folder, levels - 1);
  return problem.empty() ? problem : "its interpreter " + shown_line(interpreter) + ": " + problem;
}

}  // namespace

Result<std::vector<std::string>> command_words(const std::string &command) {
  char **words = nullptr;
  GErrorPtr error;
  if (!g_shell_parse_argv(command.c_str(), nullptr, &words, take(error)))
    return Error{ErrorKind::settings, error->message};
  return texts_of(Strings(words));
}

std::vector<std::string> environment_without(std::span<const char *const> names) {
  char **environment = g_get_environ();
  for (const char *name : names) environment = g_environ_unsetenv(environment, name);
  return texts_of(Strings(environment));
}

Result<void> find_program(const ChildCall &call) {
  const std::string &program = call.words.front();
  const char *variable = g_getenv("PATH");
  // GLib searches so: without the variable in the system's folders, and where two colons meet in the folder
  // in which the program would run.
  std::string list = variable ? variable : "/bin:/usr/bin:.";
  if (program.find('/') != program.npos) list.clear();
  std::string reason = g_strerror(ENOENT);
  for (size_t begin = 0; begin <= list.size() && !program.empty();) {
    const size_t end = std::min(list.find(':', begin), list.size());
    const std::string place = list.substr(begin, end - begin);
    const std::string path = absolute_path(place.empty() ? program : place + "/" + program, call.folder);
    std::string problem = start_problem(path, call.folder);
    if (problem.empty()) return {};
    // What is there, and cannot be started, says more than that it is missing elsewhere.
    if (problem != g_strerror(ENOENT)) reason = std::move(problem);
    begin = end + 1;
  }
  return Error{ErrorKind::failed, std::move(reason)};
}

Result<ChildEnd> run_child(const ChildCall &call, GCancellable *cancellable) {
  GPollFD cancellation = {};
  if (cancellable && !g_cancellable_make_pollfd(cancellable, &cancellation))
    return Error{ErrorKind::failed, "too many open files"};
  Child child;
  ChildEnd end;
  const std::string problem = child.start(call);
  if (problem.empty()) end = child.run(call, cancellable ? &cancellation : nullptr);
  if (cancellable) g_cancellable_release_fd(cancellable);
  if (!problem.empty()) return Error{ErrorKind::failed, problem};
  if (g_cancellable_is_cancelled(cancellable)) return cancelled();
  return end;
}

}  // namespace genclip
