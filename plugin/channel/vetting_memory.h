// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Vets files, and remembers which of them were fit: a file that has not changed is not decoded again when its
// item comes round. A file whose server does not answer holds up nothing but itself.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "plugin/base/file_system.h"
#include "plugin/base/mutex.h"
#include "plugin/channel/vetter.h"

namespace genclip {

// Nothing: it is not there. The content is taken to be the same if size and time are, unless another file has
// taken its place. That has another inode, and was changed at another time; a mode or a link that is changed,
// as backups do, and the inodes of a mounted bucket alone say nothing.
bool is_same_file(const std::optional<FileInfo> &one, const std::optional<FileInfo> &other);

struct VettedFile {
  std::optional<FileInfo> file;  // As it was before.
  Result<VettedMedia> media;
};

// Thread-safe. Borrows the files, which must outlive it and all that hangs.
class VettingMemory : public std::enable_shared_from_this<VettingMemory> {
 public:
  // `opening`: so long a local file may take to give its first byte. Other items wait behind it.
  VettingMemory(std::shared_ptr<Vetter> vetter, FileSystem &files,
                std::chrono::milliseconds opening = std::chrono::seconds(5))
      : vetter_(std::move(vetter)), files_(files), opening_(opening) {}

  // Blocks, as the vetter does, but for a file that cannot be opened no longer than `opening`, and never for
  // longer than the patience and two seconds: what hangs then is left to its thread, and until its end no
  // other file of its folder is opened.
  VettedFile vet(const VettingRequest &request, GCancellable *cancellable) EXCLUDES(mutex_);
  // Behind links. Nothing: it is not a file of this machine, or cannot be looked at. Any thread; reads the
  // disk.
  std::optional<FileInfo> file_of(const std::string &uri) const;

 private:
  struct Known {
    std::string request;
    FileInfo file;
    VettedMedia media;
  };

  struct Look;

  VettedFile vet_now(const VettingRequest &request, GCancellable *cancellable) EXCLUDES(mutex_);
  void look(const VettingRequest &request, GCancellable *cancellable, Look &look) EXCLUDES(mutex_);
  void open(const std::string &uri) const;
  bool hangs_in(const std::string &folder) const EXCLUDES(mutex_);
  std::optional<VettedMedia> recall(const std::string &request, const FileInfo &file) const EXCLUDES(mutex_);
  void remember(std::string request, const FileInfo &file, const VettedMedia &media) EXCLUDES(mutex_);

  const std::shared_ptr<Vetter> vetter_;
  FileSystem &files_;
  const std::chrono::milliseconds opening_;
  mutable Mutex mutex_;
  std::multiset<std::string> hung_ GUARDED_BY(mutex_);  // Folders, once for each file that hangs.
  std::list<Known> known_ GUARDED_BY(mutex_);           // The latest last.
  std::unordered_map<std::string, std::list<Known>::iterator> by_request_ GUARDED_BY(mutex_);
};

}  // namespace genclip
