// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The HTTP that a ContentClient needs, so that tests can put a script in its place.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "plugin/base/result.h"

namespace genclip {

struct TransportError {
  Error error;
  bool transient = false;  // worth another try
};

// An answer whose head has come. One thread at a time.
class ContentExchange {
 public:
  virtual ~ContentExchange() = default;
  virtual unsigned status() const = 0;
  // What Retry-After asks for.
  virtual std::optional<std::chrono::milliseconds> retry_after() const = 0;
  // 0 at the end of the body.
  virtual Result<size_t, TransportError> read(std::span<std::byte> into) = 0;
};

// Blocking, cancellable within milliseconds, any thread.
class ContentTransport {
 public:
  virtual ~ContentTransport() = default;
  virtual Result<std::unique_ptr<ContentExchange>, TransportError> post(const std::string &url,
                                                                        const std::string &json_body,
                                                                        GCancellable *cancellable) = 0;
};

}  // namespace genclip
