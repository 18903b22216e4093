// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as each format: a verdict after one pass, and a cut one says more than there is, or nothing.
#include "plugin/base/media_end.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(media_end)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const std::string_view medium = as_text(data, size);
  for (const char *media_type : {"video/mp4", "image/heic", "video/webm", "video/x-msvideo", "image/png",
                                 "image/jpeg", "image/webp", "image/gif", "image/bmp", "image/tiff",
                                 "audio/x-wav", "audio/mpeg", "application/ogg", "text/html"}) {
    size_t reads = 0;
    const auto extent = media_extent(media_type, size, [&](uint64_t offset, size_t wanted) {
      hold(offset < size);
      hold(++reads <= size);
      return std::string(medium.substr(static_cast<size_t>(offset), wanted));
    });
    hold(extent.least == 0 || (extent.end == MediaEnd::cut && extent.least > size));
  }
  return 0;
}
