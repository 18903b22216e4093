// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The service's names of media formats (§2.3, §2.4), and the media types that they stand for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plugin/catalog/media_extension.h"
#include "plugin/catalog/media_reference.h"

namespace genclip {

// The service's word for a media type, such as "jpeg"; empty when its tables have none.
std::string_view format_name(std::string_view media_type);

// True if a file of that type can be such a medium: an mp4 file may hold a video, or only sound.
// Nothing: any medium.
bool may_be(std::string_view media_type, const std::optional<MediaKind> &kind);

// The type in a Content-Type header: lower case, without parameters. Empty when it tells nothing, as
// application/octet-stream does.
std::string telling_media_type(std::string_view content_type);

// The extension that files of that type have, without a dot, such as "jpg"; empty when the service's tables
// have no such type.
std::string_view file_extension(std::string_view media_type);
// True for any that file_extension() returns.
bool is_file_extension(std::string_view extension);

// The type of a file by its first bytes; empty when it is unknown. For a file that is not media, GStreamer's
// own name, such as "application/x-hls".
std::string sniff_media_type(std::string_view head);
// The number of bytes that sniff_media_type() needs at most.
inline constexpr size_t kSniffedBytes = 64 * 1024;

}  // namespace genclip
