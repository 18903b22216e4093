// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One request's folder in the store: its journal, the growing clip and the whole one.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "plugin/base/file_system.h"
#include "plugin/base/result.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/clip_record.h"
#include "plugin/store/set_aside.h"
#include "plugin/store/store_lock.h"

namespace genclip {

// Writing needs lock_writer(). Not thread-safe; each user has its own. Borrows `files`, which must outlive
// it.
class ClipFolder {
 public:
  ClipFolder(FileSystem &files, ClipPath path) : files_(files), path_(std::move(path)) {}

  const ClipPath &path() const { return path_; }

  // For anybody, at any time; never waits, changes nothing.
  // Why there is none that can be read is the error.
  Result<ClipRecord> look() const;
  // Keeps the clip from being removed while it is read, and notes when that was. Nothing: it is being
  // removed.
  Result<std::optional<StoreLock>> lock_use();
  // clip.part as it is; nothing when there is none.
  Result<std::shared_ptr<File>> look_at_part() const;
  // The whole clip of a complete record, open for reading. Nothing when it is not what the record says.
  Result<std::shared_ptr<File>> look_at_clip(const ClipRecord &record) const;

  // Makes the folder and its lock when they are missing; what is in their place is set aside. Nothing:
  // somebody else writes.
  Result<std::optional<StoreLock>> lock_writer(const OnDamage &on_damage);

  // All that follows needs that lock. Where it was lost, and another one has written since, what changes the
  // folder is ErrorKind::busy.
  // Sets aside what bears a name of ours and is no file. First of all.
  Result<void> set_strangers_aside(const OnDamage &on_damage);
  // Nothing when there is none. A damaged one is set aside and told to `on_damage`; then what comes back is a
  // submitted record of the task it named, or nothing.
  Result<std::optional<ClipRecord>> read_record(const OnDamage &on_damage);
  // Durable on return.
  Result<void> write_record(const ClipRecord &record);
  // The record of an intent to submit. With it, space for the next record is taken, an ID and all: that one
  // finds its place even if the disk is full by then.
  Result<void> write_intent(const ClipRecord &record);
  // As look_at_clip; what is not as the record says is set aside and told to `on_damage`.
  Result<std::shared_ptr<File>> open_clip(const ClipRecord &record, const OnDamage &on_damage);

  // clip.part, made when missing.
  Result<std::shared_ptr<File>> open_part();
  // Makes clip.part the whole clip, named and sized as the record says: synced, announced in the record,
  // renamed, and the record written as complete.
  Result<void> commit(File &part, ClipRecord &record);
  // Ends a commit that a crash cut short; else leaves the record as it is.
  Result<void> finish_commit(ClipRecord &record);
  // Removes clip.part. Who has it open still reads what was in it.
  Result<void> discard_part();

 private:
  Result<void> make_folder(const OnDamage &on_damage);
  Result<void> make_complete(ClipRecord &record);
  Result<std::string> read_text() const;
  Result<void> check_that_nobody_else_writes();

  FileSystem &files_;
  ClipPath path_;
  bool reserved_ = false;
  // The journal as this one last read or wrote it (empty: there was none), and as it last tried to write it.
  std::optional<std::string> last_text_;
  std::string next_text_;
};

}  // namespace genclip
