// SPDX-License-Identifier: LGPL-2.1-or-later
//
// CSV as RFC 4180 has it, record by record.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace genclip {

struct CsvRecord {
  unsigned line = 0;  // Where it begins; with a problem, where that is. From 1.
  std::vector<std::string> cells;
  std::string problem;  // A sentence. Empty: there is none.
};

// Borrows the text. Records end with LF, CR LF or CR. Lines without any character are skipped. After a
// problem it continues with the next line.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : left_(text) {}

  // Nothing: the end.
  std::optional<CsvRecord> next();

 private:
  bool at_end_of_line() const { return left_.empty() || left_[0] == '\n' || left_[0] == '\r'; }
  void skip_end_of_line();
  std::string take_plain();
  std::optional<std::string> take_quoted();
  CsvRecord broken(unsigned line, const char *problem);

  std::string_view left_;
  unsigned line_ = 1;
};

}  // namespace genclip
