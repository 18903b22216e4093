// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A table for a terminal: columns as wide as needed, cells broken where the terminal ends.
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
    std::string head;  // All empty: no line of heads.
    Align align = Align::left;
    bool firm = false;  // Its cells are never broken: names to be copied.
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns, each printable. `below` is a line of its own, cut where it must be.
  void add(std::vector<std::string> cells, std::string below = {}) {
    rows_.push_back({std::move(cells), std::move(below)});
  }
  bool empty() const { return rows_.empty(); }

  // Lines no longer than the stream's columns, as far as firm cells allow, for it to be printed there.
  std::string to_text(FILE *stream) const;

 private:
  std::vector<size_t> widths(size_t most) const;

  const std::vector<Column> columns_;
  struct Row {
    std::vector<std::string> cells;
    std::string below;
  };

  std::vector<Row> rows_;
};

// The text, or as much of it as fits and an ellipsis.
std::string cut_to(std::string_view text, size_t width);
// The text in lines of at most `width` columns, broken at blanks where there are some.
std::vector<std::string> wrapped(std::string_view text, size_t width);

}  // namespace genclip
