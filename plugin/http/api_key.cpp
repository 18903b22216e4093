// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/http/api_key.h"

#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <map>
#include <string_view>

#include "plugin/base/gref.h"
#include "plugin/base/local_file.h"
#include "plugin/base/mutex.h"
#include "plugin/base/trimmed.h"
#include "plugin/http/http_url.h"
#include "plugin/http/secrets.h"

namespace genclip {
namespace {

constexpr size_t kMaxKeySize = 16 * 1024;
constexpr size_t kLongestWord = 16;
constexpr auto kPipePatience = std::chrono::seconds(5);

std::atomic<bool> reads_pipes = false;

// A pipe can be read once, and a program looks for the key several times; so what came of it stands.
class KeysOfPipes {
 public:
  static KeysOfPipes &shared() {
    static KeysOfPipes keys;
    return keys;
  }
  std::optional<Result<std::string>> find(const std::string &path) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto found = keys_.find(path);
    return found == keys_.end() ? std::nullopt : std::optional(found->second);
  }
  void add(const std::string &path, const Result<std::string> &key) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    keys_.emplace(path, key);
  }

 private:
  Mutex mutex_;
  std::map<std::string, Result<std::string>> keys_ GUARDED_BY(mutex_);
};

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

std::string upper_case(std::string_view text) {
  return GStringPtr(g_ascii_strup(text.data(), static_cast<gssize>(text.size()))).get();
}

bool is_name(std::string_view text) {
  const auto is_part = [](char c) { return g_ascii_isalnum(c) || c == '_'; };
  return !text.empty() && !g_ascii_isdigit(text.front()) && std::all_of(text.begin(), text.end(), is_part);
}

bool ends_like_a_key(const std::string &upper) { return upper.ends_with("KEY") || upper.ends_with("TOKEN"); }

// NAME=value, or $env:NAME=value. Keys of some services contain '=', and many end with it, so both sides must
// look like it.
bool is_assignment(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == text.npos || text.find_first_not_of('=', equals) == text.npos) return false;
  const std::string upper = upper_case(trimmed(text.substr(0, equals)));
  if (upper.starts_with("$ENV:")) return true;
  return is_name(upper) && (upper.find('_') != upper.npos || ends_like_a_key(upper));
}

// NAME:value. An account and its secret look alike but for the name.
bool is_header(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == text.npos || colon + 1 == text.size()) return false;
  std::string upper = upper_case(text.substr(0, colon));
  std::replace(upper.begin(), upper.end(), '-', '_');
  return is_name(upper) && (ends_like_a_key(upper) || upper == "AUTHORIZATION");
}

bool begins_with_word(std::string_view text, std::string_view word) {
  return text.size() > word.size() && g_ascii_isspace(text[word.size()]) &&
         g_ascii_strncasecmp(text.data(), word.data(), word.size()) == 0;
}

bool is_between(std::string_view text, char first, char last) {
  return text.size() > 1 && text.front() == first && text.back() == last;
}

// Says what is wrong with a text that should be a key and nothing else; null if nothing is.
const char *mistake_in(std::string_view text) {
  if (text.find_first_of("\r\n") != text.npos) return "has several lines";
  if (begins_with_word(text, "export") || is_assignment(text)) return "is a line for a shell";
  for (const char quote : {'"', '\'', '`'})
    if (is_between(text, quote, quote)) return "is in quotes";
  if (begins_with_word(text, "bearer") || is_header(text)) return "is a header";
  if (is_between(text, '{', '}') || is_between(text, '[', ']')) return "is JSON";
  if (!std::all_of(text.begin(), text.end(), [](char c) { return g_ascii_isgraph(c); }))
    return "contains characters that are not allowed in a key";
  return nullptr;
}

Result<std::string> usable(std::string_view text, const std::string &place) {
  const std::string_view key = trimmed(text);
  if (key.empty()) return problem("The API key in " + place + " is empty.");
  if (const char *mistake = mistake_in(key))
    return problem("The API key in " + place + " " + mistake +
                   ". Put the key alone there, on one line, without a name or quotes.");
  return std::string(key);
}

// True if the descriptor, of a pipe, has bytes or its end before that time. A pipe that nobody has opened yet
// has neither.
bool waits_for_pipe(int descriptor, std::chrono::steady_clock::time_point until) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd wanted = {.fd = descriptor, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&wanted, 1, left > 0 ? static_cast<int>(left) : 0);
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

// At most one byte more than a key may have.
Result<std::string> read_text(int descriptor, const std::string &file, bool is_pipe) {
  const auto until = std::chrono::steady_clock::now() + kPipePatience;
  std::string text(kMaxKeySize + 1, '\0');
  size_t size = 0;
  // Whether it has an end is asked of read(), not of poll(), which knows no end of a pipe that had no writer
  // any more when it was opened, as with the command of <(…).
  bool has_nothing_yet = is_pipe;
  while (size < text.size()) {
    if (has_nothing_yet && !waits_for_pipe(descriptor, until))
      return problem("api-key-file " + file + " is a pipe that did not end within 5 s.");
    const ssize_t count = ::read(descriptor, text.data() + size, text.size() - size);
    has_nothing_yet = is_pipe && count < 0 && errno == EAGAIN;
    if (count < 0 && (errno == EINTR || has_nothing_yet)) continue;
    if (count < 0) return problem("api-key-file " + file + " cannot be read: " + g_strerror(errno) + ".");
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  text.resize(size);
  return text;
}

std::string mode_text(mode_t mode) {
  return GStringPtr(g_strdup_printf("%04o", static_cast<unsigned>(mode & 07777))).get();
}

Result<std::string> key_in_descriptor(int descriptor, const std::string &file, bool is_pipe) {
  const auto text = read_text(descriptor, file, is_pipe);
  if (!text) return text.error();
  if (text->size() > kMaxKeySize)
    return problem("api-key-file " + file + " is larger than " + std::to_string(kMaxKeySize) +
                   " bytes, which no key is.");
  if (text->starts_with("\xFF\xFE") || text->starts_with("\xFE\xFF"))
    return problem("api-key-file " + file + " is UTF-16. Save it as plain text (UTF-8).");
  return usable(without_byte_order_mark(*text), "api-key-file " + file);
}

// Follows links, because services that provide secrets as files do so by links. The checks look at the file
// that was opened, not at its name. Such files are often readable by all users of a container.
Result<ApiKey> read_key(const std::string &file) {
  const std::string path = absolute_path(file);
  auto key = KeysOfPipes::shared().find(path);
  std::string warning;
  if (!key) {
    // Opening a pipe would wait for its other end.
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
      return problem("api-key-file " + file + " cannot be read: " + g_strerror(errno) + ".");
    const Descriptor closed(descriptor);
    struct stat status;
    const bool is_known = ::fstat(descriptor, &status) == 0;
    const bool is_pipe = is_known && S_ISFIFO(status.st_mode) && reads_pipes;
    if (!is_known || !(S_ISREG(status.st_mode) || is_pipe))
      return problem("api-key-file " + file + " is not a regular file.");
    key = key_in_descriptor(descriptor, file, is_pipe);
    if (is_pipe) KeysOfPipes::shared().add(path, *key);
    if (!is_pipe && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
      warning = "api-key-file " + file + " is open to other users (mode " + mode_text(status.st_mode) +
                "): chmod 600 it.";
  }
  if (!*key) return key->error();
  return ApiKey{std::move(**key), path, std::move(warning)};
}

// For a key that is in no file.
Result<ApiKey> key_in(const std::string &text, const std::string &place) {
  auto key = usable(text, place);
  if (!key) return std::move(key).error();
  return ApiKey{std::move(*key)};
}

}  // namespace

Result<ApiKey> find_api_key(const std::string &key, const std::string &file) {
  if (!key.empty()) return key_in(key, "api-key");
  if (!file.empty()) return read_key(file);
  if (const char *variable = g_getenv(kApiKeyVariable); variable && *variable)
    return key_in(variable, "GENCLIP_API_KEY");
  if (const char *variable = g_getenv(kApiKeyFileVariable); variable && *variable) return read_key(variable);
  return problem(
      "There is no API key: set GENCLIP_API_KEY to it, or name a file that holds it alone with api-key-file "
      "or GENCLIP_API_KEY_FILE.");
}

std::string key_at_hand(const std::string &key, const std::string &file) {
  if (!key.empty()) return std::string(trimmed(key));
  const char *variable = file.empty() ? g_getenv(kApiKeyVariable) : nullptr;
  return std::string(trimmed(variable ? variable : ""));
}

bool shows_key(std::string_view text, std::string_view key) {
  const auto has = [key](auto is_kind) { return std::any_of(key.begin(), key.end(), is_kind); };
  const bool may_be_word = key.size() < kLongestWord && !(has([](char c) { return g_ascii_isdigit(c); }) &&
                                                          has([](char c) { return g_ascii_isalpha(c); }));
  const Secrets secrets(key);
  return !may_be_word && (secrets.shows_key(text) || secrets.shows_key(unescaped(text)));
}

void let_keys_come_from_pipes(bool may) { reads_pipes = may; }

bool renew(ApiKey &key, Error &refusal) {
  if (refusal.http_status != 401 || key.file.empty()) return false;
  auto found = read_key(key.file);
  // Whoever renews the key is to know why it was not found.
  if (!found) refusal.text += " No new key was found: " + found.error().text;
  if (found && found->value == key.value) found = problem("api-key-file " + key.file + " has not changed.");
  if (!found) {
    refusal.debug += (refusal.debug.empty() ? "" : "; ") + found.error().text;
    return false;
  }
  key = std::move(*found);
  return true;
}

bool names_api_key(const std::string &key, const std::string &file) {
  const auto is_set = [](const char *variable) {
    const char *value = g_getenv(variable);
    return value && *value;
  };
  return !key.empty() || !file.empty() || is_set(kApiKeyVariable) || is_set(kApiKeyFileVariable);
}

std::vector<std::string> warnings_of(const ApiKey &key, const std::string &base_url,
                                     const std::string &setting) {
  std::vector<std::string> warnings;
  const auto url = parse_http_url(base_url);
  if (url && !is_https(url->get()) && !is_loopback(url->get()))
    warnings.push_back("The API key goes to " + host_of(url->get()) +
                       " over plain http, where others can read it. Give https in " + setting + ".");
  if (!key.warning.empty()) warnings.push_back(key.warning);
  return warnings;
}

}  // namespace genclip
