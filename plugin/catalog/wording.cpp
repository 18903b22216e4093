// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/wording.h"

#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

constexpr size_t kMostQuoted = 60;

std::string listed(const std::vector<std::string> &names, std::string_view last) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::string quoted(std::string_view text) { return '"' + shown_line(text, kMostQuoted) + '"'; }

std::string shown(const Json &value) {
  if (const auto *text = value.string()) return quoted(*text);
  if (value.array()) return "a list";
  if (value.object()) return "an object";
  return value.to_text();
}

std::string either(const std::vector<std::string> &names) { return listed(names, " or "); }
std::string both(const std::vector<std::string> &names) { return listed(names, " and "); }

void append_part(std::string &text, std::string_view part) {
  if (part.empty()) return;
  if (!text.empty()) text += "; ";
  text += part;
}

std::string markdown_row(const std::vector<std::string> &cells) {
  std::string text = "|";
  for (const std::string &cell : cells) {
    if (!cell.empty()) text += " ";
    for (const char c : cell) text += c == '|' ? std::string("\\|") : std::string(1, c);
    text += " |";
  }
  return text + "\n";
}

}  // namespace genclip
