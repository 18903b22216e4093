// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/control_token.h"

#include <fcntl.h>
#include <glib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

namespace genclip {
namespace {

constexpr std::string_view kBearerScheme = "Bearer ";

Error token_file_problem(const std::string &path, const std::string &why) {
  return {ErrorKind::settings, "The token file " + path + " " + why + "."};
}

}  // namespace

std::string new_control_token() {
  std::array<unsigned char, 16> bits = {};
  // Up to 256 bytes come whole; it waits only while the system boots, and fails only if it is interrupted
  // there.
  while (getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size())) {
  }
  std::string token;
  for (const unsigned char byte : bits) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  return token;
}

Result<void> write_token_file(const std::string &path, const std::string &token) {
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return token_file_problem(path, "exists and is not a regular file");
  // A new file under a random name: nobody can have put a link there.
  std::string temporary = path + ".XXXXXX";
  const int descriptor = g_mkstemp_full(temporary.data(), O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor < 0) return token_file_problem(path, std::string("cannot be written: ") + g_strerror(errno));
  const std::string line = token + "\n";
  const auto failed = [&] {
    const std::string why = g_strerror(errno);
    ::unlink(temporary.c_str());
    return token_file_problem(path, "cannot be written: " + why);
  };
  const bool written = ::fchmod(descriptor, 0600) == 0 &&
                       ::write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
                       ::fsync(descriptor) == 0;
  if (!written) {
    auto error = failed();
    ::close(descriptor);
    return error;
  }
  ::close(descriptor);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return failed();
  return {};
}

bool is_authorized(std::string_view authorization, std::string_view token) {
  if (token.empty() || authorization.size() != kBearerScheme.size() + token.size()) return false;
  // The name of the scheme is no secret, and may be spelled in any case.
  if (g_ascii_strncasecmp(authorization.data(), kBearerScheme.data(), kBearerScheme.size()) != 0)
    return false;
  authorization.remove_prefix(kBearerScheme.size());
  unsigned difference = 0;
  for (size_t at = 0; at < token.size(); ++at)
    difference |= static_cast<unsigned char>(authorization[at]) ^ static_cast<unsigned char>(token[at]);
  return difference == 0;
}

}  // namespace genclip
