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
  std::vector<std::string> words(1);
  for (size_t i = 0; i < name.size(); ++i) {
    const bool is_letter = g_ascii_isalpha(name[i]) || (name[i] & 0x80) != 0;
    // In "refVideoURL" and "REFVideo", a word begins at the V.
    const bool is_begin =
        g_ascii_isupper(name[i]) && i > 0 &&
        (g_ascii_islower(name[i - 1]) ||
         (g_ascii_isupper(name[i - 1]) && i + 1 < name.size() && g_ascii_islower(name[i + 1])));
    if ((is_begin || !is_letter) && !words.back().empty()) words.emplace_back();
    if (is_letter) words.back() += g_ascii_tolower(name[i]);
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace genclip
