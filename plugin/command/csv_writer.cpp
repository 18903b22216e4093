// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/csv_writer.h"

#include "plugin/base/number.h"
#include "plugin/command/text_table.h"

namespace genclip {
namespace {

// What others have written must not become a formula in a spreadsheet, where it could call programs. Numbers
// stay numbers.
bool is_like_a_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@").find(text[0]) != std::string_view::npos &&
         !parse_number<double>(text);
}

std::string cell_text(const Json *value) {
  if (!value || value->is_null()) return "";
  if (const auto *real = value->real()) return number_text(*real);
  const auto *text = value->string();
  if (!text) return value->to_text();
  const std::string line = in_one_line(*text);
  return is_like_a_formula(line) ? "'" + line : line;
}

std::string quoted_cell(const std::string &cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string line_of(const std::vector<std::string> &cells) {
  std::string line;
  for (const std::string &cell : cells) line += (&cell == &cells.front() ? "" : ",") + quoted_cell(cell);
  return line + "\r\n";
}

}  // namespace

std::string csv_of(const std::vector<std::string> &names, const Json::Array &rows) {
  std::string text = line_of(names);
  for (const Json &row : rows) {
    std::vector<std::string> cells;
    for (const std::string &name : names) cells.push_back(cell_text(row.find(name)));
    text += line_of(cells);
  }
  return text;
}

}  // namespace genclip
