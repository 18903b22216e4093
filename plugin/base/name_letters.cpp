// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/name_letters.h"

#include <glib.h>

namespace genclip {

std::string name_letters(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (c != '_' && c != '-' && c != ' ') letters += g_ascii_tolower(c);
  return letters;
}

std::vector<std::string> name_words(std::string_view name) {
  const auto at = [&](size_t i) { return i < name.size() ? name[i] : '\0'; };
  const auto is_foreign = [](char c) { return (c & 0x80) != 0; };  // A part of a letter beyond ASCII.
  // In "URLs" and "videoURLs_2", the s belongs to the letters before it.
  const auto is_plural = [&](size_t i) { return at(i) == 's' && !g_ascii_islower(at(i + 1)); };
  // In "refVideoURL" and "REFVideo", a word begins at the V.
  const auto begins = [&](size_t i) {
    const char before = name[i - 1], c = name[i];
    if (g_ascii_isdigit(before) || is_foreign(before) != is_foreign(c)) return !g_ascii_isdigit(c);
    if (!g_ascii_isupper(c)) return false;
    return g_ascii_islower(before) ||
           (g_ascii_isupper(before) && g_ascii_islower(at(i + 1)) && !is_plural(i + 1));
  };
  std::vector<std::string> words(1);
  for (size_t i = 0; i < name.size(); ++i) {
    const bool is_of_word = g_ascii_isalnum(name[i]) || is_foreign(name[i]);
    if (!words.back().empty() && (!is_of_word || begins(i))) words.emplace_back();
    if (is_of_word) words.back() += g_ascii_tolower(name[i]);
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace genclip
