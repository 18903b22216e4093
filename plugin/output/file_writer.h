// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What names, lists and removes the files of an output that writes many: HLS segments, recordings.
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "plugin/base/result.h"

namespace genclip {

// Called on the threads of the output's pipeline, which may wait for the disk; one call at a time, except
// that a pipeline which hangs may call in while its successor does.
class FileWriter {
 public:
  using WallTime = std::chrono::system_clock::time_point;

  // A file that is complete.
  struct Written {
    std::string path = {};
    WallTime begun = {};  // When its first frame was shown.
    // Of its first frame: on the time line of the muxer, and in running time of the channel.
    std::chrono::nanoseconds muxed_begin{}, channel_begin{};
    std::chrono::nanoseconds length{};
  };

  virtual ~FileWriter() = default;

  // Before a new pipeline: makes the folder and looks at what is there.
  virtual Result<void> begin() = 0;
  // A new file; `begun`: when its first frame was shown; `picture`: its caps, null if unknown. The path to
  // write to.
  virtual std::string open(WallTime begun, const GstCaps *picture) = 0;
  // How long this file may last from then on; nothing: until files are cut for another reason.
  virtual std::optional<std::chrono::nanoseconds> until_cut(WallTime begun) = 0;
  // Whether what is written now will be found; each second. May hang as long as a disk does.
  virtual Result<void> look() { return {}; }
  virtual Result<void> close(const Written &file) = 0;
  // Removes a file without a frame, whose output ended before the first one. It is listed nowhere.
  virtual Result<void> discard(const std::string &path) = 0;
  // Nothing follows in this run; `finally`: nor in another one.
  virtual Result<void> finish(bool finally) = 0;
};

}  // namespace genclip
