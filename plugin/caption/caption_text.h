// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Makes a text safe for every sink of subtitles.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace genclip {

// Any bytes as a caption: valid UTF-8, no NUL or other control character but line feeds, no line in which
// there is nothing to see (a blank one would end a cue of WebVTT and SubRip), no blanks at the ends of lines,
// and an arrow for "-->" (it would begin a cue of WebVTT). Empty when nothing is left.
std::string caption_text(std::string_view bytes);

// The same, without the tags and entities of Pango markup. Text that is not valid markup stays as it is.
std::string caption_text_of_markup(std::string_view bytes);

// The place of the first visible character; the size of the text if it has none.
size_t first_seen(std::string_view text, size_t from = 0);
// Without the blanks and characters of no width at its ends.
std::string_view without_unseen_ends(std::string_view text);

// In Unicode code points.
size_t character_count(std::string_view text);

}  // namespace genclip
