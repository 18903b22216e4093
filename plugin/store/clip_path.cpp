// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/clip_path.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/base_url.h"
#include "plugin/base/gref.h"
#include "plugin/base/local_file.h"

namespace genclip {
namespace {

constexpr std::string_view kClipStem = "clip.";
constexpr std::string_view kRemoved = ".removed";
constexpr std::string_view kAside = ".damaged-";
constexpr std::string_view kOwnNames[] = {
    "task.json", "task.json.tmp", "task.json.spare", "unsent",   "clip.part",         "lock",
    "use",       "pin",           "thumbnail.jpg",   "clip.xmp", "thumbnail.jpg.tmp", "clip.xmp.tmp"};
constexpr size_t kDigestLength = 64;
constexpr std::string_view kCaption = ".json";
constexpr std::string_view kTemporary = ".tmp";

std::string digest_at(const ClipIdentity &clip, const std::string &base_url) {
  const Json identity(Json::Object{
      {"base_url", base_url}, {"api", clip.api}, {"request", clip.request}, {"take", clip.take}});
  const std::string text = identity.to_canonical_text();
  return GStringPtr(
             g_compute_checksum_for_string(G_CHECKSUM_SHA256, text.data(), static_cast<gssize>(text.size())))
      .get();
}

}  // namespace

std::string store_root(const std::string &setting) {
  if (!setting.empty()) return absolute_path(setting);
  if (const char *variable = g_getenv("GENCLIP_STORE"); variable && *variable) return absolute_path(variable);
  return absolute_path(std::string(g_get_user_cache_dir()) + "/genclip");
}

std::string store_lock_path(const std::string &root) { return root + "/lock"; }

std::string store_summary_path(const std::string &root) { return root + "/clips.summary"; }

std::string store_summary_lock_path(const std::string &root) { return root + "/clips.lock"; }

std::string publish_secret_path(const std::string &root) { return root + "/publish-secret"; }

std::string captions_folder(const std::string &root) { return root + "/captions"; }

std::string caption_path(const std::string &root, std::string_view key) {
  return captions_folder(root) + "/" + std::string(key) + std::string(kCaption);
}

std::string caption_temporary(const std::string &root, std::string_view key) {
  const GStringPtr unique(g_uuid_string_random());
  return caption_path(root, key) + "." + unique.get() + std::string(kTemporary);
}

std::string caption_lock_path(const std::string &root, std::string_view key) {
  return caption_path(root, key) + ".asked" + std::string(kTemporary);
}

std::optional<std::string> caption_key_of(std::string_view name) {
  if (!name.ends_with(kCaption)) return std::nullopt;
  name.remove_suffix(kCaption.size());
  if (!ClipPath::is_digest(name)) return std::nullopt;
  return std::string(name);
}

bool is_caption_temporary(std::string_view name) {
  return name.ends_with(kTemporary) && name.size() > kDigestLength + kCaption.size() + kTemporary.size() &&
         caption_key_of(name.substr(0, kDigestLength + kCaption.size()));
}

std::string ClipIdentity::digest() const { return digest_at(*this, older_base_url(base_url)); }

bool ClipIdentity::is_name(std::string_view name) const {
  return name == digest() || name == digest_at(*this, base_url);
}

std::string ClipPath::clip_name(std::string_view extension) {
  return std::string(kClipStem) + std::string(extension);
}

bool ClipPath::is_clip_name(std::string_view name) {
  if (!name.starts_with(kClipStem)) return false;
  name.remove_prefix(kClipStem.size());
  return !name.empty() && name.size() <= 8 && name != "part" && name != "xmp" &&
         std::all_of(name.begin(), name.end(), [](char c) { return g_ascii_isalnum(c); });
}

bool ClipPath::is_own_name(std::string_view name) {
  return is_clip_name(name) ||
         std::find(std::begin(kOwnNames), std::end(kOwnNames), name) != std::end(kOwnNames);
}

bool ClipPath::is_digest(std::string_view name) {
  return name.size() == kDigestLength && std::all_of(name.begin(), name.end(), [](char c) {
           return g_ascii_isdigit(c) || (c >= 'a' && c <= 'f');
         });
}

std::string ClipPath::aside(const std::string &path, int number) {
  return path + std::string(kAside) + std::to_string(number);
}

bool ClipPath::is_aside_name(std::string_view name) {
  const size_t at = name.rfind(kAside);
  if (at == name.npos || !is_own_name(name.substr(0, at))) return false;
  const std::string_view number = name.substr(at + kAside.size());
  return !number.empty() &&
         std::all_of(number.begin(), number.end(), [](char c) { return g_ascii_isdigit(c); });
}

bool ClipPath::is_removed(std::string_view name) {
  return name.ends_with(kRemoved) && is_digest(name.substr(0, name.size() - kRemoved.size()));
}

}  // namespace genclip
