// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An item that is to be made ready, as the preparation sees it.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace genclip {

// An item in one turn. Items that are made once have turn 0.
struct WishKey {
  std::string id;
  uint64_t turn = 0;
  // Of what is carried though its item has become something else under that ID: its version. Else 0.
  uint64_t replaced = 0;

  friend auto operator<=>(const WishKey &, const WishKey &) = default;
};

struct PlannedWish {
  WishKey key;
  std::string source;  // Its URI.
  // What is asked for, however the URI spells it; the same for all takes. Of a generated clip.
  std::string request;
  std::chrono::nanoseconds in{};
  std::optional<std::chrono::nanoseconds> length;
  std::optional<std::chrono::nanoseconds> still_length;  // If it is a still; a clip lasts as long as it is.
  bool is_generated = false;
  bool is_fresh = false;     // Made for each turn.
  bool is_fallback = false;  // Of the rundown's list.
  bool may_retry = false;    // One more try if its task fails.
  unsigned take = 0;         // With the turn.
  std::string problem;       // It can never be on the air.

  friend bool operator==(const PlannedWish &, const PlannedWish &) = default;
};

}  // namespace genclip
