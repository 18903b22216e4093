// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One line in the category genclip-http for each exchange: never a header, a body or a query.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "plugin/http/http_client.h"

namespace genclip {

class ExchangeLog {
 public:
  explicit ExchangeLog(const HttpRequest &request);

  void count(size_t bytes) { bytes_ += bytes; }
  void fail(const Error &error) { failure_ = error.text; }
  // Writes the line. `status` is 0 when no answer came.
  void finish(unsigned status) const;

 private:
  HttpRequest::Method method_;
  std::string url_;  // Redacted.
  std::chrono::steady_clock::time_point begin_;
  uint64_t bytes_ = 0;
  std::optional<std::string> failure_;
};

// Warns once for each host.
void warn_of_key_in_clear(const std::string &host);

}  // namespace genclip
