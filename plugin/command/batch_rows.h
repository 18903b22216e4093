// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A batch's file as rows of texts: JSON Lines, CSV, or one prompt a line. Pure. What the names mean, the
// catalog decides later (batch_request.h).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/base/words.h"

namespace genclip {

enum class BatchFormat { automatic, jsonl, csv, text };
template <>
inline constexpr Word<BatchFormat> kWords<BatchFormat>[] = {{BatchFormat::automatic, "auto"},
                                                            {BatchFormat::jsonl, "jsonl"},
                                                            {BatchFormat::csv, "csv"},
                                                            {BatchFormat::text, "text"}};

// By the extension; `automatic`: the name does not tell.
BatchFormat batch_format_of(const std::string &path);

struct BatchCell {
  std::string name;  // As the file spells it.
  Json value;
  // JSON Lines have typed values, no null among them. A string of CSV and text is to be typed by the catalog.
  bool is_typed = false;
};

struct BatchRow {
  unsigned line = 0;  // Where it begins, from 1.
  std::vector<BatchCell> cells;
};

struct BatchProblem {
  unsigned line = 0;  // 0: of the whole file.
  std::string text;
};

struct BatchRows {
  std::vector<BatchRow> rows;
  std::vector<BatchProblem> problems;  // By line.
};

inline constexpr size_t kMaxBatchRows = 100'000;

// Any bytes are safe. UTF-8, with or without a byte order mark; lines end with LF, CR LF, or CR alone.
// - JSON Lines: an object a line. A null counts as left out.
// - CSV as RFC 4180 has it: commas, quotation marks doubled inside quotation marks, which may hold line
//   breaks. The first line names the columns; a name may come again, for a list. An empty cell counts as left
//   out.
// - Text: each line that is not blank is a prompt.
BatchRows read_batch_rows(std::string_view text, BatchFormat format);

}  // namespace genclip
