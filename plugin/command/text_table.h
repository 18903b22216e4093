// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A table for a terminal: columns as wide as needed, cells broken between words where the terminal ends.
// Where words do not fit side by side, each row is a list of its cells.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace genclip {

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string head;
    Align align = Align::left;
    bool firm = false;  // Its cells are never broken: names to be copied.
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns, each printable. What is `below` begins lines of its own, broken
  // between words only.
  void add(std::vector<std::string> cells, std::vector<std::string> below = {}) {
    rows_.push_back({std::move(cells), std::move(below)});
  }
  bool empty() const { return rows_.empty(); }

  // Lines no longer than the stream's columns, as far as firm cells allow, for it to be printed there.
  std::string to_text(FILE *stream) const;

  // By how much lines below a row are indented.
  static constexpr size_t kIndent = 4;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::vector<std::string> below;
  };

  std::vector<size_t> widths(size_t most) const;
  std::string lines_of(const std::vector<std::string> &cells, const std::vector<size_t> &widths) const;
  std::string list_of(const Row &row, size_t columns) const;

  const std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// The text, or as much of it as fits and an ellipsis.
std::string cut_to(std::string_view text, size_t width);
// The text in lines of at most `width` columns, broken at blanks where there are some.
enum class LongWords { broken, kept };  // Kept: a name that is to be copied makes its line longer.
std::vector<std::string> wrapped(std::string_view text, size_t width, LongWords words = LongWords::broken);
// A name and what it stands for, whose further lines stand below its first: "Prompt  a storm".
std::string entry_text(const std::string &name, size_t name_width, std::string_view text, size_t columns);

}  // namespace genclip
