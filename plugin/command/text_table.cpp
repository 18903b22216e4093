// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Widths first, then lines.
#include "plugin/command/text_table.h"

#include <glib.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "plugin/command/console.h"

namespace genclip {
namespace {

constexpr size_t kGap = 2;

size_t longest_word(std::string_view text) {
  size_t longest = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    longest = std::max(longest, width_of(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

// Bytes of the longest beginning of `text` that takes at most `width` columns; one character at least.
size_t fitting(std::string_view text, size_t width) {
  size_t bytes = 0;
  for (size_t used = 0; bytes < text.size();) {
    const auto length = static_cast<size_t>(g_utf8_next_char(text.data() + bytes) - (text.data() + bytes));
    used += width_of(text.substr(bytes, length));
    if (used > width && bytes > 0) break;
    bytes += length;
  }
  return bytes;
}

}  // namespace

std::string cut_to(std::string_view text, size_t width) {
  if (width_of(text) <= width) return std::string(text);
  return std::string(text.substr(0, fitting(text, width - 1))) + "…";
}

std::vector<std::string> wrapped(std::string_view text, size_t width, LongWords words) {
  std::vector<std::string> lines;
  while (width_of(text) > width) {
    size_t end = fitting(text, width);
    size_t next = end;
    size_t blank = text.substr(0, end + 1).rfind(' ');
    if (words == LongWords::kept && (blank == text.npos || blank == 0)) blank = text.find(' ', 1);
    if (blank != text.npos && blank > 0) {
      end = blank;
      next = blank + 1;
    } else if (words == LongWords::kept) {
      break;
    }
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(next);
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::string entry_text(const std::string &name, size_t name_width, std::string_view text, size_t columns) {
  const size_t indent = name_width + kGap;
  const std::string blanks(indent, ' ');
  std::string shown = name + std::string(indent - std::min(indent, width_of(name)), ' ');
  bool is_first = true;
  for (const std::string &line : wrapped(text, columns - std::min(columns / 2, indent), LongWords::kept))
    shown += (std::exchange(is_first, false) ? "" : blanks) + line + "\n";
  return shown;
}

// Nothing when the words do not fit side by side.
std::vector<size_t> TextTable::widths(size_t most) const {
  std::vector<size_t> widths;
  std::vector<size_t> least;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = width_of(columns_[i].head);
    size_t word = width;
    for (const auto &row : rows_) {
      width = std::max(width, width_of(row.cells[i]));
      word = std::max(word, columns_[i].firm ? width_of(row.cells[i]) : longest_word(row.cells[i]));
    }
    widths.push_back(width);
    least.push_back(word);
  }
  const size_t gaps = kGap * (columns_.size() - 1);
  // The widest column gives way.
  for (size_t sum = std::accumulate(widths.begin(), widths.end(), gaps); sum > most; --sum) {
    size_t *widest = nullptr;
    for (size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (!widest || widths[i] > *widest)) widest = &widths[i];
    if (!widest) return {};
    --*widest;
  }
  return widths;
}

std::string TextTable::lines_of(const std::vector<std::string> &cells,
                                const std::vector<size_t> &widths) const {
  std::vector<std::vector<std::string>> parts;
  size_t height = 1;
  for (size_t i = 0; i < cells.size(); ++i) {
    parts.push_back(wrapped(cells[i], widths[i]));
    height = std::max(height, parts[i].size());
  }
  std::string text;
  for (size_t line = 0; line < height; ++line) {
    std::string out;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string part = line < parts[i].size() ? parts[i][line] : "";
      const std::string blanks(widths[i] - std::min(widths[i], width_of(part)), ' ');
      out += columns_[i].align == Align::right ? blanks + part : part + blanks;
      out.append(kGap, ' ');
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  return text;
}

std::string TextTable::list_of(const Row &row, size_t columns) const {
  size_t width = 0;
  for (const Column &column : columns_) width = std::max(width, width_of(column.head));
  std::string text = row.cells[0] + "\n";
  for (size_t i = 1; i < columns_.size(); ++i) {
    if (row.cells[i].empty()) continue;
    const std::string indent(kGap, ' ');
    text += entry_text(indent + columns_[i].head, width + kGap, row.cells[i], columns);
  }
  return text;
}

std::string TextTable::to_text(FILE *stream) const {
  const size_t columns = columns_of(stream);
  const std::vector<size_t> widths = this->widths(columns);
  std::string text;
  if (!widths.empty()) {
    std::vector<std::string> heads;
    for (const Column &column : columns_) heads.push_back(column.head);
    text = lines_of(heads, widths);
    text.pop_back();
    text = emphasized(text, stream) + "\n";
  }
  for (const Row &row : rows_) {
    text += widths.empty() ? list_of(row, columns) : lines_of(row.cells, widths);
    for (const std::string &below : row.below)
      for (const std::string &line : wrapped(below, columns - kIndent, LongWords::kept))
        text += std::string(kIndent, ' ') + line + "\n";
  }
  return text;
}

}  // namespace genclip
