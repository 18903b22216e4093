// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as Content-Range and Content-Length: a range that does not contradict itself, or none.
#include "plugin/generation/content_range.h"
#include "tests/fuzz/hold.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace genclip;
  const std::string_view text = as_text(data, size);
  const auto range = parse_content_range(text);
  if (range) {
    hold(range->first <= range->last);
    hold(range->total == 0 || range->last < range->total);
  }
  const bool digits =
      !text.empty() && text.find_first_not_of("0123456789 \t\n\v\f\r") == std::string_view::npos;
  hold(digits || parse_length(text) == 0);
  return 0;
}
