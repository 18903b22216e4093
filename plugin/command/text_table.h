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
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns, each printable.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  // Lines no longer than the stream's columns, for it to be printed there.
  std::string to_text(FILE *stream) const;

 private:
  std::vector<size_t> widths(size_t most) const;

  const std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// The text in lines of at most `width` columns, broken at blanks where there are some.
std::vector<std::string> wrapped(std::string_view text, size_t width);

}  // namespace genclip
