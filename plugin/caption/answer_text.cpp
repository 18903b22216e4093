// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/answer_text.h"

#include <glib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "plugin/base/trimmed.h"
#include "plugin/caption/caption_text.h"

namespace genclip {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";
constexpr size_t kLeastMarks = 3;

bool is_fence_mark(char c) { return c == '`' || c == '~'; }

size_t count_marks(std::string_view text, size_t at, char mark) {
  return std::min(text.find_first_not_of(mark, at), text.size()) - at;
}

// The name of a language.
bool is_language_word(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) {
    return g_ascii_isalnum(c) || std::string_view("+-_#./{}").find(c) != std::string_view::npos;
  });
}

bool is_known_language(std::string_view word) {
  constexpr std::array<std::string_view, 9> kWords = {"text", "txt",  "plain", "plaintext", "markdown",
                                                      "md",   "json", "vtt",   "srt"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// In a fence of one line, a language stands in front of the text itself, so it must be a known one.
std::string_view without_known_language(std::string_view text) {
  const size_t end = text.find(' ');
  return end != text.npos && is_known_language(text.substr(0, end)) ? text.substr(end + 1) : text;
}

// Behind an opening fence, on its line: a language, perhaps of several words, as in: plain text; or with
// attributes, as in: srt title="x".
bool is_info(std::string_view line) {
  if (is_language_word(line)) return true;
  line = trimmed(line);
  std::string_view rest = line;
  for (size_t before = 0; before != rest.size();) {
    before = rest.size();
    rest = without_known_language(trimmed(rest));
  }
  if (is_known_language(rest)) return true;
  const size_t equals = rest.find('=');
  return rest.size() < line.size() && equals > 0 && equals != rest.npos &&
         is_language_word(rest.substr(0, equals));
}

}  // namespace

std::string FenceFilter::emit(std::string text) {
  if (!text.empty()) at_line_start_ = text.back() == '\n';
  return text;
}

std::string FenceFilter::push(std::string_view piece) {
  if (place_ == Place::outside) {
    has_more_ = has_more_ || first_seen(piece) < piece.size();
    return std::string(piece);
  }
  held_ += piece;
  if (place_ == Place::begin && !open()) return {};
  return place_ == Place::inside ? take_inside(false) : std::exchange(held_, {});
}

// Looks at the beginning of the text. False: it may still become a fence.
bool FenceFilter::open() {
  held_.erase(0, std::min(held_.find_first_not_of(kBlanks), held_.size()));
  const size_t begin = first_seen(held_);
  if (begin == held_.size()) return false;
  mark_ = held_[begin];
  width_ = count_marks(held_, begin, mark_);
  if (!is_fence_mark(mark_) || (width_ < kLeastMarks && begin + width_ < held_.size())) {
    // A mark of the direction stays before its text.
    place_ = Place::outside;
    return true;
  }
  held_.erase(0, begin);
  const size_t line_end = held_.find('\n', std::max(searched_, width_));
  searched_ = held_.size();
  if (line_end == held_.npos) return false;
  const std::string_view line =
      without_unseen_ends(std::string_view(held_).substr(width_, line_end - width_));
  if (line.find(std::string(width_, mark_)) != line.npos) {
    // A fence of one line. It is around all of the text if nothing follows.
    searched_ = line_end;
    if (first_seen(held_, line_end) == held_.size()) return false;
    place_ = Place::outside;
    return true;
  }
  held_.erase(0, is_info(line) ? line_end + 1 : width_);
  is_fenced_ = true;
  place_ = Place::inside;
  return true;
}

// The closing fence stands at the end of a line. A cut may have left a part of it, on a line of its own.
std::string FenceFilter::take_inside(bool is_end) {
  for (size_t at = held_.find(mark_); at != held_.npos; at = held_.find(mark_, at)) {
    const size_t marks = count_marks(held_, at, mark_);
    const size_t line_end = held_.find('\n', at + marks);
    const size_t seen = first_seen(held_, at + marks);
    const size_t behind = seen == held_.size() ? line_end : std::min(seen, line_end);
    if (behind != held_.npos && held_[behind] != '\n') {
      at += marks;
      continue;
    }
    if (behind == held_.npos && !is_end) {
      std::string text = held_.substr(0, at);
      held_.erase(0, at);
      return emit(std::move(text));
    }
    const bool is_alone = at == 0 ? at_line_start_ : held_[at - 1] == '\n';
    if (marks >= width_ || (behind == held_.npos && is_alone)) {
      std::string text = held_.substr(0, at);
      held_.erase(0, std::min(behind, held_.size()));
      place_ = Place::outside;
      has_more_ = first_seen(held_) < held_.size();
      return text + std::exchange(held_, {});
    }
    at += marks;
  }
  return emit(std::exchange(held_, {}));
}

// All of the text is one line that begins with a fence.
std::string FenceFilter::one_line() {
  is_fenced_ = true;
  std::string_view text = without_unseen_ends(held_);
  text.remove_prefix(width_);
  const size_t end = text.find_last_not_of(mark_);
  const bool is_closed = end != text.npos && end + 1 < text.size();
  text = trimmed(text.substr(0, end == text.npos ? 0 : end + 1));
  if (!is_closed && is_language_word(text)) return {};
  return std::string(without_known_language(text));
}

std::string FenceFilter::finish() {
  switch (place_) {
    case Place::begin: return first_seen(held_) == held_.size() ? std::string() : one_line();
    case Place::inside: return take_inside(true);
    case Place::outside: break;
  }
  return {};
}

std::string without_fence(std::string_view text) {
  FenceFilter filter;
  std::string bare = filter.push(text);
  bare += filter.finish();
  return std::string(trimmed(filter.was_around_all() ? std::string_view(bare) : text));
}

std::string answer_text(std::string_view text) { return caption_text(without_fence(text)); }

}  // namespace genclip
