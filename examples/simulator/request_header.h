// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a client sent beside its body.
#pragma once

#include <libsoup/soup.h>

#include <optional>
#include <string>

namespace genclip::sim {

// Nothing when it was not sent; an empty one was.
inline std::optional<std::string> request_header(SoupServerMessage *message, const char *name) {
  const char *value = soup_message_headers_get_one(soup_server_message_get_request_headers(message), name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace genclip::sim
