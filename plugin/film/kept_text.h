// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The film's own subtitles in a copy. Matroska's SubRip comes from its demuxer as Pango markup, which no
// muxer takes; what the muxers take is the same text without its entities.
#pragma once

#include <gst/gst.h>

#include <string>
#include <string_view>

namespace genclip {

enum class TextTags {
  kept,     // SubRip in Matroska has them, too.
  removed,  // MP4 would show them as text.
};

// "Tom &amp; <i>Jerry</i>" becomes "Tom & <i>Jerry</i>" or "Tom & Jerry". All else stays.
std::string plain_subtitle(std::string_view markup, TextTags tags);

bool is_markup_text(const GstCaps *caps);
GstCaps *plain_text_caps();

// All that passes the pad from now on becomes plain text.
void make_plain_text(GstPad *pad, TextTags tags);

// mp4mux would write an edit list that is too short by the time before the first cue, and the last cue would
// not be shown. `pad`: the one before the muxer.
void begin_with_silence(GstPad *pad);

}  // namespace genclip
