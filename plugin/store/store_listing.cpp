// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/store_listing.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/media_end.h"
#include "plugin/store/clip_check.h"
#include "plugin/store/clip_content.h"
#include "plugin/store/clip_folder.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/clip_pin.h"

namespace genclip {
namespace {

constexpr size_t kShortestKey = 8;

int64_t unix_seconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

// Of several folders with a task: that of its request, else that of its first result. All stay where that
// means several.
void keep_meant(std::vector<StoredClip> &clips) {
  const auto rank = [](const StoredClip &clip) {
    return clip.record && is_attached(*clip.record) ? result_of(*clip.record) : 0;
  };
  std::ranges::stable_sort(clips, {}, rank);
  if (clips.size() > 1 && rank(clips[0]) < rank(clips[1])) clips.erase(clips.begin() + 1, clips.end());
}

std::string keys_text(const std::vector<StoredClip> &clips) {
  std::string text;
  for (const StoredClip &clip : clips)
    text += (text.empty() ? "" : ", ") + clip.digest.substr(0, kShortestKey);
  return text;
}

}  // namespace

Result<std::vector<std::string>> names_in_store(FileSystem &files, const std::string &root) {
  const auto there = files.info(root);
  if (!there) return there.error();
  if (!*there) return std::vector<std::string>();
  auto names = files.list(root);
  if (!names) return names;
  if (const auto inside = files.info(root + "/."); !inside) return inside.error();
  return names;
}

std::optional<StoredClip> stored_in(FileSystem &files, const std::string &root, const std::string &digest) {
  const ClipPath path(root, digest);
  StoredClip clip;
  clip.digest = digest;
  clip.folder = path.folder();
  auto record = ClipFolder(files, path).look();
  if (record) {
    clip.record = std::move(record).value();
  } else {
    const ErrorKind kind = record.error().kind;
    clip.problem = record.error().text;
    clip.is_damaged = kind != ErrorKind::open_read && kind != ErrorKind::not_authorized;
  }
  const auto content = content_of(files, path.folder(), clip.record ? &*clip.record : nullptr);
  if (content && !content->holds_clip) return std::nullopt;
  if (content) clip.size = content->size;
  if (const ClipRecord *whole = clip.whole())
    if (const auto there = files.info(path.file(whole->clip_name)); there && *there)
      clip.clip_path = path.file(whole->clip_name);
  if (const auto use = files.info(path.use()); use && *use) clip.last_used = unix_seconds((*use)->modified);
  if (clip.record) clip.last_used = std::max(clip.last_used, clip.record->updated_at);
  const auto pinned = is_pinned(files, path);
  clip.pinned = !pinned || *pinned;
  if (clip.record && content && !content->is_growing && pinned) clip.settled_at = content->changed;
  return clip;
}

std::string StoredClip::prompt() const {
  const Json *prompt = record ? record->identity.request.find("prompt") : nullptr;
  return prompt && prompt->string() ? *prompt->string() : "";
}

const ClipRecord *StoredClip::whole() const {
  if (!record) return nullptr;
  if (is_complete()) return &*record;
  return record->clip_name.empty() ? record->replaced.get() : nullptr;
}

bool StoredClip::is_of_task(std::string_view id) const {
  const ClipRecord *clip = whole();
  return !id.empty() && record && (record->task_id == id || (clip && clip->task_id == id));
}

Result<std::vector<StoredClip>> list_store(FileSystem &files, const std::string &root) {
  std::vector<StoredClip> clips;
  const auto names = names_in_store(files, root);
  if (!names) return names.error();
  for (const std::string &name : *names) {
    if (!ClipPath::is_digest(name)) continue;
    const auto info = files.info(root + "/" + name);
    if (!info || !*info || !(*info)->is_folder) continue;
    if (auto clip = stored_in(files, root, name)) clips.push_back(std::move(*clip));
  }
  std::stable_sort(clips.begin(), clips.end(),
                   [](const StoredClip &a, const StoredClip &b) { return a.last_used < b.last_used; });
  return clips;
}

Result<StoredClip> find_stored(FileSystem &files, const std::string &root, std::string_view key) {
  auto clips = list_store(files, root);
  if (!clips) return std::move(clips).error();
  // A service may choose IDs that look like the beginning of a key, so a whole name wins.
  std::vector<StoredClip> found, begin_so;
  for (StoredClip &clip : *clips) {
    if (!key.empty() && (clip.digest == key || clip.is_of_task(key)))
      found.push_back(std::move(clip));
    else if (key.size() >= kShortestKey && clip.digest.starts_with(key))
      begin_so.push_back(std::move(clip));
  }
  const bool is_name = !found.empty();
  if (is_name) keep_meant(found);
  if (found.empty()) found = std::move(begin_so);
  if (found.empty()) {
    const bool is_short_key = !key.empty() && key.size() < kShortestKey &&
                              std::ranges::all_of(key, [](char c) { return g_ascii_isxdigit(c); });
    return Error{ErrorKind::not_found,
                 "The store " + root + " contains nothing named " + std::string(key) + "." +
                     (is_short_key ? " A key is named by its first 8 digits at least." : "")};
  }
  if (found.size() > 1)
    return Error{ErrorKind::settings, "The store " + root + " holds " + std::to_string(found.size()) +
                                          " clips named " + std::string(key) +
                                          (is_name ? ": " + keys_text(found) + ". Name one by its key."
                                                   : ". Give more characters of the name.")};
  return std::move(found.front());
}

Result<void> verify_clip(FileSystem &files, const StoredClip &clip) {
  if (!clip.record) return Error{ErrorKind::read, clip.folder + ": " + clip.problem};
  const ClipRecord *whole = clip.whole();
  if (!whole)
    return Error{ErrorKind::not_found, clip.folder + " contains no whole clip yet.", "",
                 clip.record->task_id};
  const std::string path = clip.folder + "/" + whole->clip_name;
  auto checked = check_clip(files, path, whole->clip_size);
  if (!checked) return std::move(checked).error();
  if (checked->flaw.empty()) {
    const auto end = clip_end_of(*checked->file, checked->container->media_type);
    if (!end) return end.error();
    if (*end == MediaEnd::cut) checked->flaw = "it ends in the middle of its data";
  }
  if (checked->flaw.empty()) return {};
  return Error{ErrorKind::read, path + " is damaged: " + checked->flaw + ".", "", whole->task_id};
}

Result<void> verify_latest(FileSystem &files, const std::string &root, StoredClip &clip) {
  auto verified = verify_clip(files, clip);
  if (verified) return verified;
  auto latest = stored_in(files, root, clip.digest);
  if (!latest) return verified;
  clip = std::move(*latest);
  return verify_clip(files, clip);
}

}  // namespace genclip
