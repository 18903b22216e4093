// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Vets files, and remembers which of them were fit: a file that has not changed is not decoded again when its
// item comes round.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "plugin/base/file_system.h"
#include "plugin/channel/vetter.h"

namespace genclip {

// Nothing: it is not there. The content is taken to be the same if size and time are.
bool is_same_file(const std::optional<FileInfo> &one, const std::optional<FileInfo> &other);

// One thread at a time, but for file_of(). Borrows the files, which must outlive it.
class VettingMemory {
 public:
  VettingMemory(std::shared_ptr<Vetter> vetter, FileSystem &files)
      : vetter_(std::move(vetter)), files_(files) {}

  // Blocks, as the vetter does.
  Result<VettedMedia> vet(const VettingRequest &request, GCancellable *cancellable);
  // Nothing: it is not a file of this machine, or cannot be looked at. Any thread; reads the disk.
  std::optional<FileInfo> file_of(const std::string &uri) const;

 private:
  struct Known {
    std::string request;
    FileInfo file;
    VettedMedia media;
  };

  void remember(std::string request, const FileInfo &file, const VettedMedia &media);

  const std::shared_ptr<Vetter> vetter_;
  FileSystem &files_;
  std::list<Known> known_;  // The latest last.
  std::unordered_map<std::string, std::list<Known>::iterator> by_request_;
};

}  // namespace genclip
