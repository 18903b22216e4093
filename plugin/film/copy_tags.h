// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the tags of a stream become in a copy.
#pragma once

#include <gst/gst.h>

namespace genclip {

inline constexpr const char *kNoLanguage = "und";  // Of ISO 639; Matroska's own default is English.

// What muxers can write of the code of a language: kNoLanguage where GStreamer's list lacks it (yue, cnr).
const char *language_in_copy(const char *code);

// The tags name a language that muxers can write.
bool has_language_in_copy(const GstTagList *tags);

// Says that a stream has no known language, where its tags name none that muxers can write. Takes the event
// and returns one.
GstEvent *with_some_language(GstEvent *tags);

// matroskamux writes a text as GStreamer serializes it: "Stra\303\237e\ 7", with the quotation marks. All
// that passes its source pad from now on has the text itself.
void write_plain_tags(GstPad *src);

}  // namespace genclip
