// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Redacts before it cuts: a cut could leave the front of a key, which redaction would not recognise.
#include "plugin/http/display_line.h"

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/trimmed.h"
#include "plugin/http/redaction.h"

namespace genclip {

std::string display_line(std::string_view text, size_t max_characters, std::string_view key) {
  const GStringPtr valid(g_utf8_make_valid(text.data(), static_cast<gssize>(text.size())));
  const std::string line = shown_line(redact_text(valid.get(), key));
  std::string squeezed;
  for (const char c : trimmed(line))
    if (c != ' ' || squeezed.back() != ' ') squeezed += c;
  return shown_line(squeezed, max_characters);
}

}  // namespace genclip
