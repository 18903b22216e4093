// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tells a whole clip from a cut one by its own structure, for when no server says how long it is.
#pragma once

#include "plugin/base/file_system.h"
#include "plugin/store/media_container.h"

namespace genclip {

enum class MediaEnd {
  whole,    // Its structure ends where the file ends.
  cut,      // Something of it is missing.
  unknown,  // This kind of media does not tell, or all of it is there and bytes follow.
};

// Of an MP4, HEIC, AVIF, PNG, AVI or WebP it looks at few bytes, of a JPEG or GIF at all.
Result<MediaEnd> media_end_of(File &file, const MediaContainer &container);

}  // namespace genclip
