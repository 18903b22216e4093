// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as Retry-After: a wait within bounds, or none.
#include "plugin/http/retry_policy.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(retry_after)(const uint8_t *data, size_t size) {
  using namespace genclip;
  // Fri, 31 Dec 1999 23:59:59 GMT
  const Clock::WallTime now{std::chrono::seconds(946684799)};
  const auto wait = parse_retry_after(as_text(data, size), now);
  if (wait) hold(wait->count() >= 0 && *wait <= kMaxRetryAfter);
  return 0;
}
