// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Redacts before it cuts: a cut could leave the front of a key, which redaction would not recognise.
#include "plugin/http/display_line.h"

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/trimmed.h"
#include "plugin/base/utf8.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

// Far more than is ever shown. A word that a cut there would break is left out.
constexpr size_t kMostRead = 65'536;

}  // namespace

std::string display_line(std::string_view text, size_t max_characters, const Secrets &secrets) {
  if (text.empty()) return {};
  if (text.size() > kMostRead) text = text.substr(0, text.find_last_of(" \t\n", kMostRead));
  if (text.size() > kMostRead) text = text.substr(0, kMostRead);
  const GStringPtr valid = valid_utf8(text);
  const std::string line = shown_line(redact_text(valid.get(), secrets));
  std::string squeezed;
  for (const char c : trimmed(line))
    if (c != ' ' || squeezed.back() != ' ') squeezed += c;
  return shown_line(squeezed, max_characters);
}

}  // namespace genclip
