// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Pango finds the places where Unicode allows a line to break; in Thai, by the dictionary of libthai. Of
// these, only the ones between two words are used, so Korean breaks at its spaces, and a Katakana word stays
// whole.
#include "plugin/caption/text_pieces.h"

#include <pango/pango.h>

#include <algorithm>
#include <string>
#include <utility>

#include "plugin/caption/sentence_splitter.h"

namespace genclip {
namespace {

bool is_phrase_mark(gunichar c) {
  constexpr std::u32string_view kMarks = U",;:–—،؛、，；：､·";
  return kMarks.find(c) != kMarks.npos;
}

// Writes without spaces between words.
bool is_spaceless(gunichar c) {
  switch (g_unichar_get_script(c)) {
    case G_UNICODE_SCRIPT_THAI:
    case G_UNICODE_SCRIPT_LAO:
    case G_UNICODE_SCRIPT_KHMER:
    case G_UNICODE_SCRIPT_MYANMAR: return true;
    default: return g_unichar_iswide(c);
  }
}

gunichar last_character(std::string_view text) {
  return g_utf8_get_char(g_utf8_prev_char(text.data() + text.size()));
}

std::string_view without_last(std::string_view text) {
  return text.substr(0, static_cast<size_t>(g_utf8_prev_char(text.data() + text.size()) - text.data()));
}

// `text` ends where the splitter ends a sentence; without a mark, that is only the end of a line.
bool has_sentence_mark(std::string_view text) {
  while (!text.empty() && is_closing_mark(last_character(text))) text = without_last(text);
  return !text.empty() && is_sentence_mark(last_character(text));
}

bool has_phrase_mark(std::string_view text) {
  return !text.empty() && (is_phrase_mark(last_character(text)) || is_closing_mark(last_character(text)));
}

// Where sentences end, as places in the text.
std::vector<size_t> sentence_ends(std::string_view text) {
  SentenceSplitter splitter;
  std::vector<std::string> sentences = splitter.push(text);
  for (std::string &last : splitter.finish()) sentences.push_back(std::move(last));
  std::vector<size_t> ends;
  size_t at = 0;
  for (const std::string &sentence : sentences) {
    const size_t found = text.find(sentence, at);
    if (found == text.npos) continue;
    at = found + sentence.size();
    ends.push_back(at);
  }
  return ends;
}

struct Character {
  size_t at = 0;
  gunichar c = 0;
};

TextPiece piece_between(std::string_view text, size_t begin, size_t end) {
  size_t last = end;
  while (last > begin && g_unichar_isspace(last_character(text.substr(begin, last - begin))))
    last = begin + without_last(text.substr(begin, last - begin)).size();
  TextPiece piece;
  piece.text = text.substr(begin, last - begin);
  piece.blank = text.substr(last, end - last);
  piece.ends_line = piece.blank.find('\n') != piece.blank.npos;
  piece.columns = column_count(piece.text);
  piece.blank_columns = column_count(piece.blank);
  return piece;
}

TextEnd end_of(const TextPiece &piece, gunichar before, gunichar next, bool ends_sentence) {
  if (ends_sentence && has_sentence_mark(piece.text)) return TextEnd::sentence;
  const bool is_blank = !piece.blank.empty();
  // "Dr. Smith"
  if (is_blank && !ends_sentence && !piece.ends_line && before == '.' && g_unichar_isupper(next))
    return TextEnd::none;
  // Thai separates phrases by spaces.
  const bool is_spaceless_here = is_spaceless(before) || is_spaceless(next);
  if (has_phrase_mark(piece.text) && (is_blank || is_spaceless_here)) return TextEnd::phrase;
  if (is_blank) return is_spaceless_here ? TextEnd::phrase : TextEnd::word;
  // In Japanese, endings and particles belong to the word before them.
  if (g_unichar_get_script(next) == G_UNICODE_SCRIPT_HIRAGANA) return TextEnd::none;
  return is_spaceless_here || before == 0x200B ? TextEnd::word : TextEnd::none;
}

TextPiece joined(const TextPiece &first, const TextPiece &last) {
  TextPiece both = last;
  both.text = {first.text.data(),
               static_cast<size_t>(last.text.data() + last.text.size() - first.text.data())};
  both.columns = first.columns + first.blank_columns + last.columns;
  return both;
}

// Joins the parts of words that fit in a line.
std::vector<TextPiece> whole_words(const std::vector<TextPiece> &parts, size_t line_columns) {
  std::vector<TextPiece> words;
  for (size_t at = 0; at < parts.size();) {
    size_t end = at;
    TextPiece word = parts[at];
    while (parts[end].end == TextEnd::none && end + 1 < parts.size()) word = joined(word, parts[++end]);
    ++end;
    if (line_columns == 0 || word.columns <= line_columns)
      words.push_back(word);
    else
      words.insert(words.end(), parts.begin() + static_cast<ptrdiff_t>(at),
                   parts.begin() + static_cast<ptrdiff_t>(end));
    at = end;
  }
  return words;
}

}  // namespace

size_t column_count(std::string_view text) {
  size_t columns = 0;
  for (size_t at = 0; at < text.size();) {
    const gunichar c = g_utf8_get_char(text.data() + at);
    columns += g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
    at += static_cast<size_t>(g_utf8_next_char(text.data() + at) - (text.data() + at));
  }
  return columns;
}

std::vector<TextPiece> text_pieces(std::string_view text, size_t line_columns) {
  if (text.empty()) return {};
  std::vector<Character> characters;
  for (size_t at = 0; at < text.size();) {
    characters.push_back({at, g_utf8_get_char(text.data() + at)});
    at += static_cast<size_t>(g_utf8_next_char(text.data() + at) - (text.data() + at));
  }
  std::vector<PangoLogAttr> attributes(characters.size() + 1);
  // The language is fixed, so that the same text breaks the same way everywhere.
  pango_get_log_attrs(text.data(), static_cast<int>(text.size()), -1, pango_language_from_string("en"),
                      attributes.data(), static_cast<int>(attributes.size()));
  const std::vector<size_t> ends = sentence_ends(text);
  std::vector<TextPiece> parts;
  size_t begin = 0;
  for (size_t i = 1; i < characters.size(); ++i) {
    const PangoLogAttr &attribute = attributes[i];
    const gunichar before = characters[i - 1].c;
    const bool is_after_line = before == '\n';
    // An invisible character that follows a blank belongs to it in the rules for words.
    const bool is_between_words = attribute.is_word_boundary || g_unichar_isspace(before);
    const bool may_break = attribute.is_line_break && attribute.is_cursor_position && is_between_words;
    if (!may_break && !is_after_line) continue;
    const TextPiece piece = piece_between(text, begin, characters[i].at);
    if (piece.text.empty()) continue;
    parts.push_back(piece);
    const size_t end = begin + piece.text.size();
    parts.back().end = end_of(piece, last_character(piece.text), characters[i].c,
                              std::binary_search(ends.begin(), ends.end(), end));
    begin = characters[i].at;
  }
  parts.push_back(piece_between(text, begin, text.size()));
  parts.back().end = has_sentence_mark(parts.back().text) ? TextEnd::sentence : TextEnd::phrase;
  return whole_words(parts, line_columns);
}

std::string_view without_phrase_mark(std::string_view text) {
  while (!text.empty() && is_phrase_mark(last_character(text)) && !without_last(text).empty())
    text = without_last(text);
  return text;
}

}  // namespace genclip
