// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/sentence_splitter.h"

#include <glib.h>

#include <algorithm>
#include <array>
#include <optional>

#include "plugin/base/gref.h"
#include "plugin/caption/caption_text.h"

namespace genclip {
namespace {

bool is_one_of(gunichar c, std::u32string_view set) { return set.find(c) != std::u32string_view::npos; }

bool is_mark(gunichar c) { return is_one_of(c, U".!?…؟۔।॥"); }
bool is_full_width_mark(gunichar c) { return is_one_of(c, U"。！？｡"); }

// The character at `at`; nothing while it is incomplete. An invalid byte counts as a character.
std::optional<gunichar> character_at(std::string_view text, size_t at) {
  if (at >= text.size()) return std::nullopt;
  const gunichar c = g_utf8_get_char_validated(text.data() + at, static_cast<gssize>(text.size() - at));
  if (c == static_cast<gunichar>(-2)) return std::nullopt;
  return c == static_cast<gunichar>(-1) ? gunichar{0xFFFD} : c;
}

size_t behind(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  return std::min(at + static_cast<size_t>(g_utf8_skip[lead]), text.size());
}

constexpr size_t kLongestAbbreviation = 6;

// The word that ends right before `end`, lower-case; empty where it is too long for an abbreviation.
std::string word_before(std::string_view text, size_t end) {
  size_t begin = end;
  while (begin > 0 && !g_ascii_isspace(text[begin - 1]) && text[begin - 1] != '(')
    if (end - --begin > kLongestAbbreviation) return {};
  const GStringPtr lower(g_ascii_strdown(text.data() + begin, static_cast<gssize>(end - begin)));
  return lower.get();
}

// True for words that a period does not end.
bool is_abbreviation(std::string_view text, size_t point) {
  constexpr std::array<std::string_view, 18> kAbbreviations = {"mr",  "mrs", "ms", "dr",  "prof", "st",
                                                               "jr",  "sr",  "vs", "no",  "fig",  "approx",
                                                               "e.g", "i.e", "cf", "z.b", "bzw",  "ca"};
  const std::string word = word_before(text, point);
  if (word.size() == 1 && g_ascii_isalpha(word[0])) return word != "i";
  return std::find(kAbbreviations.begin(), kAbbreviations.end(), word) != kAbbreviations.end();
}

void append(std::string_view sentence, std::vector<std::string> &sentences) {
  std::string text = caption_text(sentence);
  if (!text.empty()) sentences.push_back(std::move(text));
}

}  // namespace

bool is_sentence_mark(char32_t c) { return is_mark(c) || is_full_width_mark(c); }
bool is_closing_mark(char32_t c) { return is_one_of(c, U"\"')]}»”’」』）】"); }

std::vector<std::string> SentenceSplitter::push(std::string_view piece) {
  return fence_.passes_all() ? split(piece) : split(fence_.push(piece));
}

std::vector<std::string> SentenceSplitter::split(std::string_view piece) {
  pending_ += piece;
  std::vector<std::string> sentences;
  while (const auto c = character_at(pending_, at_))
    if (take(*c, sentences)) at_ = behind(pending_, at_);
  pending_.erase(0, begin_);
  for (size_t *place : {&at_, &mark_, &end_}) *place -= std::min(*place, begin_);
  begin_ = 0;
  return sentences;
}

// Takes one step from the character at at_. False: look at this character again.
bool SentenceSplitter::take(char32_t c, std::vector<std::string> &sentences) {
  const bool is_end = is_sentence_mark(c);
  switch (place_) {
    case Place::words:
      if (c == U'\n') {
        cut(at_, sentences);
      } else if (is_end) {
        place_ = Place::marks;
        mark_ = at_;
        full_width_ = is_full_width_mark(c);
        only_point_ = c == U'.';
      }
      return true;
    case Place::marks:
      if (!is_end) {
        place_ = Place::closers;
        return false;
      }
      full_width_ = is_full_width_mark(c);
      only_point_ = false;
      return true;
    case Place::closers:
      if (is_closing_mark(c)) return true;
      end_ = at_;
      place_ = Place::words;
      if (full_width_)
        cut(end_, sentences);
      else if (g_unichar_isspace(c) && !(only_point_ && is_abbreviation(pending_, mark_)))
        place_ = Place::blanks;
      return false;
    case Place::blanks:
      if (g_unichar_isspace(c) && c != U'\n') return true;
      place_ = Place::words;
      if (!g_unichar_islower(c)) cut(end_, sentences);
      return false;
  }
  return true;
}

void SentenceSplitter::cut(size_t end, std::vector<std::string> &sentences) {
  append(std::string_view(pending_).substr(begin_, end - begin_), sentences);
  begin_ = end;
}

std::vector<std::string> SentenceSplitter::finish() {
  std::vector<std::string> sentences = split(fence_.finish());
  append(pending_, sentences);
  *this = {};
  return sentences;
}

}  // namespace genclip
