// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/special_file.h"

#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "plugin/base/clock.h"

namespace genclip {
namespace {

constexpr int kLook_ms = 100;
// Where there is room for anything, there is room for this in a pipe: a descriptor that blocks does not then.
constexpr size_t kRoomOfPipe = 4096;

bool has_type(const std::string &path, mode_t type) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && (status.st_mode & S_IFMT) == type;
}

class SpecialFile {
 public:
  SpecialFile(const std::string &path, const std::function<void()> &on_waiting,
              const std::function<bool()> &is_stopped)
      : path_(path), on_waiting_(on_waiting), is_stopped_(is_stopped) {}
  // Borrows the descriptor.
  SpecialFile(int descriptor, const std::string &name, const std::function<void()> &on_waiting,
              const std::function<bool()> &is_stopped)
      : SpecialFile(name, on_waiting, is_stopped) {
    descriptor_ = descriptor;
    is_borrowed_ = true;
  }
  ~SpecialFile() {
    if (descriptor_ >= 0 && !is_borrowed_) ::close(descriptor_);
  }
  SpecialFile(const SpecialFile &) = delete;
  SpecialFile &operator=(const SpecialFile &) = delete;

  Result<void> open() {
    while ((descriptor_ = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) < 0) {
      const int code = errno;
      if (code == EINTR) continue;
      // A device without a driver fails in the same way, but waiting does not help there.
      const bool lacks_reader = code == ENXIO && has_type(path_, S_IFIFO);
      if (!lacks_reader) return failure(ErrorKind::open_write, code);
      tell_waiting();
      if (is_stopped_()) return cancelled();
      Clock::system().sleep_until(Clock::system().now() + std::chrono::milliseconds(kLook_ms), nullptr);
    }
    return {};
  }

  Result<void> write(std::string_view text) {
    while (!text.empty()) {
      if (!has_room(0)) {
        // A reader that is slow makes room soon, and nobody has to be told.
        if (is_stopped_()) return cancelled();
        if (!has_room(kLook_ms)) {
          tell_waiting();
          continue;
        }
      }
      const ssize_t count = ::write(descriptor_, text.data(), std::min(text.size(), kRoomOfPipe));
      const int code = errno;
      if (count >= 0)
        text.remove_prefix(static_cast<size_t>(count));
      else if (code != EAGAIN && code != EINTR)
        return failure(ErrorKind::write, code);
    }
    return {};
  }

 private:
  // Or an error, which the write tells.
  bool has_room(int patience_ms) const {
    struct pollfd room = {descriptor_, POLLOUT, 0};
    return ::poll(&room, 1, patience_ms) > 0;
  }

  void tell_waiting() {
    if (!std::exchange(is_waiting_, true)) on_waiting_();
  }

  Error failure(ErrorKind kind, int code) const {
    return {kind, "The captions cannot be written to " + path_ + ": " + g_strerror(code)};
  }

  const std::string &path_;
  const std::function<void()> &on_waiting_;
  const std::function<bool()> &is_stopped_;
  int descriptor_ = -1;
  bool is_borrowed_ = false;
  bool is_waiting_ = false;
};

}  // namespace

bool is_socket(const std::string &path) { return has_type(path, S_IFSOCK); }

Result<void> write_special(const std::string &path, std::string_view text,
                           const std::function<void()> &on_waiting, const std::function<bool()> &is_stopped) {
  SpecialFile file(path, on_waiting, is_stopped);
  if (auto opened = file.open(); !opened) return opened;
  return file.write(text);
}

Result<void> write_standard_output(std::string_view text, const std::function<void()> &on_waiting,
                                   const std::function<bool()> &is_stopped) {
  const std::string name = "standard output";
  return SpecialFile(STDOUT_FILENO, name, on_waiting, is_stopped).write(text);
}

}  // namespace genclip
