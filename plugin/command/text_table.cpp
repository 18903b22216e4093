// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Widths first, then lines.
#include "plugin/command/text_table.h"

#include <glib.h>

#include <algorithm>
#include <numeric>

#include "plugin/command/console.h"

namespace genclip {
namespace {

constexpr size_t kGap = 2;
const std::string kBelow(4, ' ');
constexpr size_t kNarrowest = 6;

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

std::vector<std::string> wrapped(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  while (width_of(text) > width) {
    size_t end = fitting(text, width);
    size_t next = end;
    if (const size_t blank = text.substr(0, end + 1).rfind(' '); blank != text.npos && blank > 0) {
      end = blank;
      next = blank + 1;
    }
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(next);
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::vector<size_t> TextTable::widths(size_t most) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = width_of(columns_[i].head);
    for (const auto &row : rows_) width = std::max(width, width_of(row.cells[i]));
    widths.push_back(width);
  }
  const size_t gaps = kGap * (columns_.size() - 1);
  size_t sum = std::accumulate(widths.begin(), widths.end(), gaps);
  // The widest column gives way.
  for (; sum > most; --sum) {
    size_t *widest = nullptr;
    for (size_t i = 0; i < widths.size(); ++i)
      if (!columns_[i].firm && (!widest || widths[i] > *widest)) widest = &widths[i];
    if (!widest || *widest <= kNarrowest) break;
    --*widest;
  }
  return widths;
}

std::string TextTable::to_text(FILE *stream) const {
  const std::vector<size_t> widths = this->widths(columns_of(stream));
  const auto write = [&](const std::vector<std::string> &cells) {
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
  };

  std::vector<std::string> heads;
  for (const Column &column : columns_) heads.push_back(column.head);
  std::string text;
  if (std::any_of(heads.begin(), heads.end(), [](const std::string &head) { return !head.empty(); })) {
    text = write(heads);
    text.pop_back();
    text = emphasized(text, stream) + "\n";
  }
  for (const Row &row : rows_) {
    text += write(row.cells);
    if (!row.below.empty()) text += kBelow + cut_to(row.below, columns_of(stream) - kBelow.size()) + "\n";
  }
  return text;
}

}  // namespace genclip
