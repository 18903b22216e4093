// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/http/public_address.h"

#include <gio/gio.h>

#include <algorithm>
#include <string_view>

#include "plugin/base/gref.h"
#include "plugin/http/http_url.h"

namespace genclip {
namespace {

// Ranges that are no part of the public network, beside those that GInetAddress knows.
constexpr const char *kPrivateRanges[] = {
    "0.0.0.0/8",                                                   // this network
    "100.64.0.0/10",                                               // behind a provider's address translation
    "192.0.0.0/24",   "198.18.0.0/15", "240.0.0.0/4", "fc00::/7",  // unique local addresses
    "64:ff9b:1::/48",
};
constexpr std::string_view kPrivateDomains[] = {"localhost", "local", "internal", "home.arpa"};

bool is_in(GInetAddress *address, const char *range) {
  const auto mask = GRef<GInetAddressMask>::adopt(g_inet_address_mask_new_from_string(range, nullptr));
  return mask && g_inet_address_mask_matches(mask.get(), address);
}

// ::ffff:10.0.0.7 is 10.0.0.7.
GRef<GInetAddress> without_mapping(GRef<GInetAddress> address) {
  if (!is_in(address.get(), "::ffff:0:0/96")) return address;
  const guint8 *bytes = g_inet_address_to_bytes(address.get());
  return GRef<GInetAddress>::adopt(g_inet_address_new_from_bytes(bytes + 12, G_SOCKET_FAMILY_IPV4));
}

bool is_public(GInetAddress *address) {
  return !g_inet_address_get_is_any(address) && !g_inet_address_get_is_loopback(address) &&
         !g_inet_address_get_is_link_local(address) && !g_inet_address_get_is_site_local(address) &&
         !g_inet_address_get_is_multicast(address) &&
         std::none_of(std::begin(kPrivateRanges), std::end(kPrivateRanges),
                      [&](const char *range) { return is_in(address, range); });
}

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
  auto address = GRef<GInetAddress>::adopt(g_inet_address_new_from_string(text.c_str()));
  if (!address) return is_public_name(name);
  return is_public(without_mapping(std::move(address)).get());
}

}  // namespace genclip
