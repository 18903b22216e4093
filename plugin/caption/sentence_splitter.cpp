// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Ends of sentences by their marks, for scripts with and without spaces between words.
#include "plugin/caption/sentence_splitter.h"

#include <glib.h>

#include <algorithm>
#include <array>
#include <optional>

#include "plugin/base/gref.h"
#include "plugin/caption/caption_text.h"

namespace genclip {
namespace {

// Nothing is decided while the text ends before the decision can.
enum class Verdict { no, yes, unknown };

bool is_one_of(gunichar c, std::u32string_view set) { return set.find(c) != std::u32string_view::npos; }

bool is_mark(gunichar c) { return is_one_of(c, U".!?…"); }
bool is_full_width_mark(gunichar c) { return is_one_of(c, U"。！？｡"); }
bool is_closer(gunichar c) { return is_one_of(c, U"\"')]}»”’」』）】"); }

// Walks characters; a character that is not whole yet counts as the end.
class Cursor {
 public:
  Cursor(std::string_view text, size_t at) : text_(text), at_(at) {}

  std::optional<gunichar> peek() const {
    if (at_ >= text_.size()) return std::nullopt;
    const gunichar c = g_utf8_get_char_validated(text_.data() + at_, static_cast<gssize>(text_.size() - at_));
    if (c == static_cast<gunichar>(-2)) return std::nullopt;
    return c == static_cast<gunichar>(-1) ? gunichar{0xFFFD} : c;
  }
  void next() {
    const auto size = static_cast<unsigned char>(text_[at_]);
    const size_t length = static_cast<size_t>(g_utf8_skip[size]);
    at_ = std::min(at_ + length, text_.size());
  }
  size_t at() const { return at_; }

 private:
  std::string_view text_;
  size_t at_;
};

// The word that ends right before `end`, lower-case.
std::string word_before(std::string_view text, size_t end) {
  size_t begin = end;
  while (begin > 0 && !g_ascii_isspace(text[begin - 1]) && text[begin - 1] != '(') --begin;
  const GStringPtr lower(g_ascii_strdown(text.data() + begin, static_cast<gssize>(end - begin)));
  return lower.get();
}

// A point after these is part of the word.
bool is_abbreviation(std::string_view text, size_t point) {
  constexpr std::array<std::string_view, 18> kAbbreviations = {"mr",  "mrs", "ms", "dr",  "prof", "st",
                                                               "jr",  "sr",  "vs", "no",  "fig",  "approx",
                                                               "e.g", "i.e", "cf", "z.b", "bzw",  "ca"};
  const std::string word = word_before(text, point);
  if (word.size() == 1 && g_ascii_isalpha(word[0])) return word != "i";
  return std::find(kAbbreviations.begin(), kAbbreviations.end(), word) != kAbbreviations.end();
}

// Is the mark at `at` the end of a sentence? `end` is then behind its closing marks.
Verdict ends_sentence(std::string_view text, size_t at, size_t &end) {
  Cursor cursor(text, at);
  bool full_width = false;
  bool only_point = true;
  auto c = cursor.peek();
  for (; c && (is_mark(*c) || is_full_width_mark(*c)); c = cursor.peek()) {
    full_width = is_full_width_mark(*c);
    only_point = only_point && *c == U'.' && cursor.at() == at;
    cursor.next();
  }
  for (; c && is_closer(*c); c = cursor.peek()) cursor.next();
  end = cursor.at();
  if (!c) return Verdict::unknown;
  if (full_width) return Verdict::yes;
  if (!g_unichar_isspace(*c)) return Verdict::no;
  if (only_point && is_abbreviation(text, at)) return Verdict::no;
  for (; c && g_unichar_isspace(*c) && *c != U'\n'; c = cursor.peek()) cursor.next();
  if (!c) return Verdict::unknown;
  return g_unichar_islower(*c) ? Verdict::no : Verdict::yes;
}

void append(std::string_view sentence, std::vector<std::string> &sentences) {
  std::string text = caption_text(sentence);
  if (!text.empty()) sentences.push_back(std::move(text));
}

}  // namespace

std::vector<std::string> SentenceSplitter::push(std::string_view piece) {
  pending_ += piece;
  std::vector<std::string> sentences;
  size_t begin = 0;
  Cursor cursor(pending_, 0);
  while (const auto c = cursor.peek()) {
    if (*c == U'\n') {
      append(std::string_view(pending_).substr(begin, cursor.at() - begin), sentences);
      cursor.next();
      begin = cursor.at();
    } else if (is_mark(*c) || is_full_width_mark(*c)) {
      size_t end = 0;
      const Verdict verdict = ends_sentence(pending_, cursor.at(), end);
      if (verdict == Verdict::unknown) break;
      if (verdict == Verdict::yes) {
        append(std::string_view(pending_).substr(begin, end - begin), sentences);
        begin = end;
      }
      cursor = Cursor(pending_, end);
    } else {
      cursor.next();
    }
  }
  pending_.erase(0, begin);
  return sentences;
}

std::vector<std::string> SentenceSplitter::finish() {
  std::vector<std::string> sentences;
  append(pending_, sentences);
  pending_.clear();
  return sentences;
}

}  // namespace genclip
