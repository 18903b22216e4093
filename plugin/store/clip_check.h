// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Checks whether a stored file is the clip that its record describes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "plugin/base/file_system.h"
#include "plugin/store/media_container.h"

namespace genclip {

struct CheckedClip {
  std::shared_ptr<File> file;  // Open for reading, when there is no flaw.
  std::optional<MediaContainer> container;
  bool exists = true;
  std::string flaw;  // What is wrong with it; empty when nothing is.
};

// Checks the name, the size and the first bytes. Needs gst_init.
Result<CheckedClip> check_clip(FileSystem &files, const std::string &path, uint64_t size);

}  // namespace genclip
