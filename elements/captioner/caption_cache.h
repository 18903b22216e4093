// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What gencaption does with the answers that the store keeps.
#pragma once

#include "plugin/base/words.h"

namespace genclip {

enum class CaptionCache { automatic, off, read, read_write };
template <>
inline constexpr Word<CaptionCache> kWords<CaptionCache>[] = {{CaptionCache::automatic, "auto"},
                                                              {CaptionCache::off, "off"},
                                                              {CaptionCache::read, "read"},
                                                              {CaptionCache::read_write, "read-write"}};

// Never `automatic`. The pictures of a camera never come again, so their answers would only fill the disk.
constexpr CaptionCache cache_in_effect(CaptionCache cache, bool live) {
  if (cache != CaptionCache::automatic) return cache;
  return live ? CaptionCache::off : CaptionCache::read_write;
}

}  // namespace genclip
