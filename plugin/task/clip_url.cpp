// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A word such as "pending" must not become an address below the base URL.
#include "plugin/task/clip_url.h"

#include <glib.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "plugin/base/trimmed.h"
#include "plugin/http/http_url.h"
#include "plugin/task/media_format.h"

namespace genclip {
namespace {

constexpr const char *kPlaces[] = {"video_url", "result_url", "output"};
constexpr const char *kNamesInside[] = {"video_url", "result_url", "url", "video", "image", "output"};

// A path from the root or a host, or the path of a media file.
bool is_reference(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), [](char c) { return g_ascii_iscntrl(c); })) return false;
  const std::string_view path = text.substr(0, text.find_first_of("?#"));
  const std::string_view first = path.substr(0, path.find('/'));
  if (first.find(':') != first.npos || path.find('\\') != path.npos) return false;
  const bool has_blank = text.find(' ') != text.npos;
  const bool is_media =
      !media_type_of_path(text).empty() && path.find_first_not_of("./") != path.rfind('.') + 1;
  if (!path.starts_with('/')) return is_media && !has_blank;
  return path.size() > 1 && (is_media || !has_blank);
}

std::string read_address(std::string_view text, std::string_view base_url) {
  const std::string address(trimmed(text));
  for (const char *scheme : {"http://", "https://"})
    if (g_ascii_strncasecmp(address.c_str(), scheme, std::strlen(scheme)) == 0)
      return parse_http_url(address) ? address : std::string();
  if (base_url.empty() || !is_reference(address)) return {};
  const auto base = parse_http_url(std::string(base_url) + "/");  // A relative path starts below it.
  const auto resolved = base ? resolve_http_url(base->get(), address) : std::nullopt;
  return resolved.value_or("");
}

std::string read_place(const Json *json, std::string_view base_url) {
  if (!json) return {};
  if (const auto *text = json->string()) return read_address(*text, base_url);
  if (const auto *list = json->array())
    for (const Json &item : *list)
      if (std::string url = read_place(&item, base_url); !url.empty()) return url;
  for (const char *name : kNamesInside)
    if (std::string url = read_place(json->find(name), base_url); !url.empty()) return url;
  return {};
}

}  // namespace

std::string read_clip_url(const Json &task, std::string_view base_url) {
  while (base_url.ends_with('/')) base_url.remove_suffix(1);
  for (const char *place : kPlaces)
    if (std::string url = read_place(task.find(place), base_url); !url.empty()) return url;
  return {};
}

}  // namespace genclip
