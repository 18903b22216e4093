// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/rundown.h"

#include <algorithm>
#include <utility>

namespace genclip {

std::optional<size_t> Rundown::find(std::string_view id) const {
  const auto known = positions.find(id);
  if (known != positions.end() && known->second < items.size() && items[known->second].id == id)
    return known->second;
  if (known == positions.end() && positions.size() == items.size()) return std::nullopt;
  const auto item = std::find_if(items.begin(), items.end(), [&](const auto &each) { return each.id == id; });
  if (item == items.end()) return std::nullopt;
  return static_cast<size_t>(item - items.begin());
}

void Rundown::reindex() {
  positions.clear();
  for (size_t i = 0; i < items.size(); ++i) positions.emplace(items[i].id, i);
}

void insert_item(Rundown &rundown, RundownItem item, std::string_view after, std::string_view next) {
  const auto replaced = (after.empty() ? next : after) == item.id ? rundown.find(item.id) : std::nullopt;
  std::erase_if(rundown.items, [&](const RundownItem &other) { return other.id == item.id; });
  rundown.reindex();
  size_t position = rundown.items.size();
  if (replaced)
    position = *replaced;
  else if (const auto found = rundown.find(after.empty() ? next : after))
    position = after.empty() ? *found : *found + 1;
  else if (after.empty() && next.empty())
    position = 0;
  rundown.items.insert(rundown.items.begin() + static_cast<std::ptrdiff_t>(position), std::move(item));
  rundown.reindex();
}

}  // namespace genclip
