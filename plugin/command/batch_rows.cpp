// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/batch_rows.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/number.h"
#include "plugin/base/trimmed.h"
#include "plugin/command/csv_record.h"
#include "plugin/command/utf8_text.h"

namespace genclip {
namespace {

struct NamedFormat {
  std::string_view extension;
  BatchFormat format;
};
constexpr NamedFormat kFormats[] = {{".jsonl", BatchFormat::jsonl},
                                    {".ndjson", BatchFormat::jsonl},
                                    {".csv", BatchFormat::csv},
                                    {".txt", BatchFormat::text}};

// Takes the next line, without its end. `number` is that of the line.
std::string_view take_line(std::string_view &text, unsigned &number) {
  ++number;
  const size_t end = std::min(text.find_first_of("\r\n"), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(end);
  text.remove_prefix(text.starts_with("\r\n") ? 2 : std::min<size_t>(1, text.size()));
  return line;
}

void read_texts(std::string_view text, BatchRows &rows) {
  for (unsigned number = 0; !text.empty();) {
    const auto prompt = trimmed(take_line(text, number));
    if (!prompt.empty()) rows.rows.push_back({number, {{"prompt", std::string(prompt)}}});
  }
}

void read_objects(std::string_view text, BatchRows &rows) {
  for (unsigned number = 0; !text.empty();) {
    const auto line = trimmed(take_line(text, number));
    if (line.empty()) continue;
    auto json = Json::parse(line, Json::Lines::unknown, Json::Reading::exact);
    if (!json) {
      rows.problems.push_back({number, json.error().text});
      continue;
    }
    Json::Object *object = json->object();
    if (!object) {
      rows.problems.push_back(
          {number, "Each line must be a JSON object, such as {\"prompt\": \"a storm\"}."});
      continue;
    }
    BatchRow row{number, {}};
    for (auto &[name, value] : *object)
      if (!value.is_null()) row.cells.push_back({name, std::move(value), true});
    rows.rows.push_back(std::move(row));
  }
}

// Empty: it is one.
std::string fault_of_head(const CsvRecord &head) {
  if (head.cells.size() == 1)
    for (const char *separator : {";", "\t"})
      if (head.cells[0].find(separator) != std::string::npos)
        return "The columns are not separated by commas. Export the table as CSV with commas.";
  for (const std::string &name : head.cells)
    if (trimmed(name).empty()) return "A column has no name; the first line names the columns.";
  return "";
}

void read_table(std::string_view text, BatchRows &rows) {
  CsvReader reader(text);
  const auto add_problem = [&](const CsvRecord &record) {
    if (record.problem.empty()) return false;
    rows.problems.push_back({record.line, record.problem});
    return true;
  };
  const auto head = reader.next();
  if (!head) return;
  if (add_problem(*head)) return;
  if (std::string fault = fault_of_head(*head); !fault.empty()) {
    rows.problems.push_back({head->line, std::move(fault)});
    return;
  }
  while (const auto record = reader.next()) {
    if (add_problem(*record)) continue;
    const auto is_empty = [](const std::string &cell) { return trimmed(cell).empty(); };
    if (std::all_of(record->cells.begin(), record->cells.end(), is_empty)) continue;
    if (record->cells.size() != head->cells.size()) {
      rows.problems.push_back(
          {record->line, "The row has " + counted(static_cast<int64_t>(record->cells.size()), "cell") +
                             ", but the first line names " +
                             counted(static_cast<int64_t>(head->cells.size()), "column") +
                             ". A cell that holds a comma needs quotation marks around it."});
      continue;
    }
    BatchRow row{record->line, {}};
    for (size_t i = 0; i < head->cells.size(); ++i)
      if (!is_empty(record->cells[i]))
        row.cells.push_back({std::string(trimmed(head->cells[i])), record->cells[i]});
    rows.rows.push_back(std::move(row));
  }
}

}  // namespace

BatchFormat batch_format_of(const std::string &path) {
  for (const NamedFormat &named : kFormats) {
    const size_t length = named.extension.size();
    if (path.size() > length &&
        g_ascii_strcasecmp(path.c_str() + path.size() - length, named.extension.data()) == 0)
      return named.format;
  }
  return BatchFormat::automatic;
}

BatchRows read_batch_rows(std::string_view text, BatchFormat format) {
  BatchRows rows;
  text = without_byte_order_mark(text);
  if (const unsigned line = line_that_is_not_utf8(text)) {
    rows.problems.push_back({line, kNotUtf8});
    return rows;
  }
  if (format == BatchFormat::jsonl) read_objects(text, rows);
  if (format == BatchFormat::csv) read_table(text, rows);
  if (format == BatchFormat::text) read_texts(text, rows);
  if (rows.rows.size() > kMaxBatchRows)
    rows.problems.push_back(
        {rows.rows[kMaxBatchRows].line, "There are more than " + std::to_string(kMaxBatchRows) + " rows."});
  if (rows.rows.empty() && rows.problems.empty()) rows.problems.push_back({0, "There are no rows."});
  return rows;
}

}  // namespace genclip
