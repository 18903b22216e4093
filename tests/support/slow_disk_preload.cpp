// SPDX-License-Identifier: LGPL-2.1-or-later
//
// For LD_PRELOAD: the files below a folder are on a disk that hangs or is slow, for a whole process, whatever
// program it runs. The environment says how:
//
//   SLOW_DISK        the folder
//   SLOW_DISK_CALLS  which calls, as words of kWords, separated by commas
//   SLOW_DISK_GATE   a file: while somebody has it locked (flock), the calls hang
//   SLOW_DISK_MS     how long each of the calls takes
//   SLOW_DISK_LOG    a file that gets a line for each of them before it waits: "read other /store/clip.mp4",
//                    or "main" where it is the process's first thread, which is the application's
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/support/disk_calls.h"

namespace genclip::test {
namespace {

struct Word {
  FileCall call;
  const char *word;
};

constexpr Word kWords[] = {
    {FileCall::open, "open"},     {FileCall::close, "close"},   {FileCall::read, "read"},
    {FileCall::write, "write"},   {FileCall::sync, "sync"},     {FileCall::truncate, "truncate"},
    {FileCall::info, "info"},     {FileCall::touch, "touch"},   {FileCall::lock, "lock"},
    {FileCall::rename, "rename"}, {FileCall::remove, "remove"}, {FileCall::make_folder, "make_folder"},
    {FileCall::list, "list"},
};

std::string setting(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

struct Settings {
  const std::string folder = setting("SLOW_DISK");
  const std::string calls = "," + setting("SLOW_DISK_CALLS") + ",";
  const std::string gate = setting("SLOW_DISK_GATE");
  const std::string log = setting("SLOW_DISK_LOG");
  const std::chrono::milliseconds delay{atoi(setting("SLOW_DISK_MS").c_str())};
};

const Settings &settings() {
  static const auto &settings = *new Settings;  // Never destroyed: threads may outlive main().
  return settings;
}

void tell(const char *word, const std::string &path) {
  const int log = ::open(settings().log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const std::string line = std::string(word) + (gettid() == getpid() ? " main " : " other ") + path + "\n";
  if (::write(log, line.data(), line.size()) < 0) abort();
  ::close(log);
}

void wait_at_gate() {
  const int gate = ::open(settings().gate.c_str(), O_RDONLY | O_CLOEXEC);
  while (::flock(gate, LOCK_SH) < 0 && errno == EINTR) {
  }
  ::close(gate);
}

int wait_for_disk(FileCall call, std::string &path, int) {
  if (!path.starts_with(settings().folder)) return 0;
  for (const Word &one : kWords) {
    if (one.call != call || settings().calls.find("," + std::string(one.word) + ",") == std::string::npos)
      continue;
    tell(one.word, path);
    if (!settings().gate.empty()) wait_at_gate();
    std::this_thread::sleep_for(settings().delay);
  }
  return 0;
}

[[gnu::constructor]] void begin() {
  if (!settings().folder.empty()) set_disk_hook(wait_for_disk);
}

}  // namespace
}  // namespace genclip::test
