// SPDX-License-Identifier: LGPL-2.1-or-later
//
// In which format a source pad sends its texts: plain, or as Pango markup.
//
// Subtitle encoders write a text as it comes. That is right for SubRip, which has no way to escape anything.
// In WebVTT, players would take "5 < 6" for a tag and "AT&T" for an entity. Pango markup escapes both, in the
// same way as WebVTT. So texts for an encoder of WebVTT are sent as markup, and so are those for an element
// that takes only markup.
#pragma once

#include <gst/gst.h>

#include <string>

#include "plugin/base/gref.h"

namespace genclip {

enum class TextFormat { plain, markup };

// What suits the elements that this pad is linked to. Queries them, so no lock may be held.
TextFormat format_for(GstPad *src);

GRef<GstCaps> caps_of(TextFormat format);
std::string in_format(TextFormat format, const std::string &text);

}  // namespace genclip
