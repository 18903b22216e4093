// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as a rundown: items that are unique and can be found, or a line and a sentence.
#include <set>

#include "plugin/channel/rundown_reader.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(rundown)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const auto rundown = read_rundown(as_text(data, size), "/media");
  if (!rundown) {
    hold(!rundown.error().text.empty());
    return 0;
  }
  hold(!rundown->items.empty());
  std::set<std::string> ids;
  for (const RundownItem &item : rundown->items) {
    hold(!item.id.empty() && ids.insert(item.id).second && !item.id.starts_with("fallback:"));
    hold(item.source.find("://") != std::string::npos);
    hold(item.in.count() >= 0 && (!item.length || item.length->count() > 0));
    hold(item.line > 0);
    hold(rundown->find(item.id).has_value());
  }
  return 0;
}
