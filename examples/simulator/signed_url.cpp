// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An address holds its expiry in milliseconds, a number that makes it unique, and an HMAC over both and the
// path.
#include "examples/simulator/signed_url.h"

#include <libsoup/soup.h>

#include <memory>

#include "plugin/base/gref.h"

namespace genclip::sim {
namespace {

int64_t milliseconds(Clock::WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace

std::string UrlSigner::signature(const std::string &path, const std::string &expires,
                                 const std::string &number) const {
  const std::string text = path + "\n" + expires + "\n" + number;
  return GStringPtr(g_compute_hmac_for_string(G_CHECKSUM_SHA256,
                                              reinterpret_cast<const guchar *>(secret_.data()),
                                              secret_.size(), text.data(), static_cast<gssize>(text.size())))
      .get();
}

std::string UrlSigner::sign(const std::string &path, Clock::WallTime expires) {
  const std::string until = std::to_string(milliseconds(expires)), number = std::to_string(++number_);
  return path + "?expires=" + until + "&n=" + number + "&signature=" + signature(path, until, number);
}

bool UrlSigner::is_good(const std::string &path, const char *query, Clock::WallTime now) const {
  if (!query) return false;
  const std::unique_ptr<GHashTable, decltype(&g_hash_table_unref)> form(soup_form_decode(query),
                                                                        g_hash_table_unref);
  const auto value = [&](const char *name) {
    const auto *text = static_cast<const char *>(g_hash_table_lookup(form.get(), name));
    return std::string(text ? text : "");
  };
  const std::string expires = value("expires");
  if (value("signature") != signature(path, expires, value("n"))) return false;
  return g_ascii_strtoll(expires.c_str(), nullptr, 10) > milliseconds(now);
}

}  // namespace genclip::sim
