// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Written by hand: GUri would normalise the path too, and so rename every clip that is stored.
#include "plugin/base/base_url.h"

#include <glib.h>

#include <algorithm>

namespace genclip {
namespace {

constexpr std::string_view kSeparator = "://";

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return g_ascii_tolower(c); });
  return lower;
}

bool is_number(std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; }

// With its colon; empty when it is the usual one.
std::string normal_port(std::string_view port, std::string_view scheme) {
  port.remove_prefix(std::min(port.find_first_not_of('0'), port.size()));
  if (port.empty() || port == (scheme == "https" ? "443" : "80")) return {};
  return ":" + std::string(port);
}

std::string normal_authority(std::string_view authority, std::string_view scheme) {
  const auto at = authority.rfind('@');
  const std::string_view user = at == authority.npos ? "" : authority.substr(0, at + 1);
  std::string_view host = authority.substr(user.size());
  const auto colon = host.rfind(':');
  std::string port;
  if (colon != host.npos && is_number(host.substr(colon + 1))) {
    port = normal_port(host.substr(colon + 1), scheme);
    host = host.substr(0, colon);
  }
  return std::string(user) + lower_case(host) + port;
}

}  // namespace

std::string normal_base_url(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  const auto separator = url.find(kSeparator);
  const std::string scheme = lower_case(url.substr(0, std::min(separator, url.size())));
  if (separator == url.npos || (scheme != "http" && scheme != "https")) return std::string(url);
  const std::string_view rest = url.substr(separator + kSeparator.size());
  const auto end = std::min(rest.find_first_of("/?#"), rest.size());
  return scheme + "://" + normal_authority(rest.substr(0, end), scheme) + std::string(rest.substr(end));
}

}  // namespace genclip
