// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as an image of each format: a valid size or none, after few and small reads.
#include "plugin/base/image_size.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(image_size)(const uint8_t *data, size_t size) {
  using namespace genclip;
  constexpr unsigned kMostReads = 20000;
  constexpr size_t kMostAtOnce = 1 << 20;
  const std::string_view image = as_text(data, size);
  for (const std::string_view format : {"bmp", "gif", "tiff", "heic", "heif", "avif", "png", ""}) {
    unsigned reads = 0;
    const auto found = image_size(format, [&](uint64_t offset, size_t wanted) {
      hold(++reads <= kMostReads);
      hold(wanted <= kMostAtOnce);
      return offset < image.size() ? std::string(image.substr(offset, wanted)) : std::string();
    });
    hold(!found || (found->width > 0 && found->height > 0));
    // Formats that GStreamer measures are not read here.
    hold((format != "png" && !format.empty()) || (!found && reads == 0));
  }
  const auto by_opening = size_by_opening([&](uint64_t offset, size_t wanted) {
    return offset < image.size() ? std::string(image.substr(offset, wanted)) : std::string();
  });
  hold(!by_opening || (by_opening->width > 0 && by_opening->height > 0));
  return 0;
}
