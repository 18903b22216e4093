// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The pieces of a text that must stay in one line: words, and what hangs on them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace genclip {

// What ends with a piece; the best place for a break last.
enum class TextEnd { none, word, phrase, sentence };

struct TextPiece {
  std::string_view text;
  std::string_view blank;  // to the next piece, if both are in one line
  size_t columns = 0;
  size_t blank_columns = 0;
  TextEnd end = TextEnd::word;  // none: inside what is too long for a line
  bool ends_line = false;       // a line feed of the text follows
};

// Columns on a screen: two for an East Asian wide character, none for a combining mark, one for a line feed.
size_t column_count(std::string_view text);

// The pieces of a text of caption_text(), which must outlive them. A word is split only if it is longer than
// `line_columns`, and only behind its hyphens and slashes, where Unicode allows it.
std::vector<TextPiece> text_pieces(std::string_view text, size_t line_columns);

// Without the comma or dash at its end.
std::string_view without_phrase_mark(std::string_view text);

}  // namespace genclip
