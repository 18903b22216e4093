// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What of a rundown is ready to be shown.
#pragma once

#include <cstdint>
#include <string>

#include "plugin/channel/item_state.h"

namespace genclip {

// The name of the rundown's fallback number `index`, as the ID of an item.
inline std::string fallback_id(size_t index) { return "fallback:" + std::to_string(index + 1); }

// For the schedule, which only looks.
class Shelf {
 public:
  virtual ~Shelf() = default;
  // `turn`: how many times the rundown has begun again. Items that are made once have one status for all
  // turns.
  virtual ItemStatus status(const std::string &id, uint64_t turn) const = 0;
};

}  // namespace genclip
