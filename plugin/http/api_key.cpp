// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Four places, in order; and the scheme of an address.
#include "plugin/http/api_key.h"

#include <glib.h>
#include <sys/stat.h>

#include <algorithm>

#include "plugin/base/durable_file.h"
#include "plugin/base/gref.h"
#include "plugin/http/http_url.h"

namespace genclip {
namespace {

constexpr size_t kMaxKeySize = 16 * 1024;

Error problem(std::string text) { return {ErrorKind::settings, std::move(text)}; }

Result<std::string> usable(const std::string &text, const std::string &place) {
  const GStringPtr copy(g_strdup(text.c_str()));
  const std::string key = g_strstrip(copy.get());
  if (key.empty()) return problem("The API key in " + place + " is empty.");
  if (!std::all_of(key.begin(), key.end(), [](char c) { return g_ascii_isgraph(c); }))
    return problem("The API key in " + place + " holds characters that no key has.");
  return key;
}

Result<std::string> read_key(const std::string &file) {
  struct stat status;
  if (::stat(file.c_str(), &status) != 0) return problem("api-key-file " + file + " cannot be read.");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return problem("api-key-file " + file + " can be read by others: chmod 600 it.");
  const auto text = read_whole(FileSystem::posix(), file, kMaxKeySize);
  if (!text) return problem("api-key-file: " + text.error().text);
  return usable(*text, "api-key-file");
}

}  // namespace

Result<std::string> find_api_key(const std::string &key, const std::string &file) {
  if (!key.empty()) return usable(key, "api-key");
  if (!file.empty()) return read_key(file);
  if (const char *variable = g_getenv("GENCLIP_API_KEY"); variable && *variable)
    return usable(variable, "GENCLIP_API_KEY");
  if (const char *variable = g_getenv("GENCLIP_API_KEY_FILE"); variable && *variable)
    return read_key(variable);
  return problem(
      "There is no API key: name its file by api-key-file or GENCLIP_API_KEY_FILE, or set GENCLIP_API_KEY.");
}

std::vector<std::string> key_in_clear(const std::string &base_url, const std::string &setting) {
  const auto url = parse_http_url(base_url);
  if (!url || is_https(url->get()) || is_loopback(url->get())) return {};
  return {"The API key goes to " + host_of(url->get()) +
          " over plain http, where others can read it. Give https in " + setting + "."};
}

}  // namespace genclip
