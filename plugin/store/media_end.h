// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tells a whole clip from a cut one by its structure. Servers do not always announce a length, and may
// announce a wrong one.
#pragma once

#include "plugin/base/file_system.h"
#include "plugin/store/media_container.h"

namespace genclip {

enum class MediaEnd {
  whole,    // Its structure ends where the file ends.
  cut,      // Something of it is missing.
  unknown,  // This format does not show it, or further bytes follow a whole clip.
};

// Reads few bytes of an MP4, HEIC, AVIF, PNG, AVI or WebP, and all of a JPEG or GIF.
Result<MediaEnd> media_end_of(File &file, const MediaContainer &container);

}  // namespace genclip
