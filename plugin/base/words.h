// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The words of enums, one table each for everything that writes or reads them: URIs, catalog files, options,
// the journal, properties. Journals, scripts and pipelines hold these words, so a released word never
// changes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace genclip {

template <typename Enum>
struct Word {
  Enum value;
  const char *word;
};

// Specialized beside each enum that has words, with a row for each value:
// `template <> inline constexpr Word<Api> kWords<Api>[] = {{Api::automatic, "auto"}, …};`
template <typename Enum>
inline constexpr std::nullptr_t kWords = nullptr;

template <typename Enum>
constexpr const char *to_word(Enum value) {
  for (const Word<Enum> &row : kWords<Enum>)
    if (row.value == value) return row.word;
  return "";  // Only for a number that is not a value of the enum.
}

// Nothing for any other word; case matters.
template <typename Enum>
constexpr std::optional<Enum> from_word(std::string_view word) {
  for (const Word<Enum> &row : kWords<Enum>)
    if (row.word == word) return row.value;
  return std::nullopt;
}

// In the order of the table.
template <typename Enum>
std::vector<std::string> words_of() {
  std::vector<std::string> words;
  for (const Word<Enum> &row : kWords<Enum>) words.emplace_back(row.word);
  return words;
}

}  // namespace genclip
