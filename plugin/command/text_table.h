// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A table for a terminal: columns as wide as needed, and cells broken between words where the terminal ends.
// A row whose words do not fit side by side is printed as a list of its cells. For a program, each row is one
// line with tabs between the cells.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace genclip {

inline constexpr size_t kGap = 2;  // Columns between two cells, and between a name and its text.

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string head;
    Align align = Align::left;
    bool firm = false;  // Its cells are never broken, because users copy them.
    // Of the last column, which holds texts: the width that it needs. If less is left, its cells are printed
    // below their rows.
    size_t least = 0;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns, each printable. The texts in `below` are printed on lines of their
  // own, broken between words only; not for a program.
  void add(std::vector<std::string> cells, std::vector<std::string> below = {}) {
    rows_.push_back({std::move(cells), std::move(below)});
  }
  bool empty() const { return rows_.empty(); }

  // As it is printed to that stream: lines no longer than its columns, unless a firm cell is longer. For a
  // pipe or a file, each row is one line, and an empty cell is "-", so that each line has as many cells as
  // the table has columns.
  std::string to_text(FILE *stream) const;

  // The indent of lines below a row.
  static constexpr size_t kIndent = 4;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::vector<std::string> below;
  };

  size_t least_width(size_t column, const std::string &cell) const;
  std::vector<bool> fitting_rows(size_t most) const;
  std::vector<size_t> widths(const std::vector<bool> &fit, size_t most) const;
  bool is_last_cramped(const std::vector<size_t> &widths) const;
  TextTable without_last_column() const;
  std::string separated_by_tabs() const;
  std::string lines_of(const std::vector<std::string> &cells, const std::vector<size_t> &widths) const;
  std::string list_of(const Row &row, size_t columns) const;

  const std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// A text that others have written, in one line: each run of blanks, tabs and line ends becomes one blank.
std::string in_one_line(std::string_view text);
// The text, or as much of it as fits with an ellipsis.
std::string cut_to(std::string_view text, size_t width);
// The text in lines of at most `width` columns, broken at blanks and, in scripts that write none, between
// characters.
enum class LongWords { broken, kept };  // Kept: a long word that users copy makes its line longer.
std::vector<std::string> wrapped(std::string_view text, size_t width, LongWords words = LongWords::broken);
// The items in lines of at most `width` columns, with commas between them; an item is not broken.
std::vector<std::string> listed(const std::vector<std::string> &items, size_t width);
// A name and its text: "Prompt  a storm". All lines of the text have the same indent. For a program, one line
// with a tab between the two.
std::string entry_text(const std::string &name, size_t name_width, std::string_view text, size_t columns);

}  // namespace genclip
