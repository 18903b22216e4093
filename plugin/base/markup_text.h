// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "plugin/base/replace_all.h"

namespace genclip {

// A plain text as Pango markup, and as the text of a WebVTT cue: where "<" begins a tag, and "&" an entity.
inline std::string markup_of(const std::string &text) {
  return replace_all(replace_all(replace_all(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;");
}

}  // namespace genclip
