// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads a header of a client's request.
#pragma once

#include <libsoup/soup.h>

#include <optional>
#include <string>

namespace genclip::sim {

// Nothing when it was not sent. An empty header counts as sent.
inline std::optional<std::string> request_header(SoupServerMessage *message, const char *name) {
  const char *value = soup_message_headers_get_one(soup_server_message_get_request_headers(message), name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace genclip::sim
