// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Names are compared by their letters and digits: equal, one inside the other, or few edits apart.
#include "plugin/catalog/closest.h"

#include <glib.h>

#include <algorithm>
#include <numeric>

namespace genclip {
namespace {

// Longer than any real name; bounds the work on hostile input.
constexpr size_t kMostCompared = 64;
constexpr size_t kLongWord = 5;

std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (g_ascii_isalnum(c) && out.size() < kMostCompared) out += g_ascii_tolower(c);
  return out;
}

// Letters put in, left out, replaced, or swapped with the next.
size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> table(a.size() + 1, std::vector<size_t>(b.size() + 1));
  std::iota(table[0].begin(), table[0].end(), 0u);
  for (size_t i = 1; i <= a.size(); ++i) {
    table[i][0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

// 0 for the same letters and digits; in quarters of an edit.
size_t distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return 4 * std::max(a.size(), b.size());
  const size_t apart = 4 * edits(a, b);
  const size_t longer = std::max(a.size(), b.size());
  const size_t missing = longer - std::min(a.size(), b.size());
  if (missing == longer - 1) return apart;  // Nearly every name contains any one letter.
  if (a.starts_with(b) || b.starts_with(a)) return std::min(apart, 1 + missing);
  if (a.find(b) != a.npos || b.find(a) != b.npos) return std::min(apart, 3 + missing);
  return apart;
}

// "dance" of dance-2.5 in "seedance".
bool has_word_of(std::string_view key, std::string_view name) {
  while (!name.empty()) {
    const size_t end = std::min(name.find_first_of("_- "), name.size());
    const std::string word = folded(name.substr(0, end));
    if (word.size() >= kLongWord && key.find(word) != key.npos) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

// "ratio" of aspect_ratio, but no letter or two, which say nothing.
bool has_word(std::string_view name, std::string_view word) {
  while (!name.empty()) {
    const size_t end = std::min(name.find_first_of("_- "), name.size());
    if (word.size() > 2 && folded(name.substr(0, end)) == word) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

struct Scored {
  size_t score;
  const Name *name;
};

std::vector<Scored> scored(std::string_view wanted, const std::vector<Name> &names) {
  const std::string key = folded(wanted);
  std::vector<Scored> all;
  for (const Name &name : names) {
    size_t score = distance(key, folded(name.id));
    if (!name.display_name.empty()) score = std::min(score, distance(key, folded(name.display_name)));
    all.push_back({score, &name});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Scored &a, const Scored &b) { return a.score < b.score; });
  return all;
}

}  // namespace

std::vector<std::string> closest_names(std::string_view wanted, const std::vector<Name> &names, size_t most) {
  std::vector<std::string> out;
  const auto all = scored(wanted, names);
  for (const Scored &one : all) {
    // Always offers the first; offers others while they are about as close, but none beside an exact match.
    if (!out.empty() && (all[0].score == 0 || one.score > 2 * all[0].score + 4)) break;
    if (out.size() == most) break;
    out.push_back(one.name->id);
  }
  return out;
}

std::vector<Name> names_with(std::string_view wanted, const std::vector<Name> &names) {
  std::vector<Name> out;
  const std::string key = folded(wanted);
  for (const Name &name : names) {
    const bool is_inside = key.size() > 1 && (folded(name.id).find(key) != key.npos ||
                                              folded(name.display_name).find(key) != key.npos);
    if (is_inside || has_word_of(key, name.id)) out.push_back(name);
  }
  return out;
}

std::string likely_name(std::string_view wanted, const std::vector<Name> &names) {
  const auto all = scored(wanted, names);
  const std::string key = folded(wanted);
  const auto with_word =
      std::ranges::find_if(names, [&](const Name &name) { return has_word(name.id, key); });
  if (!all.empty() && all[0].score <= 4 * std::max<size_t>(1, key.size() / 3)) {
    // Of several names with that word, the shortest is no likelier: "image" may mean first_image.
    const bool is_one_of_them = all[0].score > 0 && has_word(all[0].name->id, key);
    return is_one_of_them ? with_word->id : all[0].name->id;
  }
  return with_word == names.end() ? "" : with_word->id;
}

}  // namespace genclip
