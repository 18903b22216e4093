// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An answer, and the ways in which it is to be damaged on the wire.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/json.h"

namespace genclip::sim {

struct Reply {
  enum class Wire {
    proper,
    reset,   // the connection is reset instead
    silent,  // nothing is ever sent
  };

  unsigned status = 200;
  std::string content_type = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Null for none.
  GRef<GBytes> body = {};
  // Sends everything but the body (for HEAD).
  bool head_only = false;

  Wire wire = Wire::proper;
  std::optional<uint64_t> cut_at = {};
  int64_t length_difference = 0;
  uint64_t bytes_per_second = 0;  // 0 = no limit

  size_t body_size() const { return body ? g_bytes_get_size(body.get()) : 0; }
};

inline GRef<GBytes> bytes_of(std::string_view text) {
  return GRef<GBytes>::adopt(g_bytes_new(text.data(), text.size()));
}

inline Reply json_reply(unsigned status, const Json &json) {
  return {.status = status, .content_type = "application/json", .body = bytes_of(json.to_text())};
}

inline Reply text_reply(unsigned status, std::string_view text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = bytes_of(text)};
}

}  // namespace genclip::sim
