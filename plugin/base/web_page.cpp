// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/web_page.h"

#include <gio/gio.h>

#include "plugin/base/gref.h"

namespace genclip {

std::string resource_text(const std::string &path) {
  const auto bytes =
      GRef<GBytes>::adopt(g_resources_lookup_data(path.c_str(), G_RESOURCE_LOOKUP_FLAGS_NONE, nullptr));
  gsize size = 0;
  const auto *data = bytes ? static_cast<const char *>(g_bytes_get_data(bytes.get(), &size)) : "";
  return {data, size};
}

std::string policy_hash(const std::string &text) {
  guint8 digest[32];
  gsize size = sizeof digest;
  GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
  g_checksum_update(sum, reinterpret_cast<const guchar *>(text.data()), static_cast<gssize>(text.size()));
  g_checksum_get_digest(sum, digest, &size);
  g_checksum_free(sum);
  return std::string("'sha256-") + GStringPtr(g_base64_encode(digest, size)).get() + "'";
}

}  // namespace genclip
