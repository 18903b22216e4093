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

  // These six need no lock of the writer and never wait. look() returns the journal; its error says why it
  // cannot be read.
  Result<ClipRecord> look() const;
  // Whether a journal is that of this folder's request. One that was copied here is another's.
  bool is_own(const ClipRecord &record) const;
  // Keeps the clip from being removed while it is read, and notes the time of use. Nothing: it is being
  // removed.
  Result<std::optional<StoreLock>> lock_use();
  // clip.part as it is; nothing when there is none.
  Result<std::shared_ptr<File>> look_at_part() const;
  // The whole clip of a complete record, open for reading. Nothing when the file does not match the record.
  Result<std::shared_ptr<File>> look_at_clip(const ClipRecord &record) const;
  // Whether the file of a clip lies there, with or without a record. A removal takes all of the folder.
  bool holds_clip() const;

  // Makes the folder and its lock when they are missing, and sets aside what stands in their place. Nothing:
  // another process holds the lock.
  Result<std::optional<StoreLock>> lock_writer(const OnDamage &on_damage);
  // All functions below need that lock. If it was lost and another process has written since, those that
  // change the folder fail with ErrorKind::busy. Sets aside whatever has one of genclip's names and is no
  // regular file. Call it first.
  Result<void> set_strangers_aside(const OnDamage &on_damage);
  // Nothing when there is none. Sets a damaged one aside and reports it to `on_damage`; then returns a
  // submitted record of the task that it named, or nothing.
  Result<std::optional<ClipRecord>> read_record(const OnDamage &on_damage);
  // Just before a submit is reserved in the ledger, `reserved_at` as there. Until a journal is written,
  // unsent() tells that nothing was sent for it, even if this process dies. If it fails, that will be
  // unknown.
  void announce_intent(const std::string &reserved_at);
  // The reservation for which no request has left; empty: none is known. Without a journal, nothing else
  // proves that: an earlier one may be lost, with any of the folder's other files.
  std::string unsent() const;
  // Durable on return.
  Result<void> write_record(const ClipRecord &record);
  // Whether the record of an intent will have room, with that many bytes that it does not have yet. Needs no
  // lock.
  Result<void> check_intent(const ClipRecord &record, size_t more_bytes = 0) const;
  // Writes the record of an intent to submit. It also reserves space for the next record, with the task's ID,
  // so that this can be written even if the disk is full by then.
  Result<void> write_intent(const ClipRecord &record);
  // Like look_at_clip. Sets aside a file that does not match the record, and reports it to `on_damage`.
  Result<std::shared_ptr<File>> open_clip(const ClipRecord &record, const OnDamage &on_damage);

  // clip.part, made when missing.
  Result<std::shared_ptr<File>> open_part();
  // Makes clip.part the whole clip, named and sized as the record says: synced, announced in the record,
  // renamed, and the record written as complete.
  Result<void> commit(File &part, ClipRecord &record);
  // Completes a commit that a crash interrupted; otherwise leaves the record as it is.
  Result<void> finish_commit(ClipRecord &record);
  // Removes clip.part. Readers that have it open still read its content.
  Result<void> discard_part();

 private:
  Result<void> make_folder(const OnDamage &on_damage);
  Result<void> make_complete(ClipRecord &record);
  Result<std::string> read_text() const;
  Result<void> check_that_nobody_else_writes();
  bool has(const std::string &path) const;

  FileSystem &files_;
  ClipPath path_;
  bool reserved_ = false;
  bool may_be_unsent_ = true;  // The file may be there.
  // The journal as this object last read or wrote it (empty: there was none), and as it last tried to write
  // it.
  std::optional<std::string> last_text_;
  std::optional<ClipState> last_state_;  // That it wrote, for the log.
  std::string next_text_;
};

}  // namespace genclip
