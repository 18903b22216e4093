// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Follows a clip that another process works on: the state in its journal, and clip.part as it grows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "plugin/base/file_system.h"
#include "plugin/base/result.h"
#include "plugin/store/clip_folder.h"

namespace genclip {

class Generation;

// Only reads, and never waits, so it works on any shared file system. One thread. Borrows both, which must
// outlive it.
class ClipFollower {
 public:
  ClipFollower(Generation &generation, const ClipFolder &folder) : generation_(generation), folder_(folder) {}

  // The journal as it is now.
  std::optional<ClipRecord> look();
  // Whether the journal has changed to this record since the first look.
  bool has_seen_become(const ClipRecord &record) const;

  // Shows the result of a look while another process holds the lock. Fails when the download began anew after
  // a reader had bytes of the clip.
  Result<void> show(const ClipRecord &record);

  // Call it once this process has the lock. Returns how many bytes of that record's clip.part were shown to
  // readers, and so must not change. Fails like show().
  Result<uint64_t> hand_over(const ClipRecord &record);

 private:
  // Identifies the content of clip.part: its task, and how often its download began anew.
  using Source = std::pair<std::string, uint64_t>;

  static Source source_of(const ClipRecord &record) { return {record.task_id, record.part.restarts}; }
  Result<void> drop_other_than(const Source &source);
  Result<void> show_part(const ClipRecord &record);

  Generation &generation_;
  const ClipFolder &folder_;
  bool looked_ = false;
  std::optional<ClipRecord> first_look_;
  std::string last_shown_;
  Source source_;
  std::shared_ptr<File> part_;
  uint64_t total_ = 0;
  uint64_t shown_ = 0;
};

}  // namespace genclip
