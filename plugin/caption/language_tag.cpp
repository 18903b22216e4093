// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/language_tag.h"

#include <gst/tag/tag.h>

#include <algorithm>
#include <vector>

#include "plugin/caption/language_codes.h"

namespace genclip {
namespace {

bool all_letters(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return g_ascii_isalpha(c); });
}
bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return g_ascii_isdigit(c); });
}
bool all_alphanumeric(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return g_ascii_isalnum(c); });
}

bool is_script(std::string_view part) { return part.size() == 4 && all_letters(part); }
bool is_region(std::string_view part) {
  return (part.size() == 2 && all_letters(part)) || (part.size() == 3 && all_digits(part));
}
bool is_variant(std::string_view part) {
  if (!all_alphanumeric(part)) return false;
  return (part.size() >= 5 && part.size() <= 8) || (part.size() == 4 && g_ascii_isdigit(part[0]));
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char &c : out) c = g_ascii_tolower(c);
  return out;
}
std::string upper(std::string_view text) {
  std::string out(text);
  for (char &c : out) c = g_ascii_toupper(c);
  return out;
}

std::vector<std::string_view> parts_of(std::string_view tag) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= tag.size();) {
    const size_t end = std::min(tag.find('-', at), tag.size());
    parts.push_back(tag.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Error refused(std::string_view tag, const char *why) {
  return {ErrorKind::settings, "\"" + std::string(tag) + "\" is not the tag of a language: " + why +
                                   " Examples of tags are de, en, pt-BR and zh-Hant."};
}

bool is_language(const std::string &code) {
  if (gst_tag_check_language_code(code.c_str())) return true;
  return code.size() == 3 && kThreeLetterLanguages.find(code + " ") != kThreeLetterLanguages.npos;
}

std::string_view primary(std::string_view tag) { return tag.substr(0, tag.find_first_of("-_")); }

}  // namespace

Result<std::string> canonical_language(std::string_view tag) {
  constexpr size_t kLongest = 35;  // BCP 47 recommends room for this many
  if (tag.size() > kLongest) return refused(tag.substr(0, kLongest), "it is too long.");
  const std::vector<std::string_view> parts = parts_of(tag);
  std::string out = lower(parts[0]);
  if (!all_letters(out) || !is_language(out))
    return refused(tag, "it does not begin with a code of ISO 639-1 or 639-2.");
  size_t at = 1;
  if (at < parts.size() && is_script(parts[at])) {
    const std::string script = lower(parts[at++]);
    out += "-" + upper(script.substr(0, 1)) + script.substr(1);
  }
  if (at < parts.size() && is_region(parts[at])) out += "-" + upper(parts[at++]);
  while (at < parts.size() && is_variant(parts[at])) out += "-" + lower(parts[at++]);
  if (at < parts.size())
    return refused(tag, "behind the language, there may be a script, a region and variants, in this order.");
  return out;
}

std::string language_code(std::string_view tag) {
  const std::string language(primary(tag));
  const char *code = gst_tag_get_language_code(language.c_str());
  return code ? code : language;
}

bool is_same_language(std::string_view a, std::string_view b) {
  return language_code(lower(a)) == language_code(lower(b));
}

}  // namespace genclip
