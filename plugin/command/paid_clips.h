// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The clips that a store's ledger had paid for when somebody asked first. A clip may leave the store: to make
// room, or by a command.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "plugin/base/clock.h"
#include "plugin/base/file_system.h"

namespace genclip {

// One thread at a time. Borrows both.
class PaidClips {
 public:
  PaidClips(FileSystem &files, Clock &clock, std::string store)
      : files_(files), clock_(clock), store_(std::move(store)) {}

  // False also where the ledger cannot be read. The first call reads all of it, and blocks for the disk.
  bool contains(const std::string &key);

 private:
  FileSystem &files_;
  Clock &clock_;
  const std::string store_;
  std::optional<std::unordered_set<std::string>> keys_;
};

}  // namespace genclip
