// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/text_table.h"

#include <glib.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "plugin/command/console.h"

namespace genclip {
namespace {

// Chinese and Japanese have no blanks: a line may end at any of their characters, but not before a mark that
// belongs to what stands before it.
bool may_end_between(gunichar before, gunichar after) {
  const GUnicodeBreakType first = g_unichar_break_type(before);
  const GUnicodeBreakType second = g_unichar_break_type(after);
  if (second == G_UNICODE_BREAK_IDEOGRAPHIC)
    return first != G_UNICODE_BREAK_OPEN_PUNCTUATION && first != G_UNICODE_BREAK_ZERO_WIDTH_JOINER;
  return first == G_UNICODE_BREAK_IDEOGRAPHIC &&
         (second == G_UNICODE_BREAK_ALPHABETIC || second == G_UNICODE_BREAK_NUMERIC ||
          second == G_UNICODE_BREAK_OPEN_PUNCTUATION);
}

struct LineEnd {
  size_t end;   // Bytes of the line.
  size_t next;  // Where the next one begins.
};

// The last place within `width` columns where a line may end, else the first one behind them.
std::optional<LineEnd> line_end(std::string_view text, size_t width) {
  std::optional<LineEnd> found;
  gunichar before = 0;
  for (size_t at = 0, used = 0; at < text.size();) {
    const gunichar c = g_utf8_get_char(text.data() + at);
    const auto length = static_cast<size_t>(g_utf8_next_char(text.data() + at) - (text.data() + at));
    if (found && c == ' ' && found->next == at) {
      ++found->next;
    } else if (at > 0 && (c == ' ' || may_end_between(before, c))) {
      if (used <= width || !found) found = LineEnd{at, c == ' ' ? at + 1 : at};
      if (used > width) break;
    }
    used += width_of(text.substr(at, length));
    before = c;
    at += length;
  }
  return found;
}

size_t longest_word(std::string_view text) {
  size_t longest = 0;
  for (;;) {
    const auto end = line_end(text, 0);
    longest = std::max(longest, width_of(text.substr(0, end ? end->end : text.size())));
    if (!end) return longest;
    text.remove_prefix(end->next);
  }
}

// The size of the longest beginning of `text` that takes at most `width` columns; at least one character.
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

std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : printable(text))
    if (c != ' ' || !(line.empty() || line.ends_with(' '))) line += c;
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string cut_to(std::string_view text, size_t width) {
  if (width_of(text) <= width) return std::string(text);
  return std::string(text.substr(0, fitting(text, width - 1))) + "…";
}

std::vector<std::string> wrapped(std::string_view text, size_t width, LongWords words) {
  std::vector<std::string> lines;
  for (size_t room = fitting(text, width); room < text.size(); room = fitting(text, width)) {
    auto end = line_end(text, width);
    if (words == LongWords::broken && (!end || end->end > room)) end = LineEnd{room, room};
    if (!end) break;
    lines.emplace_back(text.substr(0, end->end));
    text.remove_prefix(end->next);
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::vector<std::string> listed(const std::vector<std::string> &items, size_t width) {
  std::vector<std::string> lines;
  for (const std::string &item : items) {
    if (!lines.empty()) lines.back() += ",";
    // A comma may follow.
    if (!lines.empty() && width_of(lines.back()) + 1 + width_of(item) + 1 <= width)
      lines.back() += " " + item;
    else
      lines.push_back(item);
  }
  return lines;
}

std::string entry_text(const std::string &name, size_t name_width, std::string_view text, size_t columns) {
  if (columns == kNoLimit) {
    std::string line = name + "\t" + std::string(text) + "\n";
    std::replace(line.begin(), line.end() - 1, '\n', ' ');
    return line;
  }
  const size_t indent = name_width + kGap;
  const size_t width = columns - std::min(columns / 2, indent);
  std::string shown;
  std::string before = name + std::string(indent - std::min(indent, width_of(name)), ' ');
  for (bool more = true; more;) {
    const size_t end = std::min(text.find('\n'), text.size());
    for (const std::string &line : wrapped(text.substr(0, end), width, LongWords::kept)) {
      shown += before + line;
      shown.erase(shown.find_last_not_of(' ') + 1);
      shown += "\n";
      before = std::string(indent, ' ');
    }
    more = end < text.size();
    text.remove_prefix(more ? end + 1 : end);
  }
  return shown;
}

size_t TextTable::least_width(size_t column, const std::string &cell) const {
  const size_t width = columns_[column].firm ? width_of(cell) : longest_word(cell);
  return std::max(width, width_of(columns_[column].head));
}

// Which rows stand side by side: as many as fit, the narrow ones first, so that one long name does not make a
// list of every row.
std::vector<bool> TextTable::fitting_rows(size_t most) const {
  std::vector<std::pair<size_t, size_t>> order;  // Width of a row, and its number.
  for (size_t row = 0; row < rows_.size(); ++row) {
    order.emplace_back(0, row);
    for (size_t i = 0; i < columns_.size(); ++i) order.back().first += least_width(i, rows_[row].cells[i]);
  }
  std::sort(order.begin(), order.end());
  std::vector<bool> fit(rows_.size());
  std::vector<size_t> least(columns_.size(), 0);
  for (const auto &[width, row] : order) {
    std::vector<size_t> with = least;
    for (size_t i = 0; i < columns_.size(); ++i)
      with[i] = std::max(with[i], least_width(i, rows_[row].cells[i]));
    fit[row] = std::accumulate(with.begin(), with.end(), kGap * (columns_.size() - 1)) <= most;
    if (fit[row]) least = std::move(with);
  }
  return fit;
}

// The widths of the columns, at most `most` with the gaps, for the rows that fit side by side.
std::vector<size_t> TextTable::widths(const std::vector<bool> &fit, size_t most) const {
  std::vector<size_t> widths;
  std::vector<size_t> least;
  for (const Column &column : columns_) {
    widths.push_back(width_of(column.head));
    least.push_back(widths.back());
  }
  for (size_t row = 0; row < rows_.size(); ++row) {
    for (size_t i = 0; fit[row] && i < columns_.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(rows_[row].cells[i]));
      least[i] = std::max(least[i], least_width(i, rows_[row].cells[i]));
    }
  }
  const size_t gaps = kGap * (columns_.size() - 1);
  // Narrows the widest column.
  for (size_t sum = std::accumulate(widths.begin(), widths.end(), gaps); sum > most; --sum) {
    size_t *widest = nullptr;
    for (size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (!widest || widths[i] > *widest)) widest = &widths[i];
    if (!widest) break;
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

bool TextTable::is_last_cramped(const std::vector<size_t> &widths) const {
  return widths.back() < columns_.back().least &&
         std::any_of(rows_.begin(), rows_.end(),
                     [&](const Row &row) { return width_of(row.cells.back()) > widths.back(); });
}

TextTable TextTable::without_last_column() const {
  TextTable table({columns_.begin(), columns_.end() - 1});
  for (Row row : rows_) {
    if (!row.cells.back().empty()) row.below.insert(row.below.begin(), row.cells.back());
    row.cells.pop_back();
    table.rows_.push_back(std::move(row));
  }
  return table;
}

std::string TextTable::separated_by_tabs() const {
  std::string text;
  for (const Column &column : columns_) text += column.head + "\t";
  text.back() = '\n';
  for (const Row &row : rows_) {
    for (const std::string &cell : row.cells) text += (cell.empty() ? "-" : cell) + "\t";
    text.back() = '\n';
  }
  return text;
}

std::string TextTable::to_text(FILE *stream) const {
  const size_t columns = columns_of(stream);
  if (columns == kNoLimit) return separated_by_tabs();
  const std::vector<bool> fit = fitting_rows(columns);
  const std::vector<size_t> widths = this->widths(fit, columns);
  if (is_last_cramped(widths)) return without_last_column().to_text(stream);
  std::string text;
  if (std::find(fit.begin(), fit.end(), true) != fit.end()) {
    std::vector<std::string> heads;
    for (const Column &column : columns_) heads.push_back(column.head);
    text = lines_of(heads, widths);
    text.pop_back();
    text = emphasized(text, stream) + "\n";
  }
  for (size_t row = 0; row < rows_.size(); ++row) {
    text += fit[row] ? lines_of(rows_[row].cells, widths) : list_of(rows_[row], columns);
    for (const std::string &below : rows_[row].below)
      for (const std::string &line : wrapped(below, columns - kIndent, LongWords::kept))
        text += std::string(kIndent, ' ') + line + "\n";
  }
  return text;
}

}  // namespace genclip
