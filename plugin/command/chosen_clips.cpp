// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/chosen_clips.h"

namespace genclip {

Result<std::vector<StoredClip>> chosen_clips(const std::string &root, const Words &keys) {
  if (keys.empty()) return list_store(FileSystem::posix(), root);
  std::vector<StoredClip> clips;
  for (const std::string &key : keys) {
    auto clip = find_stored(FileSystem::posix(), root, key);
    if (!clip) return std::move(clip).error();
    clips.push_back(std::move(*clip));
  }
  return clips;
}

Json keys_of(const std::vector<StoredClip> &clips) {
  Json::Array keys;
  for (const StoredClip &clip : clips) keys.emplace_back(clip.digest);
  return keys;
}

}  // namespace genclip
