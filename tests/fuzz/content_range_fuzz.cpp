// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as Content-Range: a range that does not contradict itself, or none.
#include "plugin/http/content_range.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(content_range)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const std::string_view text = as_text(data, size);
  const auto range = parse_content_range(text);
  if (range) {
    hold(range->first <= range->last);
    hold(range->total == 0 || range->last < range->total);
  }
  hold(!range || !parse_unsatisfied_range(text));
  return 0;
}
