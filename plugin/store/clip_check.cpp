// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/clip_check.h"

#include <algorithm>
#include <vector>

#include "plugin/base/number.h"

namespace genclip {

namespace {

// Its content is unknown, so it stays.
Error unread(Error error) {
  if (error.kind == ErrorKind::not_authorized) error.kind = ErrorKind::open_read;
  error.text += " If the problem persists, remove that file: genclip then fetches it again from its task.";
  return error;
}

}  // namespace

Result<CheckedClip> check_clip(FileSystem &files, const std::string &path, uint64_t size) {
  CheckedClip clip;
  const auto flawed = [&](const std::string &flaw) {
    clip.flaw = flaw;
    clip.file.reset();
    return clip;
  };
  const auto info = files.info(path);
  if (!info) return info.error();
  clip.exists = info->has_value();
  if (!*info) return flawed("it is missing");
  if (!(*info)->is_regular) return flawed("it is not a file");
  if ((*info)->size != size)
    return flawed("it has " + counted(std::to_string((*info)->size), "byte") + " instead of " +
                  std::to_string(size));
  auto file = files.open(path, FileSystem::Mode::read);
  if (!file) return unread(std::move(file).error());
  clip.file = std::move(file).value();
  std::vector<std::byte> head(static_cast<size_t>(std::min<uint64_t>(size, kContainerProbeSize)));
  const auto count = clip.file->read_at(0, head);
  if (!count) return unread(count.error());
  clip.container = probe_container(std::span(head).first(*count), path.substr(path.rfind('.') + 1));
  if (clip.container) return clip;
  // Without typefinders no file can be validated, so none is reported as damaged.
  if (auto knows = check_typefinding(); !knows) return std::move(knows).error();
  return flawed("it is neither a video nor an image");
}

}  // namespace genclip
