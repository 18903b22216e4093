// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/rundown_reader.h"

#include <glib.h>

#include <set>
#include <unordered_map>

#include "plugin/base/gref.h"
#include "plugin/base/trimmed.h"
#include "plugin/base/utf8.h"
#include "plugin/catalog/wording.h"
#include "plugin/channel/item_source.h"
#include "plugin/channel/rundown_formats.h"

namespace genclip {
namespace {

// Text that is not UTF-8 is Latin-1, as M3U files were before there was M3U8.
std::string in_utf8(std::string_view text) {
  text = without_byte_order_mark(text);
  if (is_utf8(text)) return std::string(text);
  std::string converted;
  converted.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    char bytes[6];
    converted.append(bytes, static_cast<size_t>(g_unichar_to_utf8(static_cast<guchar>(c), bytes)));
  }
  return converted;
}

// Whether a bracket or a text is still open at the end.
bool is_open(std::string_view json) {
  int depth = 0;
  bool is_quoted = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_quoted && c == '\\')
      ++i;
    else if (c == '"')
      is_quoted = !is_quoted;
    else if (!is_quoted && (c == '{' || c == '['))
      ++depth;
    else if (!is_quoted && (c == '}' || c == ']'))
      --depth;
  }
  return is_quoted || depth > 0;
}

bool is_json(std::string_view text) {
  const auto begin = trimmed(text);
  return begin.starts_with('{') || (begin.starts_with('[') && !begin.starts_with("[playlist]"));
}

// An ID for each item that has none. Equal sources get numbers, in their order.
void name_items(Rundown &rundown) {
  std::set<std::string, std::less<>> used;
  for (const RundownItem &item : rundown.items) used.insert(item.id);
  std::unordered_map<std::string, unsigned> counts;
  for (RundownItem &item : rundown.items) {
    if (!item.id.empty()) continue;
    const std::string name = name_of_source(item.source);
    unsigned &count = counts[name];
    do {
      ++count;
      item.id = count == 1 ? name : name + "-" + std::to_string(count);
    } while (!used.insert(item.id).second);
  }
}

std::optional<RundownLine> repeated_id(const Rundown &rundown) {
  std::unordered_map<std::string_view, unsigned> lines;
  for (const RundownItem &item : rundown.items) {
    const auto [first, is_new] = lines.emplace(item.id, item.line);
    if (!is_new && !item.id.empty())
      return RundownLine{item.line, "The item of line " + std::to_string(first->second) +
                                        " has the same \"id\", " + quoted(item.id) + "."};
  }
  return std::nullopt;
}

}  // namespace

Result<Rundown, RundownLine> read_rundown(std::string_view text, const std::string &folder) {
  if (text.find('\0') != text.npos)
    return RundownLine{
        0,
        "This is not a text, but perhaps a clip. A rundown is a text, which lists what is played: in "
        "JSON, as M3U, or with one file or URI a line."};
  if (text.size() > kMaxRundownSize)
    return RundownLine{0, "The rundown is larger than " + std::to_string(kMaxRundownSize) + " bytes."};
  const std::string utf8 = in_utf8(text);
  auto rundown = is_json(utf8) ? read_json_rundown(utf8, folder) : read_line_rundown(utf8, folder);
  if (!rundown) return rundown;
  if (rundown->items.empty()) return RundownLine{0, "The rundown has no items."};
  if (auto mistake = repeated_id(*rundown)) return std::move(*mistake);
  name_items(*rundown);
  rundown->reindex();
  return rundown;
}

bool may_be_unfinished(std::string_view text) {
  text = without_byte_order_mark(text);
  if (is_json(text)) return is_open(text);
  return !text.ends_with('\n') && !text.ends_with('\r');
}

Result<Rundown, RundownLine> read_rundown_item(std::string_view json, const std::string &folder) {
  if (json.size() > kMaxRundownSize) return RundownLine{0, "The item is too large."};
  return read_json_item(in_utf8(json), folder);
}

std::string unused_id(const Rundown &rundown, const RundownItem &item) {
  const std::string name = name_of_source(item.source);
  std::string id = name;
  for (unsigned count = 2; rundown.find(id); ++count) id = name + "-" + std::to_string(count);
  return id;
}

}  // namespace genclip
