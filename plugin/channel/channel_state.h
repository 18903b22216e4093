// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The state file: where a channel goes on when its process has been killed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "plugin/base/file_system.h"
#include "plugin/base/json.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"
#include "plugin/channel/schedule.h"

namespace genclip {

struct ChannelState {
  std::string run;     // Of the run that wrote it.
  uint64_t frame = 0;  // At which the piece on the air began.
  std::string on_air;  // ID of the item that was on the air; empty: a fallback.
  Place place;         // Behind it: without `earlier` and `waiting_since`.
  // The as-run line of what is on the air, as far as it is known when it begins. Null: there is none to write
  // any more, or a version wrote the file that did not have this.
  Json shown;
};

Json to_json(const ChannelState &state);
Result<ChannelState> channel_state(const Json &json);

// Borrows the file system.
class ChannelStateFile {
 public:
  ChannelStateFile(FileSystem &files, std::string path) : files_(files), path_(std::move(path)) {}

  // What write() writes next, unless one of a higher number came before. Any thread, without a wait.
  void set(ChannelState state, uint64_t number) EXCLUDES(mutex_);
  // Writes the newest one that was set, and those that are set meanwhile; they are durable on return. Returns
  // the result of the last write, also if there is nothing to write. Once another run has written into the
  // file after this one, it never writes again, because two channels would take each other's place;
  // ErrorKind::busy tells that, once. One thread at a time; blocks for the disk.
  Result<void> write() EXCLUDES(mutex_);

 private:
  std::optional<ChannelState> take() EXCLUDES(mutex_);

  FileSystem &files_;
  const std::string path_;
  // Of write().
  Result<void> last_;
  bool is_ours_ = false;  // This run has written it.
  bool is_lost_ = false;

  Mutex mutex_;
  uint64_t newest_ GUARDED_BY(mutex_) = 0;
  std::optional<ChannelState> to_write_ GUARDED_BY(mutex_);
};

// Durable on return. Both block for the disk.
Result<void> write_channel_state(FileSystem &files, const std::string &path, const ChannelState &state);
// Nothing: there is no such file. An error: it cannot be read or understood; the caller says so and begins at
// the first item.
Result<std::optional<ChannelState>> read_channel_state(FileSystem &files, const std::string &path);

}  // namespace genclip
