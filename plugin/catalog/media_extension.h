// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The extensions of media files, and the media types that they stand for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace genclip {

struct MediaExtension {
  std::string_view text;  // Without its dot.
  std::string_view media_type;
};
// The first of a format has the extension that genclip gives to its files.
std::span<const MediaExtension> media_extensions();

// The type that the extension of a path, or of a URL's path, promises; empty when it promises none.
std::string media_type_of_path(std::string_view url);

// True for these, and for the extensions of further media files, of which no type is known here.
bool has_extension_of_media(std::string_view path);

}  // namespace genclip
