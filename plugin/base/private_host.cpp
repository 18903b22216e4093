// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/private_host.h"

#include <gio/gio.h>

#include <algorithm>
#include <string_view>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

// Ranges that are no part of the public network, beside those that GInetAddress knows.
constexpr const char *kPrivateRanges[] = {
    "0.0.0.0/8",       // this network
    "100.64.0.0/10",   // behind a provider's address translation
    "192.0.0.0/24",    // assigned to protocols
    "198.18.0.0/15",   // benchmarks
    "240.0.0.0/4",     // reserved
    "fc00::/7",        // unique local addresses
    "64:ff9b:1::/48",  // translation within a network
};

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

}  // namespace

std::optional<bool> is_public_literal(const std::string &host) {
  auto address = GRef<GInetAddress>::adopt(g_inet_address_new_from_string(host.c_str()));
  if (!address) return std::nullopt;
  return is_public(without_mapping(std::move(address)).get());
}

bool is_private_host(const std::string &host) {
  const GStringPtr lower(g_ascii_strdown(host.c_str(), -1));
  std::string name = lower.get();
  if (name.ends_with('.')) name.pop_back();
  if (const auto is_public = is_public_literal(name)) return !*is_public;
  return name == "localhost" || name.ends_with(".localhost");
}

}  // namespace genclip
