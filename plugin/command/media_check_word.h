// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The depths of --check-media by their names, which are the property's.
#pragma once

#include <optional>
#include <string_view>

#include "plugin/task/media_check.h"

namespace genclip {

constexpr std::string_view word_of(MediaCheck depth) {
  switch (depth) {
    case MediaCheck::headers: return "headers";
    case MediaCheck::full: return "full";
    case MediaCheck::none: break;
  }
  return "none";
}

constexpr std::optional<MediaCheck> media_check_of(std::string_view word) {
  for (const MediaCheck depth : {MediaCheck::none, MediaCheck::headers, MediaCheck::full})
    if (word == word_of(depth)) return depth;
  return std::nullopt;
}

}  // namespace genclip
