// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Strict: a range that is misread would join two clips.
#include "plugin/generation/content_range.h"

#include <glib.h>

#include <charconv>

namespace genclip {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && g_ascii_isspace(text.front())) text.remove_prefix(1);
  while (!text.empty() && g_ascii_isspace(text.back())) text.remove_suffix(1);
  return text;
}

// Digits only, all of them.
std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

// What follows the unit; nothing when it is another one.
std::optional<std::string_view> without_unit(std::string_view text) {
  text = trimmed(text);
  constexpr std::string_view kUnit = "bytes";
  if (text.size() < kUnit.size() || g_ascii_strncasecmp(text.data(), kUnit.data(), kUnit.size()) != 0)
    return std::nullopt;
  return trimmed(text.substr(kUnit.size()));
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view text) {
  const auto range = without_unit(text);
  if (!range) return std::nullopt;
  text = *range;
  const auto dash = text.find('-');
  const auto slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || dash > slash) return std::nullopt;
  const auto first = number(trimmed(text.substr(0, dash)));
  const auto last = number(trimmed(text.substr(dash + 1, slash - dash - 1)));
  const std::string_view total_text = trimmed(text.substr(slash + 1));
  const auto total = total_text == "*" ? std::optional<uint64_t>(0) : number(total_text);
  if (!first || !last || !total || *last < *first) return std::nullopt;
  if (total_text != "*" && *last >= *total) return std::nullopt;
  return ContentRange{*first, *last, *total};
}

uint64_t parse_unsatisfied_range(std::string_view text) {
  const auto range = without_unit(text);
  if (!range || !range->starts_with("*")) return 0;
  const std::string_view slash = trimmed(range->substr(1));
  return slash.starts_with("/") ? number(trimmed(slash.substr(1))).value_or(0) : 0;
}

uint64_t parse_length(std::string_view text) { return number(trimmed(text)).value_or(0); }

}  // namespace genclip
