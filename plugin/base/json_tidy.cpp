// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One pass over the text that knows strings, numbers and brackets, and nothing else of JSON.
#include "plugin/base/json_tidy.h"

#include <glib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/trimmed.h"
#include "plugin/base/utf8.h"

namespace genclip {
namespace {

// A value takes hundreds of bytes as a tree and as few as two in the text: a body of the largest size would
// fill the memory of a small machine.
constexpr size_t kMaxValues = 250000;
constexpr std::string_view kInfinity = "Infinity";
constexpr std::string_view kReplacementEscape = "\\ufffd";

constexpr const char *kBrokenCharacter =
    "it holds a byte or an escape that is no character, such as a NUL or half of a pair.";

std::string line_at(std::string_view text, size_t at) {
  return "line " + std::to_string(1 + std::ranges::count(text.substr(0, at), '\n')) + ": ";
}

class Tidier {
 public:
  Tidier(std::string_view text, int max_depth, Tidying tidying)
      : text_(text), max_depth_(max_depth), tidying_(tidying) {
    out_.reserve(text.size());
  }

  Result<TidyJson> run() {
    text_ = without_byte_order_mark(text_);
    while (at_ < text_.size() && !fault_) {
      const char c = text_[at_];
      // json-glib would take the last of several documents.
      if (closed_ && !g_ascii_isspace(c)) return fault("text follows its end.");
      if (c == '"') {
        string();
      } else if (c == '-' || c == '.' || g_ascii_isdigit(c)) {
        number();
      } else if (g_ascii_isalpha(c)) {
        word();
      } else if (tidying_.keeps_characters && (c == '\'' || c == '/')) {
        return fault("it has single quotes or a comment, which JSON has not.");
      } else {
        if ((c == '[' || c == '{') && ++depth_ > max_depth_)
          return fault("it nests deeper than " + std::to_string(max_depth_) + " levels.");
        if ((c == '[' || c == '{' || c == ',') && ++values_ > kMaxValues)
          return fault("it holds more than " + std::to_string(kMaxValues) + " values.");
        if (c == ']' || c == '}') closed_ = --depth_ == 0;
        out_ += c;
        ++at_;
      }
    }
    if (fault_) return std::move(*fault_);
    return TidyJson{std::move(out_), std::move(other_)};
  }

 private:
  Error fault(const std::string &why) const { return {ErrorKind::failed, place() + why}; }

  // For the methods that return nothing.
  void fail(const std::string &why) {
    if (!fault_) fault_ = fault(why);
  }

  void note_other(const std::string &what) {
    if (other_.empty()) other_ = place() + what;
  }

  std::string place() const { return tidying_.names_lines ? line_at(text_, at_) : std::string(); }

  void string() {
    out_ += text_[at_++];
    while (at_ < text_.size()) {
      size_t end = at_;
      while (end < text_.size() && text_[end] != '\\' && text_[end] != '"') ++end;
      out_ += text_.substr(at_, end - at_);
      if ((at_ = end) == text_.size()) return;
      if (text_[at_] == '"') {
        out_ += text_[at_++];
        return;
      }
      escape();
    }
  }

  void escape() {
    const auto unit = code_unit(at_);
    if (!unit) {
      simple_escape();
      return;
    }
    const bool high = *unit >= 0xD800 && *unit < 0xDC00;
    const bool low = *unit >= 0xDC00 && *unit < 0xE000;
    const auto next = high ? code_unit(at_ + 6) : std::nullopt;
    if (next && *next >= 0xDC00 && *next < 0xE000) {
      out_ += text_.substr(at_, 12);
      at_ += 12;
      return;
    }
    if (high || low || *unit == 0) {
      out_ += kReplacementEscape;
      if (tidying_.keeps_characters) note_other(kBrokenCharacter);
    } else {
      out_ += text_.substr(at_, 6);
    }
    at_ += 6;
  }

  // An escape of two characters. json-glib turns those that JSON does not know into bytes that are not UTF-8.
  void simple_escape() {
    const std::string_view pair = text_.substr(at_, 2);
    const bool is_known =
        pair.size() < 2 || std::string_view("\"\\/bfnrt").find(pair[1]) != std::string_view::npos;
    if (!is_known && tidying_.keeps_characters)
      fail("it has an escape that JSON has not; write \\\\ for a backslash.");
    if (is_known)
      out_ += pair;
    else if (pair == "\\u")
      out_ += kReplacementEscape;
    else
      out_ += pair[1];
    at_ += pair.size();
  }

  // The value of a \uXXXX that begins at `at`.
  std::optional<uint32_t> code_unit(size_t at) const {
    if (at + 6 > text_.size() || text_[at] != '\\' || text_[at + 1] != 'u') return std::nullopt;
    uint32_t value = 0;
    const char *end = text_.data() + at + 6;
    if (std::from_chars(text_.data() + at + 2, end, value, 16).ptr != end) return std::nullopt;
    return value;
  }

  void number() {
    size_t end = at_ + 1;
    while (end < text_.size() &&
           (g_ascii_isalnum(text_[end]) || text_[end] == '.' || text_[end] == '+' || text_[end] == '-'))
      ++end;
    const std::string_view token = text_.substr(at_, end - at_);
    if (!tidying_.keeps_characters && token.substr(1) == kInfinity) {
      out_ += "null";
      at_ = end;
      return;
    }
    int64_t value = 0;
    const auto parsed = std::from_chars(token.data(), token.data() + token.size(), value);
    const bool too_large =
        parsed.ec == std::errc::result_out_of_range && parsed.ptr == token.data() + token.size();
    const bool is_text = too_large || is_misread(std::string(token));
    if (is_text) out_ += '"';
    out_ += token;
    if (is_text) out_ += '"';
    if (is_text && tidying_.keeps_numbers) {
      const std::string why = "it has " + shown_line(token, 40) +
                              ", which is no integer of 64 bits and no usual decimal number. Put it in "
                              "quotes to send it as a text.";
      if (is_number(std::string(token)))
        note_other(why);
      else
        fail(why);
    }
    at_ = end;
  }

  // Python writes NaN and Infinity by default.
  void word() {
    size_t end = at_ + 1;
    while (end < text_.size() && g_ascii_isalnum(text_[end])) ++end;
    const std::string_view token = text_.substr(at_, end - at_);
    if (tidying_.keeps_characters && token != "true" && token != "false" && token != "null")
      fail("it has the word " + shown_line(token, 40) + ", which JSON has not.");
    out_ += !tidying_.keeps_characters && (token == "NaN" || token == kInfinity) ? "null" : token;
    at_ = end;
  }

  // json-glib reads 010 as 8, 0x10 as 16, 1e999 as null, 1e-999 as 0, and .5 and 5. although they are no
  // JSON.
  static bool is_misread(const std::string &token) {
    if (is_misspelled(token)) return true;
    const double value = g_ascii_strtod(token.c_str(), nullptr);
    const bool is_nought =
        token.substr(0, token.find_first_of("eE")).find_first_of("123456789") == token.npos;
    return std::isinf(value) || (value == 0 && !is_nought);
  }

  // As JSON spells numbers, of whatever size. Not the digest 12e4567abc, nor -Infinity.
  static bool is_number(const std::string &token) {
    char *end = nullptr;
    g_ascii_strtod(token.c_str(), &end);
    return *end == '\0' && token.find_first_of("0123456789") <= 1 && !is_misspelled(token);
  }

  static bool is_misspelled(const std::string &token) {
    const size_t first = token.starts_with('-') ? 1 : 0;
    if (token.size() > first + 1 && token[first] == '0' && g_ascii_isalnum(token[first + 1]) &&
        g_ascii_tolower(token[first + 1]) != 'e')
      return true;
    const size_t point = token.find('.');
    return point != token.npos && (point == first || !g_ascii_isdigit(token[point + 1]));
  }

  std::string_view text_;
  const int max_depth_;
  const Tidying tidying_;
  std::optional<Error> fault_;
  std::string other_;
  size_t at_ = 0;
  int depth_ = 0;
  size_t values_ = 0;
  bool closed_ = false;  // The outermost bracket.
  std::string out_;
};

}  // namespace

Result<TidyJson> tidy_json(std::string_view text, int max_depth, Tidying tidying) {
  if (tidying.keeps_characters && !is_utf8(text)) {
    const char *end = text.data();
    g_utf8_validate(text.data(), static_cast<gssize>(text.size()), &end);
    const auto at = static_cast<size_t>(end - text.data());
    return Error{ErrorKind::failed,
                 (tidying.names_lines ? line_at(text, at) : std::string()) + kBrokenCharacter};
  }
  const GStringPtr valid = valid_utf8(text);
  return Tidier(valid.get(), max_depth, tidying).run();
}

}  // namespace genclip
