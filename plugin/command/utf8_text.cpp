// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/utf8_text.h"

#include <glib.h>

namespace genclip {

unsigned line_that_is_not_utf8(std::string_view text) {
  const char *end = nullptr;
  if (g_utf8_validate_len(text.data(), text.size(), &end)) return 0;
  unsigned line = 1;
  for (const char *c = text.data(); c < end; ++c)
    if (*c == '\r' || (*c == '\n' && (c == text.data() || c[-1] != '\r'))) ++line;
  return line;
}

}  // namespace genclip
