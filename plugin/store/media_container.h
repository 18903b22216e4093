// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tells a clip from an error page by its first bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "plugin/base/result.h"

namespace genclip {

struct MediaContainer {
  std::string media_type;  // "video/mp4", "image/png"
  std::string extension;   // "mp4", "png"; what players and editors go by
};

// The number of bytes that probe_container() wants; fewer are enough when the clip is shorter.
constexpr size_t kContainerProbeSize = 16 * 1024;

// Nothing unless the bytes begin a video that GStreamer knows, or an image of pixels (an SVG is none). Looks
// for the media of the extension `expected` first, which takes a tenth of the time when that is right. Needs
// gst_init.
std::optional<MediaContainer> probe_container(std::span<const std::byte> head,
                                              const std::string &expected = {});

// The type of the sound that the bytes certainly begin, such as "audio/x-wav"; empty: they may be anything.
// Needs gst_init.
std::string sound_type(std::span<const std::byte> head);

// Whether probe_container can give that extension.
bool is_media_extension(std::string_view extension);

// Whether probe_container() can work. Without GStreamer's typefinders it recognises no clip, so nothing may
// be paid, fetched, or called damaged. ErrorKind::settings says what to install. Needs gst_init.
Result<void> check_typefinding();

}  // namespace genclip
