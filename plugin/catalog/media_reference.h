// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One image, video or audio that a request refers to, and the rules for how it may be written (§1.5, §2.2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plugin/base/words.h"

namespace genclip {

enum class MediaKind { image, video, audio };
template <>
inline constexpr Word<MediaKind> kWords<MediaKind>[] = {
    {MediaKind::image, "image"}, {MediaKind::video, "video"}, {MediaKind::audio, "audio"}};

struct MediaReference {
  std::string field;   // canonical name, such as reference_images
  unsigned index = 0;  // place in that field's array, from 0
  std::string url;     // http(s)://… or assetId://ID, as given; may be signed: never log it
  MediaKind kind = MediaKind::image;
  bool asset = false;  // assetId://ID: the media check cannot fetch it

  friend bool operator==(const MediaReference &, const MediaReference &) = default;
};

// Why the service cannot use `url`, and what to do instead; nullopt when it can. The text begins with a verb,
// such as "is a file on this machine", and holds neither the query nor the credentials of a URL.
std::optional<std::string> media_url_problem(std::string_view url, MediaKind kind, bool assets_supported);

// True for assetId://ID.
bool is_asset(std::string_view url);

}  // namespace genclip
