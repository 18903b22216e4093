// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/http/api_key.h"

#include <fcntl.h>
#include <glib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "plugin/base/gref.h"
#include "plugin/base/local_file.h"
#include "plugin/base/trimmed.h"
#include "plugin/http/http_url.h"
#include "plugin/http/secrets.h"

namespace genclip {
namespace {

constexpr size_t kMaxKeySize = 16 * 1024;
constexpr size_t kLongestWord = 16;

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

// Follows links, because services that provide secrets as files do so by links. The checks look at the file
// that was opened, not at its name.
Result<ApiKey> read_key(const std::string &file) {
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
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return problem("api-key-file " + file + " is UTF-16. Save it as plain text (UTF-8).");
  auto key = usable(without_byte_order_mark(text), "api-key-file " + file);
  if (!key) return std::move(key).error();
  return ApiKey{std::move(*key), absolute_path(file)};
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

bool renew(ApiKey &key, Error &refusal) {
  if (refusal.http_status != 401 || key.file.empty()) return false;
  auto found = read_key(key.file);
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

std::vector<std::string> key_in_clear(const std::string &base_url, const std::string &setting) {
  const auto url = parse_http_url(base_url);
  if (!url || is_https(url->get()) || is_loopback(url->get())) return {};
  return {"The API key goes to " + host_of(url->get()) +
          " over plain http, where others can read it. Give https in " + setting + "."};
}

}  // namespace genclip
