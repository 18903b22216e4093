// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any body of a POST to a channel's control: what is accepted is an object, and can be written again.
#include "plugin/monitor/control_server.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(insert_body)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const std::string_view body = as_text(data, size);
  if (const auto request = insert_request(body)) {
    hold(request->item.object() != nullptr);
    const auto again = Json::parse(request->item.to_text());
    hold(again && *again == request->item);
  }
  if (const auto on = hold_request(body)) {
    const auto json = Json::parse(body);
    hold(json && *json->find("on") == Json(*on));
  }
  return 0;
}
