// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Names and the digest that they are made of.
#include "plugin/store/clip_path.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/gref.h"

namespace genclip {
namespace {
constexpr std::string_view kClipStem = "clip.";
}

std::string store_root(const std::string &setting) {
  if (!setting.empty()) return setting;
  if (const char *variable = g_getenv("GENCLIP_STORE"); variable && *variable) return variable;
  return std::string(g_get_user_cache_dir()) + "/genclip";
}

std::string ClipIdentity::digest() const {
  std::string_view base = base_url;
  while (base.ends_with('/')) base.remove_suffix(1);
  const Json identity(Json::Object{{"base_url", base}, {"api", api}, {"request", request}, {"take", take}});
  const std::string text = identity.to_canonical_text();
  return GStringPtr(
             g_compute_checksum_for_string(G_CHECKSUM_SHA256, text.data(), static_cast<gssize>(text.size())))
      .get();
}

std::string ClipPath::clip_name(std::string_view extension) {
  return std::string(kClipStem) + std::string(extension);
}

bool ClipPath::is_clip_name(std::string_view name) {
  if (!name.starts_with(kClipStem)) return false;
  name.remove_prefix(kClipStem.size());
  return !name.empty() && name.size() <= 8 && name != "part" &&
         std::all_of(name.begin(), name.end(), [](char c) { return g_ascii_isalnum(c); });
}

}  // namespace genclip
