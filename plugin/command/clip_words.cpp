// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/clip_words.h"

#include <glib.h>

#include <algorithm>
#include <string>

#include "plugin/base/trimmed.h"

namespace genclip {
namespace {

constexpr std::string_view kScheme = "genclip://";

constexpr const char *kVariable =
    "A $ or ` in the URI may be a variable of a shell. Write %24 or %60 for the character itself.";
constexpr const char *kPlaceholder =
    "A { or ^ in the URI may be a placeholder or an escape. Write %7B or %5E for the character itself.";
constexpr const char *kBackslash =
    "What a backslash in the URI means depends on the program that reads it. Write %5C for the character "
    "itself.";
constexpr const char *kShell =
    "A ; or & without quotes ends the URI for a shell. Put the URI in quotes, or write %3B or %26 for the "
    "character itself.";
constexpr const char *kOpenQuote = "The quote before the URI is not closed on its line.";
constexpr const char *kPieces =
    "The URI is put together of several pieces. Write it in one pair of quotes, and %22 or %27 for a quote "
    "in it.";
constexpr const char *kBlank = "The URI may end at the blank, or continue. Write %20 for a blank in it.";
constexpr const char *kSeveral = "The line holds several URIs. Write each on a line of its own.";

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool is_name_character(char c) { return g_ascii_isalnum(c) || c == '+' || c == '-' || c == '.'; }

bool is_typographic_quote(std::string_view text) {
  return text.starts_with("\u201d") || text.starts_with("\u201c") || text.starts_with("\u00bb");
}

bool is_one_of(char c, std::string_view characters) { return characters.find(c) != characters.npos; }

std::string_view without_key(std::string_view line) {
  const size_t end = line.find('=');
  if (end == line.npos || !begins_with_clip(trimmed(line.substr(end + 1)))) return line;
  return trimmed(line.substr(end + 1));
}

class TextReader {
 public:
  TextReader(std::string_view text, const TextRules &rules) : text_(text), rules_(rules) {}

  std::vector<FoundClip> read() {
    for (bool is_continued = false; at_ < text_.size();) {
      begin_ = at_;
      std::string_view line = trimmed(text_.substr(at_, text_.find('\n', at_) - at_));
      if (rules_.has_keys) line = without_key(line);
      const bool is_comment = rules_.has_lines && line.starts_with('#');
      const bool is_uri =
          rules_.has_lines && begins_with_clip(line) && !is_continued && !line.ends_with('\\');
      if (is_uri) take_line(line);
      if (is_comment || is_uri) {
        at_ = std::min(text_.find('\n', at_), text_.size());
        is_continued = false;
      } else {
        while (at(at_) != '\n' && at_ < text_.size()) {
          if (begins_with_clip(text_.substr(at_)) && !is_name_character(before(at_)))
            take_word();
          else
            ++at_;
        }
        is_continued = before(at_) == '\\';
      }
      ++at_;
      ++line_;
    }
    return std::move(clips_);
  }

 private:
  char at(size_t index) const { return index < text_.size() ? text_[index] : '\0'; }
  char before(size_t index) const { return index > 0 ? text_[index - 1] : '\0'; }

  void take_line(std::string_view line) {
    if (line.find_first_of("$`") != line.npos) return add("", kVariable);
    if (line.find('\\') != line.npos) return add("", kBackslash);
    for (size_t i = 1; i < line.size(); ++i)
      if (is_blank(line[i - 1]) && begins_with_clip(line.substr(i))) return add("", kSeveral);
    add(std::string(line), nullptr);
  }

  void take_word() {
    const unsigned line = line_;
    const size_t begin = at_;
    size_t quote = begin;
    if (before(quote) == '=')
      for (--quote; is_name_character(before(quote)) || before(quote) == '_';) --quote;
    std::string uri;
    const char *problem = nullptr;
    if (is_quote(before(quote)))
      problem = take_quoted(before(quote), quote > 1 && text_[quote - 2] == '\\', uri);
    else
      problem = take_unquoted(uri);
    add(problem ? "" : std::move(uri), problem, line);
    // The rest of a word that is a problem is not searched.
    if (problem)
      while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
  }

  // These return a problem, or null.
  const char *take_quoted(char quote, bool is_escaped, std::string &uri) {
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      const char c = text_[at_];
      if (is_escaped ? c == '\\' && at(at_ + 1) == quote : c == quote) {
        at_ += is_escaped ? 2 : 1;
        return is_end_of_word(at_, is_escaped) ? nullptr : kPieces;
      }
      if (c == '\\') {
        if (quote == '\'') return kBackslash;
        if (const char *problem = take_backslash(uri)) return problem;
      } else if (const char *problem = problem_of(c)) {
        return problem;
      } else {
        uri += c;
      }
    }
    return kOpenQuote;
  }

  const char *take_unquoted(std::string &uri) {
    int open = 0;
    for (; at_ < text_.size() && !is_blank(text_[at_]) && !is_one_of(text_[at_], "<>|}"); ++at_) {
      const char c = text_[at_];
      if (is_typographic_quote(text_.substr(at_))) break;
      if (c == '\'') {
        const bool is_apostrophe = g_ascii_isalnum(before(at_)) && g_ascii_isalnum(at(at_ + 1));
        if (!is_apostrophe && is_end_of_word(at_ + 1, false)) break;
        if (!is_apostrophe) return kPieces;
      }
      if ((c == '"' || c == '`') && is_open(c)) break;
      if (c == '"') return kPieces;
      if (is_one_of(c, ")]") && --open < 0) break;
      if (is_one_of(c, "([")) ++open;
      if (rules_.is_script && is_one_of(c, ";&")) {
        const bool ends = is_blank(at(at_ + 1)) || at_ + 1 == text_.size();
        const bool is_quoted = is_open('"') || is_open('\'');
        if (!is_quoted && (ends || c == ';')) break;
        if (!is_quoted || (c == ';' && !ends)) return kShell;
      }
      if (c == '\\') {
        if (is_open('"') && at(at_ + 1) == '"') break;
        if (const char *problem = take_backslash(uri)) return problem;
      } else if (const char *problem = problem_of(c)) {
        return problem;
      } else {
        uri += c;
      }
    }
    if (rules_.may_have_blanks && is_blank(at(at_)) &&
        !trimmed(text_.substr(at_, text_.find('\n', at_) - at_)).empty())
      return kBlank;
    while (uri.size() > kScheme.size() && is_one_of(uri.back(), rules_.trims)) uri.pop_back();
    return nullptr;
  }

  // Takes both characters but the last of them.
  const char *take_backslash(std::string &uri) {
    const char next = at(++at_);
    if (next == '\n') {
      ++line_;
      return nullptr;
    }
    if (next == '$' || next == '`') return kVariable;
    if (g_ascii_isalnum(next) || next == '\0') return kBackslash;
    uri += next;
    return nullptr;
  }

  static const char *problem_of(char c) {
    if (c == '$' || c == '`') return kVariable;
    return c == '{' || c == '^' ? kPlaceholder : nullptr;
  }

  // The text around the word has opened this quote.
  bool is_open(char quote) const {
    const std::string_view line = text_.substr(begin_, at_ - begin_);
    return std::count(line.begin(), line.end(), quote) % 2 == 1;
  }

  // Behind a closing quote: no further piece of the word follows.
  bool is_end_of_word(size_t index, bool is_in_string) const {
    const char c = at(index), next = at(index + 1);
    if (is_blank(c) || is_one_of(c, ",;)]}<>|&")) return true;
    if (c == '\\') return is_in_string || next == '\n';
    if (is_quote(c) || is_one_of(c, "`.:!?")) return is_blank(next) || is_one_of(next, ",;.:)]}<>|&\"'");
    return false;
  }

  void add(std::string uri, const char *problem) { add(std::move(uri), problem, line_); }
  void add(std::string uri, const char *problem, unsigned line) {
    clips_.push_back({std::move(uri), line, problem ? problem : ""});
  }

  const std::string_view text_;
  const TextRules &rules_;
  size_t at_ = 0;
  size_t begin_ = 0;  // Of the line.
  unsigned line_ = 1;
  std::vector<FoundClip> clips_;
};

}  // namespace

bool begins_with_clip(std::string_view text) {
  return text.size() > kScheme.size() &&
         g_ascii_strncasecmp(text.data(), kScheme.data(), kScheme.size()) == 0 &&
         !is_blank(text[kScheme.size()]) && !is_one_of(text[kScheme.size()], "\"'`<>");
}

std::vector<FoundClip> clips_in_text(std::string_view text, const TextRules &rules) {
  return TextReader(text, rules).read();
}

}  // namespace genclip
