// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/http/api_key.h"

#include <fcntl.h>
#include <glib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "plugin/base/trimmed.h"
#include "plugin/http/http_url.h"

namespace genclip {
namespace {

constexpr size_t kMaxKeySize = 16 * 1024;

// Closes the descriptor at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

 private:
  const int number_;
};

Error problem(std::string text) { return {ErrorKind::settings, std::move(text)}; }

Result<std::string> usable(const std::string &text, const std::string &place) {
  std::string key(trimmed(text));
  if (key.empty()) return problem("The API key in " + place + " is empty.");
  if (!std::all_of(key.begin(), key.end(), [](char c) { return g_ascii_isgraph(c); }))
    return problem("The API key in " + place + " contains characters that are not allowed in a key.");
  return key;
}

// Follows links, because services that provide secrets as files do so by links. The checks look at the file
// that was opened, not at its name.
Result<std::string> read_key(const std::string &file) {
  // Opening a pipe would wait for its other end.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return problem("api-key-file " + file + " cannot be read: " + g_strerror(errno) + ".");
  const Descriptor closed(descriptor);
  struct stat status;
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    return problem("api-key-file " + file + " is not a regular file.");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return problem("api-key-file " + file + " can be read by others: chmod 600 it.");
  std::string text(kMaxKeySize + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(descriptor, text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return problem("api-key-file " + file + " cannot be read: " + g_strerror(errno) + ".");
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  if (size > kMaxKeySize)
    return problem("api-key-file " + file + " is larger than " + std::to_string(kMaxKeySize) +
                   " bytes, which no key is.");
  text.resize(size);
  return usable(text, "api-key-file");
}

}  // namespace

Result<std::string> find_api_key(const std::string &key, const std::string &file) {
  if (!key.empty()) return usable(key, "api-key");
  if (!file.empty()) return read_key(file);
  if (const char *variable = g_getenv(kApiKeyVariable); variable && *variable)
    return usable(variable, "GENCLIP_API_KEY");
  if (const char *variable = g_getenv(kApiKeyFileVariable); variable && *variable) return read_key(variable);
  return problem(
      "There is no API key: name its file by api-key-file or GENCLIP_API_KEY_FILE, or set GENCLIP_API_KEY.");
}

bool names_api_key(const std::string &key, const std::string &file) {
  const auto is_set = [](const char *variable) {
    const char *value = g_getenv(variable);
    return value && *value;
  };
  return !key.empty() || !file.empty() || is_set(kApiKeyVariable) || is_set(kApiKeyFileVariable);
}

std::vector<std::string> key_in_clear(const std::string &base_url, const std::string &setting) {
  const auto url = parse_http_url(base_url);
  if (!url || is_https(url->get()) || is_loopback(url->get())) return {};
  return {"The API key goes to " + host_of(url->get()) +
          " over plain http, where others can read it. Give https in " + setting + "."};
}

}  // namespace genclip
