// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Goes by names and opens nothing.
#include "plugin/store/clip_content.h"

#include <algorithm>

#include "plugin/store/clip_path.h"
#include "plugin/store/media_container.h"

namespace genclip {
namespace {

// The files that may be there without a journal or a clip.
constexpr std::string_view kBeforeTheJournal[] = {
    "lock",          "use",         "pin",           "task.json.spare",
    "task.json.tmp", "unsent",      "thumbnail.jpg", "thumbnail.jpg.tmp",
    "clip.xmp",      "clip.xmp.tmp"};

// A "clip.srt" belongs to the user. A clip that a newer version of genclip stored is recognised by its
// record.
bool is_ours(std::string_view name, const ClipRecord *record) {
  if (ClipPath::is_aside_name(name)) return true;
  if (!ClipPath::is_clip_name(name)) return ClipPath::is_own_name(name);
  return (record && name == record->clip_name) || is_media_extension(name.substr(name.rfind('.') + 1));
}

}  // namespace

Result<ClipContent> content_of(FileSystem &files, const std::string &folder, const ClipRecord *record) {
  const auto names = files.list(folder);
  if (!names) return names.error();
  ClipContent content;
  for (const std::string &name : *names) {
    const auto info = files.info(folder + "/" + name);
    if (!info) return info.error();
    if (!*info) continue;
    const bool is_ours_by_name = is_ours(name, record);
    const auto *end = std::end(kBeforeTheJournal);
    if (is_ours_by_name && std::find(std::begin(kBeforeTheJournal), end, name) == end)
      content.holds_clip = true;
    if (!is_ours_by_name || (*info)->is_folder) {
      content.has_foreign = true;
      continue;
    }
    content.own.push_back(name);
    if ((*info)->is_regular) content.size += (*info)->size;
    content.is_growing |= name == "clip.part" || name.ends_with(".tmp") || name.ends_with(".spare");
    if (name != "use") content.changed = std::max(content.changed, (*info)->modified);
  }
  return content;
}

}  // namespace genclip
