// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/csv_record.h"

#include <algorithm>

namespace genclip {

std::optional<CsvRecord> CsvReader::next() {
  while (!left_.empty() && at_end_of_line()) skip_end_of_line();
  if (left_.empty()) return std::nullopt;
  CsvRecord record{line_, {}, ""};
  while (true) {
    const unsigned line = line_;
    if (left_.starts_with('"')) {
      auto cell = take_quoted();
      if (!cell) return broken(line, "A quotation mark is opened here and never closed.");
      record.cells.push_back(std::move(*cell));
      if (!at_end_of_line() && left_[0] != ',')
        return broken(line_,
                      "There is text behind a closing quotation mark. Inside a cell, write \"\" for one.");
    } else {
      record.cells.push_back(take_plain());
      if (left_.starts_with('"'))
        return broken(line_,
                      "There is a quotation mark in a cell without quotation marks around it. Put them "
                      "around the cell, and write \"\" for one inside.");
    }
    if (at_end_of_line()) break;
    left_.remove_prefix(1);
  }
  skip_end_of_line();
  return record;
}

void CsvReader::skip_end_of_line() {
  if (left_.empty()) return;
  left_.remove_prefix(left_.starts_with("\r\n") ? 2 : 1);
  ++line_;
}

std::string CsvReader::take_plain() {
  const size_t end = std::min(left_.find_first_of(",\"\r\n"), left_.size());
  std::string cell(left_.substr(0, end));
  left_.remove_prefix(end);
  return cell;
}

// From its quotation mark to behind the closing one. Nothing: that is missing.
std::optional<std::string> CsvReader::take_quoted() {
  std::string cell;
  left_.remove_prefix(1);
  while (!left_.empty()) {
    if (left_.starts_with("\"\"")) {
      cell += '"';
      left_.remove_prefix(2);
    } else if (left_[0] == '"') {
      left_.remove_prefix(1);
      return cell;
    } else if (at_end_of_line()) {
      cell += '\n';
      skip_end_of_line();
    } else {
      const size_t end = std::min(left_.find_first_of("\"\r\n"), left_.size());
      cell += left_.substr(0, end);
      left_.remove_prefix(end);
    }
  }
  return std::nullopt;
}

CsvRecord CsvReader::broken(unsigned line, const char *problem) {
  while (!at_end_of_line()) left_.remove_prefix(1);
  skip_end_of_line();
  return {line, {}, problem};
}

}  // namespace genclip
