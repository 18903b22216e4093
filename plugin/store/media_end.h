// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tells a whole clip from a cut one by its own structure, for when no server says how long it is.
#pragma once

#include <cstdint>

#include "plugin/base/file_system.h"
#include "plugin/store/media_container.h"

namespace genclip {

enum class MediaEnd {
  whole,    // Its structure ends where the file ends.
  cut,      // It does not.
  unknown,  // This kind of media does not tell.
};

// Looks at few bytes: the top-level boxes of an MP4, the last ones of a PNG, JPEG, WebP or GIF.
Result<MediaEnd> media_end_of(File &file, const MediaContainer &container);

}  // namespace genclip
