// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/url_problem.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

// No name server knows a name with an empty part: "...", "media..example". A dot at the end is the root.
bool is_host(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return !host.empty() && !host.starts_with('.') && !host.ends_with('.') && host.find("..") == host.npos;
}

}  // namespace

std::optional<std::string> url_problem(std::string_view url) {
  if (std::ranges::any_of(url, [](char c) { return g_ascii_isspace(c) || g_ascii_iscntrl(c); }))
    return "contains a blank or a control character, which a URL cannot contain; write a blank as %20";
  const auto parsed = GRef<GUri>::adopt(g_uri_parse(std::string(url).c_str(), kAnyUrlFlags, nullptr));
  const char *host = parsed ? g_uri_get_host(parsed.get()) : nullptr;
  if (!host || !is_host(host)) return "is not a complete URL; write it as https://HOST/PATH";
  if (g_uri_get_port(parsed.get()) == 0) return "names port 0, where no server can be";
  return std::nullopt;
}

}  // namespace genclip
