// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/http/content_range.h"

#include <glib.h>

#include "plugin/base/number.h"
#include "plugin/base/trimmed.h"

namespace genclip {
namespace {

std::optional<uint64_t> read_offset(std::string_view text) { return parse_number<uint64_t>(trimmed(text)); }

// What follows the unit, also behind a "=" or ":" that does not belong there.
// Nothing when it is another unit.
std::optional<std::string_view> without_unit(std::string_view text) {
  text = trimmed(text);
  constexpr std::string_view kUnit = "bytes";
  if (text.size() < kUnit.size() || g_ascii_strncasecmp(text.data(), kUnit.data(), kUnit.size()) != 0)
    return std::nullopt;
  text = trimmed(text.substr(kUnit.size()));
  return text.starts_with("=") || text.starts_with(":") ? trimmed(text.substr(1)) : text;
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view text) {
  const auto range = without_unit(text);
  if (!range) return std::nullopt;
  text = *range;
  const auto dash = text.find('-');
  const auto slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || dash > slash) return std::nullopt;
  const auto first = read_offset(text.substr(0, dash));
  const auto last = read_offset(text.substr(dash + 1, slash - dash - 1));
  const std::string_view total_text = trimmed(text.substr(slash + 1));
  const auto total = total_text == "*" ? std::optional<uint64_t>(0) : read_offset(total_text);
  if (!first || !last || !total || *last < *first) return std::nullopt;
  if (total_text != "*" && *last >= *total) return std::nullopt;
  return ContentRange{*first, *last, *total};
}

bool states_range(std::string_view text) {
  const auto range = without_unit(text);
  return range && range->find('-') != range->npos && range->find('/') != range->npos;
}

bool is_whole(const ContentRange &range) {
  return range.total != 0 && range.first == 0 && range.last == range.total - 1;
}

std::optional<uint64_t> parse_unsatisfied_range(std::string_view text) {
  const auto range = without_unit(text);
  if (!range || !range->starts_with("*")) return std::nullopt;
  const std::string_view slash = trimmed(range->substr(1));
  return slash.starts_with("/") ? read_offset(slash.substr(1)) : std::nullopt;
}

}  // namespace genclip
