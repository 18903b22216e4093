// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/byte_range.h"

#include <algorithm>

#include "plugin/base/number.h"

namespace genclip::sim {
ByteRange byte_range(std::string_view header, uint64_t size) {
  using Kind = ByteRange::Kind;
  if (!header.starts_with("bytes=")) return {};
  header.remove_prefix(6);
  const size_t dash = header.find('-');
  if (dash == header.npos) return {};
  const std::string_view first_text = header.substr(0, dash), last_text = header.substr(dash + 1);
  const auto first = parse_number<uint64_t>(first_text), last = parse_number<uint64_t>(last_text);
  if (first_text.empty()) {
    if (!last) return {};
    if (*last == 0 || size == 0) return {Kind::unsatisfiable, 0, 0};
    return {Kind::satisfiable, size - std::min(*last, size), size - 1};
  }
  if (!first || (!last && !last_text.empty()) || (last && *last < *first)) return {};
  if (*first >= size) return {Kind::unsatisfiable, 0, 0};
  return {Kind::satisfiable, *first, last ? std::min(*last, size - 1) : size - 1};
}

}  // namespace genclip::sim
