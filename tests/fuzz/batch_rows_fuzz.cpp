// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as a batch's file, in each format: rows in the order of their lines, or a line and a sentence.
#include <algorithm>

#include "plugin/command/batch_rows.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(batch_rows)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const auto text = as_text(data, size);
  const auto lines =
      1 + std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
  for (const BatchFormat format : {BatchFormat::jsonl, BatchFormat::csv, BatchFormat::text}) {
    const BatchRows rows = read_batch_rows(text, format);
    hold(!rows.rows.empty() || !rows.problems.empty());
    unsigned line = 0;
    for (const BatchRow &row : rows.rows) {
      hold(row.line > line && row.line <= lines);
      line = row.line;
      for (const BatchCell &cell : row.cells) hold(!cell.value.is_null());
    }
    for (const BatchProblem &problem : rows.problems) hold(!problem.text.empty() && problem.line <= lines);
  }
  return 0;
}
