// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The as-run log: what a channel has shown, a JSON line for each piece.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/file_system.h"
#include "plugin/base/json.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"
#include "plugin/channel/schedule.h"

namespace genclip {

struct AsRunEntry {
  std::string run;      // Names the run: frames count from its start.
  Clock::WallTime utc;  // When the first frame was shown.
  Piece piece;
  // As shown; piece.frames is what was planned. Nothing: that is not known.
  std::optional<uint64_t> played_frames = 0;
  double credits = 0;  // That this run paid for what is shown here for the first time; 0: nothing.
};

// `run`, `utc`, `frame`, `id`, `turn`, `title`, `kind`, `for`, `reason`, `source`, `task_id`, `take`,
// `planned_at`, `duration_frames`, `played_frames`, `lufs`, `gain_db`, `gain_note`, `credits`. What does not
// apply is left out. Times: RFC 3339, UTC, milliseconds.
Json to_json(const AsRunEntry &entry);

// Appends whole lines and syncs them: all, or none. A torn last line of a run that was killed is ended first.
// Blocks for the disk.
Result<void> append_asrun(FileSystem &files, const std::string &path, const std::string &lines);

// The log with the lines that a disk which is full, or hangs, does not take. They wait, and go into it in
// their order. Borrows the file system. Any thread, and only write_waiting() waits for the disk.
class AsRunLog {
 public:
  // As many as a channel shows in some hours.
  static constexpr size_t kMostWaiting = 10000;

  AsRunLog(FileSystem &files, std::string path) : files_(files), path_(std::move(path)) {}

  // Goes into the log with the next write_waiting(). Beyond kMostWaiting, the oldest is lost.
  void add(const Json &line) EXCLUDES(mutex_);
  // The same, in front of those that wait.
  void add_first(const Json &line) EXCLUDES(mutex_);
  // Until none waits. An error: all that are not written wait. One thread at a time.
  Result<void> write_waiting() EXCLUDES(mutex_);
  // With those that are being written.
  size_t waiting() const EXCLUDES(mutex_);

 private:
  void put_first(std::vector<std::string> lines) REQUIRES(mutex_);

  FileSystem &files_;
  const std::string path_;
  mutable Mutex mutex_;
  std::vector<std::string> waiting_ GUARDED_BY(mutex_);  // Text is smaller than Json.
  size_t writing_ GUARDED_BY(mutex_) = 0;
};

// The line of a piece that was on the air when its channel was killed. `shown`: its line as it began.
Json killed_line(Json shown);
// Whether one of the log's last lines is of the same piece: the same `run` and `frame`. Blocks for the disk.
Result<bool> has_asrun_line(FileSystem &files, const std::string &path, const Json &line);

}  // namespace genclip
