// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/http/public_address.h"

#include <glib.h>

#include <algorithm>
#include <string_view>

#include "plugin/base/gref.h"
#include "plugin/base/private_host.h"
#include "plugin/http/http_url.h"

namespace genclip {
namespace {

constexpr std::string_view kPrivateDomains[] = {"localhost", "local", "internal", "home.arpa"};

bool is_public_name(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == name.npos) return false;
  // 127.1 and 0x7f.1 are addresses too, and no public name ends in a number.
  if (g_ascii_isdigit(name[dot + 1])) return false;
  return std::none_of(std::begin(kPrivateDomains), std::end(kPrivateDomains), [&](std::string_view domain) {
    return name == domain || (name.ends_with(domain) && name[name.size() - domain.size() - 1] == '.');
  });
}

}  // namespace

bool is_public_address(const std::string &url) {
  const auto uri = parse_http_url(url);
  if (!uri) return false;
  const GStringPtr lower(g_ascii_strdown(g_uri_get_host(uri->get()), -1));
  std::string_view name = lower.get();
  if (name.ends_with('.')) name.remove_suffix(1);
  const std::string text(name);
  const auto is_public = is_public_literal(text);
  return is_public ? *is_public : is_public_name(name);
}

}  // namespace genclip
