// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One request's folder in the store: its journal, the growing clip and the whole one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "plugin/base/file_system.h"
#include "plugin/base/result.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/clip_record.h"

namespace genclip {

// Writing needs the folder's StoreLock. Not thread-safe; each user opens its own.
class ClipFolder {
 public:
  // Makes the folder. Borrows `files`, which must outlive this.
  static Result<ClipFolder> open(FileSystem &files, ClipPath path);

  const ClipPath &path() const { return path_; }

  // Nothing when there is none. A damaged one is set aside and told to `on_damage`, and counts as none.
  using OnDamage = std::function<void(const std::string &what)>;
  Result<std::optional<ClipRecord>> read_record(const OnDamage &on_damage);
  // Durable on return.
  Result<void> write_record(const ClipRecord &record);

  // The whole clip of a complete record, open for reading. Nothing when the file is missing or has another
  // size: then it is set aside and told to `on_damage`.
  Result<std::shared_ptr<File>> open_clip(const ClipRecord &record, const OnDamage &on_damage);

  // clip.part, made when missing.
  Result<std::shared_ptr<File>> open_part();
  // Makes clip.part the whole clip, named and sized as the record says: synced, announced in the record,
  // renamed, and the record written as complete.
  Result<void> commit(File &part, ClipRecord &record);
  // Ends a commit that a crash cut short; else leaves the record as it is.
  Result<void> finish_commit(ClipRecord &record);
  // Removes clip.part.
  Result<void> discard_part();

 private:
  ClipFolder(FileSystem &files, ClipPath path) : files_(files), path_(std::move(path)) {}

  Result<void> set_aside(const std::string &name, const std::string &why, const OnDamage &on_damage);

  FileSystem &files_;
  ClipPath path_;
};

}  // namespace genclip
