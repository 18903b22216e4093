// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The names that the service's tables give to formats of media (§2.3, §2.4), and the media types behind them.
#pragma once

#include <string>
#include <string_view>

#include "plugin/catalog/media_reference.h"

namespace genclip {

// The service's word for a media type, such as "jpeg"; empty when its tables have none.
std::string_view format_name(std::string_view media_type);

// May a file of that type be such a medium? An mp4 file may hold a video, or sound alone.
bool may_be(std::string_view media_type, MediaKind kind);

// The type in a Content-Type header: lower case, without parameters. Empty when it tells nothing, as
// application/octet-stream does.
std::string telling_media_type(std::string_view content_type);

// The type that the extension of a URL's path promises; empty when it promises none.
std::string media_type_of_path(std::string_view url);

// The type of a file by its first bytes; empty when they are of no known type. A name of GStreamer's own,
// such as "application/x-hls", for what is no medium.
std::string sniff_media_type(std::string_view head);
// So many bytes are enough for sniff_media_type().
inline constexpr size_t kSniffedBytes = 64 * 1024;

}  // namespace genclip
