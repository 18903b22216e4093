// SPDX-License-Identifier: LGPL-2.1-or-later
//
// M3U, and one URI a line, which is the same without #EXTINF.
#include <algorithm>
#include <cmath>

#include "plugin/base/number.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/trimmed.h"
#include "plugin/channel/item_source.h"
#include "plugin/channel/rundown_formats.h"
#include "plugin/channel/rundown_reader.h"

namespace genclip {
namespace {

constexpr std::string_view kInfo = "#EXTINF:";

// Files of other formats would be as many paths of files that do not exist.
struct OtherFormat {
  std::string_view begin;
  const char *mistake;
};
constexpr const char *kNoXml = "This is XML. A rundown is JSON, M3U, or one URI or path a line.";
constexpr const char *kNoScript =
    "This is a script of ffmpeg. A rundown is JSON, M3U, or one URI or path a line.";
constexpr const char *kNoPls =
    "This is a playlist in PLS. A rundown is JSON, M3U, or one URI or path a line.";
constexpr const char *kJsonAlone = "JSON must be the whole rundown, without comments or other lines.";
constexpr OtherFormat kOtherFormats[] = {
    {"<", kNoXml},         {"ffconcat version", kNoScript},
    {"file '", kNoScript}, {"[playlist]", kNoPls},
    {"{\"", kJsonAlone},   {"{ ", kJsonAlone},
    {"/*", kJsonAlone},    {"// ", "A comment begins with #, and JSON has none."},
};

// Null: it is a URI or a path.
const char *mistake_in(std::string_view line) {
  if (line == "{") return kJsonAlone;
  for (const OtherFormat &format : kOtherFormats)
    if (line.starts_with(format.begin)) return format.mistake;
  return nullptr;
}

// "12.5 tvg-id="x",Title". The length is missing, 0 or -1 where it is not known.
void read_info(std::string_view info, RundownItem &item) {
  const auto seconds = take_number<double>(info);
  if (seconds && *seconds > 0 && *seconds <= kMaxItemSeconds) {
    item.length = std::chrono::nanoseconds(std::llround(*seconds * 1e9));
    item.is_length_of_still = true;
  }
  bool is_quoted = false;
  for (size_t i = 0; i < info.size(); ++i) {
    if (info[i] == '"') is_quoted = !is_quoted;
    if (info[i] != ',' || is_quoted) continue;
    item.title = shown_line(std::string(trimmed(info.substr(i + 1))), kMaxTitle);
    return;
  }
}

}  // namespace

Result<Rundown, RundownLine> read_line_rundown(std::string_view text, const std::string &folder) {
  Rundown rundown;
  RundownItem item;
  const char end_of_line = text.find('\n') == text.npos ? '\r' : '\n';
  for (unsigned number = 1; !text.empty(); ++number) {
    const auto whole = text.substr(0, text.find(end_of_line));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const auto line = trimmed(whole);
    if (line.starts_with(kInfo)) read_info(line.substr(kInfo.size()), item);
    if (line.empty() || line.starts_with('#')) continue;
    if (rundown.items.size() == kMaxRundownItems)
      return RundownLine{number, "The rundown has more than " + std::to_string(kMaxRundownItems) + " items."};
    if (const char *mistake = mistake_in(line)) return RundownLine{number, mistake};
    auto uri = source_uri(line, folder);
    if (!uri) return RundownLine{number, std::move(uri).error().text};
    item.source = std::move(*uri);
    item.line = number;
    rundown.items.push_back(std::move(item));
    item = {};
  }
  return rundown;
}

}  // namespace genclip
