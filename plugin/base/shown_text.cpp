// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/shown_text.h"

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/utf8.h"

namespace genclip {

bool is_shown(gunichar character) {
  switch (g_unichar_type(character)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR: return false;
    // The two joiners shape letters and emoji and do no harm.
    case G_UNICODE_FORMAT: return character == 0x200C || character == 0x200D;
    default: return true;
  }
}

bool is_all_shown(std::string_view text) {
  if (!is_utf8(text)) return false;
  for (const char *at = text.data(); at < text.data() + text.size(); at = g_utf8_next_char(at))
    if (!is_shown(g_utf8_get_char(at))) return false;
  return true;
}

std::string shown_line(std::string_view text, size_t max_characters) {
  // A character has 4 bytes at most, and one beyond the limit shows that there are more.
  if (text.size() / 4 > max_characters) text = text.substr(0, 4 * (max_characters + 1));
  const GStringPtr valid = valid_utf8(text);
  std::string line;
  size_t characters = 0;
  size_t before_last = 0;  // Bytes in front of the last character that may be shown.
  for (const char *at = valid.get(); *at; at = g_utf8_next_char(at)) {
    if (++characters > max_characters) {
      line.resize(before_last);
      while (line.ends_with(' ')) line.pop_back();
      return line + "…";
    }
    before_last = line.size();
    if (is_shown(g_utf8_get_char(at)))
      line.append(at, static_cast<size_t>(g_utf8_next_char(at) - at));
    else
      line += ' ';
  }
  return line;
}

std::string it_says(const std::string &message) {
  if (message.empty()) return "";
  constexpr std::string_view kEnds[] = {".", "!", "?", "…", "。", "！", "？"};
  const bool ended = std::any_of(std::begin(kEnds), std::end(kEnds),
                                 [&](std::string_view end) { return message.ends_with(end); });
  return " It says: " + message + (ended ? "" : ".");
}

}  // namespace genclip
