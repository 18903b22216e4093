// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as JSON: what is read is written and read again without a difference.
#include "plugin/base/json.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(json)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const auto json = Json::parse(as_text(data, size));
  if (!json) {
    hold(!json.error().text.empty());
    return 0;
  }
  const auto again = Json::parse(json->to_text());
  hold(again.has_value());
  hold(again->to_canonical_text() == json->to_canonical_text());
  const auto pretty = Json::parse(json->to_pretty_text());
  hold(pretty.has_value() && *pretty == *again);
  const auto canonical = Json::parse(json->to_canonical_text());
  hold(canonical.has_value() && canonical->to_canonical_text() == json->to_canonical_text());
  return 0;
}
