// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Finds the content credentials (C2PA) that a service may have put into a file.
#pragma once

#include <cstdint>

#include "plugin/base/file_system.h"
#include "plugin/frame/box_reader.h"

namespace genclip {

// Whether an MP4 or QuickTime file has C2PA's box (C2PA 2.x, "Embedding manifests into BMFF"), a PNG its
// chunk caBX, or a JPEG its segment APP11. Only that it is there: nothing is verified. Any bytes are safe;
// false for any other file.
bool has_c2pa_mark(const ReadAt &read, uint64_t size);
// The same of a file; false also if it cannot be read.
bool has_c2pa_mark(File &file);

}  // namespace genclip
