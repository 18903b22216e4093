// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The network as a ContentTransport.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "plugin/caption/content_transport.h"

namespace genclip {

struct HttpContentSettings {
  std::string api_key;
  std::string user_agent;                    // empty: genclip's
  std::string proxy;                         // empty: the system's
  std::string tls_ca_file;                   // empty: the system's authorities alone
  std::chrono::milliseconds timeout{60000};  // without progress; 0 for ever
};

// Fails when the settings name what cannot be used (a file that cannot be read).
Result<std::shared_ptr<ContentTransport>> http_content(HttpContentSettings settings);

}  // namespace genclip
