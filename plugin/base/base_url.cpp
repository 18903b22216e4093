// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Written by hand: GUri would normalise the path too, and so rename every clip that is stored.
#include "plugin/base/base_url.h"

#include <gio/gio.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/trimmed.h"

namespace genclip {
namespace {

constexpr std::string_view kSeparator = "://";

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return g_ascii_tolower(c); });
  return lower;
}

bool is_number(std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; }

// With its colon; empty for the usual port of the scheme. Port 0 is kept, so that a check can refuse it.
std::string normal_port(std::string_view port, std::string_view scheme) {
  if (!port.empty() && port.find_first_not_of('0') == port.npos) return ":0";
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

// A character that may be escaped or not in a URL (RFC 3986, 6.2.2.2).
bool is_unreserved(char c) { return g_ascii_isalnum(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

// Escapes only what has to be, with capital digits.
std::string normal_escapes(std::string_view text) {
  std::string normal;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && i + 2 < text.size() && g_ascii_isxdigit(text[i + 1]) &&
                           g_ascii_isxdigit(text[i + 2]);
    if (!is_escape) {
      normal += text[i];
      continue;
    }
    const int high = g_ascii_xdigit_value(text[i + 1]), low = g_ascii_xdigit_value(text[i + 2]);
    if (const auto meant = static_cast<char>(high * 16 + low); is_unreserved(meant))
      normal += meant;
    else
      normal += {'%', g_ascii_toupper(text[i + 1]), g_ascii_toupper(text[i + 2])};
    i += 2;
  }
  return normal;
}

// Without empty segments, without "." and "..", and without escaped blanks at its end.
std::string normal_path(std::string_view path) {
  const std::string text = normal_escapes(path);
  std::string normal;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('/', begin), text.size());
    const std::string_view segment = std::string_view(text).substr(begin, end - begin);
    if (segment == "..")
      normal.resize(std::min(normal.rfind('/'), normal.size()));
    else if (!segment.empty() && segment != ".")
      normal.append("/").append(segment);
    begin = end + 1;
  }
  for (bool has_more = true; has_more;) {
    has_more = false;
    for (const std::string_view end : {"%20", "%09", "%0A", "%0D", "/"})
      if (normal.ends_with(end)) has_more = true, normal.resize(normal.size() - end.size());
  }
  return normal;
}

// One spelling for each host: [::1] and [0:0:0:0:0:0:0:1], localhost and "localhost.", bücher.example and
// xn--bcher-kva.example.
std::string meaning_of_host(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) {
    const std::string inside(host.substr(1, host.size() - 2));
    const auto address = GRef<GInetAddress>::adopt(g_inet_address_new_from_string(inside.c_str()));
    if (!address) return std::string(host);
    return "[" + std::string(GStringPtr(g_inet_address_to_string(address.get())).get()) + "]";
  }
  const GStringPtr plain(g_uri_unescape_segment(host.data(), host.data() + host.size(), nullptr));
  if (!plain) return std::string(host);
  const GStringPtr ascii(g_hostname_to_ascii(plain.get()));
  const std::string meant = lower_case(ascii ? ascii.get() : plain.get());
  return meant.substr(0, meant.find_last_not_of('.') + 1);
}

std::string meaning_of_authority(std::string_view authority) {
  const auto at = authority.rfind('@');
  const std::string_view user = at == authority.npos ? "" : authority.substr(0, at + 1);
  const std::string_view rest = authority.substr(user.size());
  const auto colon = rest.rfind(':');
  const bool has_port = colon != rest.npos && is_number(rest.substr(colon + 1));
  const std::string_view host = has_port ? rest.substr(0, colon) : rest;
  return std::string(user) + meaning_of_host(host) + std::string(rest.substr(host.size()));
}

}  // namespace

std::string normal_base_url(std::string_view url) {
  url = trimmed(url);
  while (url.ends_with('/')) url = trimmed(url.substr(0, url.size() - 1));
  return older_base_url(url);
}

std::string older_base_url(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  const auto separator = url.find(kSeparator);
  const std::string scheme = lower_case(url.substr(0, std::min(separator, url.size())));
  if (separator == url.npos || (scheme != "http" && scheme != "https")) return std::string(url);
  const std::string_view rest = url.substr(separator + kSeparator.size());
  const auto end = std::min(rest.find_first_of("/?#"), rest.size());
  return scheme + "://" + normal_authority(rest.substr(0, end), scheme) + std::string(rest.substr(end));
}

std::string meaning_of_base_url(std::string_view url) {
  const std::string normal = normal_base_url(url);
  const auto separator = normal.find(kSeparator);
  if (!normal.starts_with("http://") && !normal.starts_with("https://")) return normal;
  const auto begin = separator + kSeparator.size();
  const auto path = std::min(normal.find_first_of("/?#", begin), normal.size());
  const auto end = std::min(normal.find_first_of("?#", path), normal.size());
  return normal.substr(0, begin) +
         meaning_of_authority(std::string_view(normal).substr(begin, path - begin)) +
         normal_path(std::string_view(normal).substr(path, end - path)) + normal.substr(end);
}

}  // namespace genclip
