// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Valid, then redacted, then cut: a cut must not leave the front of a key.
#include "plugin/http/display_line.h"

#include <glib.h>

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

// What a character becomes in one line: itself, a blank or nothing (0).
gunichar shown(gunichar character) {
  if (is_shown(character)) return character;
  return g_unichar_type(character) == G_UNICODE_FORMAT ? 0 : ' ';
}

}  // namespace

std::string display_line(std::string_view text, size_t max_characters, std::string_view key) {
  const GStringPtr valid(g_utf8_make_valid(text.data(), static_cast<gssize>(text.size())));
  const std::string redacted = redact_text(valid.get(), key);
  std::string line;
  size_t characters = 0;
  size_t before_last = 0;  // Bytes without the last character and the blank before it.
  bool blank = false;      // Comes before the next character, if there is one.
  for (const char *at = redacted.c_str(); *at; at = g_utf8_next_char(at)) {
    const gunichar character = shown(g_utf8_get_char(at));
    if (character == ' ') blank = !line.empty();
    if (character == 0 || character == ' ') continue;
    const size_t more = blank ? 2 : 1;
    if (characters + more > max_characters) {
      if (characters == max_characters) line.resize(before_last);
      line += "…";
      break;
    }
    before_last = line.size();
    if (blank) line += ' ';
    char bytes[6];
    line.append(bytes, static_cast<size_t>(g_unichar_to_utf8(character, bytes)));
    characters += more;
    blank = false;
  }
  return line;
}

}  // namespace genclip
