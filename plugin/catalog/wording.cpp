// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Quoting and listing.
#include "plugin/catalog/wording.h"

#include <glib.h>

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

constexpr size_t kMostBytes = 240;
constexpr glong kMostCharacters = 60;

std::string listed(const std::vector<std::string> &names, std::string_view last) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::string quoted(std::string_view text) {
  const bool cut = text.size() > kMostBytes;
  const GStringPtr valid(
      g_utf8_make_valid(text.data(), static_cast<gssize>(std::min(text.size(), kMostBytes))));
  std::string out = "\"";
  glong count = 0;
  const char *at = valid.get();
  for (; *at && count < kMostCharacters; at = g_utf8_next_char(at), ++count) {
    const gunichar c = g_utf8_get_char(at);
    if (is_shown(c))
      out.append(at, static_cast<size_t>(g_utf8_next_char(at) - at));
    else
      out += ' ';
  }
  return out + (cut || *at ? "…\"" : "\"");
}

std::string shown(const Json &value) {
  if (const auto *text = value.string()) return quoted(*text);
  if (value.array()) return "a list";
  if (value.object()) return "an object";
  return value.to_text();
}

std::string either(const std::vector<std::string> &names) { return listed(names, " or "); }
std::string both(const std::vector<std::string> &names) { return listed(names, " and "); }

std::string counted(int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

void append_part(std::string &text, std::string_view part) {
  if (part.empty()) return;
  if (!text.empty()) text += "; ";
  text += part;
}

}  // namespace genclip
