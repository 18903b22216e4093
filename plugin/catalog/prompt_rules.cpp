// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/prompt_rules.h"

#include <glib.h>

namespace genclip {
namespace {

// No Han character comes before it, so most texts need no look-up.
constexpr gunichar kFirstHan = 0x2E80;

int64_t count_of(const TextMeasure &text, TextLimit::Count count) {
  switch (count) {
    case TextLimit::Count::characters: return text.characters;
    case TextLimit::Count::words: return text.words;
    case TextLimit::Count::han_as_two: return text.characters + text.han;
  }
  return 0;
}

bool holds(const TextLimit &limit, const TextMeasure &text) {
  switch (limit.where) {
    case TextLimit::Where::any: return true;
    case TextLimit::Where::han: return text.han > 0;
    case TextLimit::Where::no_han: return text.han == 0;
  }
  return true;
}

const char *unit_text(TextLimit::Count count) {
  switch (count) {
    case TextLimit::Count::characters: return "characters";
    case TextLimit::Count::words: return "words";
    case TextLimit::Count::han_as_two: return "characters, a Chinese one counting as two";
  }
  return "";
}

const char *where_text(TextLimit::Where where) {
  switch (where) {
    case TextLimit::Where::any: return "";
    case TextLimit::Where::han: return " if the text has Chinese characters";
    case TextLimit::Where::no_han: return " if the text has no Chinese characters";
  }
  return "";
}

}  // namespace

TextMeasure measure(std::string_view text) {
  TextMeasure out;
  bool in_word = false;
  const char *end = text.data() + text.size();
  for (const char *at = text.data(); at < end; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    ++out.characters;
    if (c >= kFirstHan && g_unichar_get_script(c) == G_UNICODE_SCRIPT_HAN) ++out.han;
    const bool space = g_unichar_isspace(c);
    if (!space && !in_word) ++out.words;
    in_word = !space;
  }
  return out;
}

TextVerdict check_text(const FieldSpec &spec, std::string_view text, std::string_view taker) {
  TextVerdict verdict;
  if (spec.text_limits.empty()) return verdict;
  const TextMeasure measured = measure(text);
  for (const TextLimit &limit : spec.text_limits) {
    const int64_t count = count_of(measured, limit.count);
    if (!holds(limit, measured) || count <= limit.max) continue;
    const std::string has = spec.name + " has " + std::to_string(count) + " " + unit_text(limit.count) + "; ";
    const std::string most = std::string(taker) + " takes at most " + std::to_string(limit.max);
    if (limit.truncated)
      verdict.warnings.push_back(has + most + ", and the service truncates the rest.");
    else
      verdict.problems.push_back(has + most + where_text(limit.where) + ".");
  }
  return verdict;
}

std::string limit_text(const TextLimit &limit) {
  return "at most " + std::to_string(limit.max) + " " + unit_text(limit.count) + where_text(limit.where) +
         (limit.truncated ? "; the service truncates the rest" : "");
}

}  // namespace genclip
