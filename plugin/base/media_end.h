// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tells whole media from cut ones by their structure. A file may be a copy that broke off, and servers do not
// always announce a length, or announce a wrong one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plugin/base/file_system.h"
#include "plugin/base/read_range.h"

namespace genclip {

enum class MediaEnd {
  whole,    // Its structure ends where the file ends.
  open,     // All that it began is there, but not the mark of its end, which some writers leave out.
  cut,      // Something of it is missing.
  unknown,  // This format does not show it, or further bytes follow all that belongs to it.
};

struct MediaExtent {
  MediaEnd end = MediaEnd::unknown;
  uint64_t least = 0;  // Of a cut one: the bytes that it says that it has at least; 0: it does not say.

  friend bool operator==(const MediaExtent &, const MediaExtent &) = default;
};

// Of a file of that media type and size. Reads few bytes of most formats, and all of a JPEG, GIF or Ogg, in
// order. Unknown if a range within the size cannot be read.
MediaExtent media_extent(std::string_view media_type, uint64_t size, const ReadRange &read);
// What is wrong with a cut one of that size; continues a sentence that begins with its name.
std::string cut_text(const MediaExtent &extent, uint64_t size);

// Of a clip: an open one counts as cut, because its host may still be writing it.
Result<MediaEnd> clip_end_of(File &file, std::string_view media_type);

}  // namespace genclip
