// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Two lines in the category genclip-http for each exchange, one as it begins and one as it ends: never a
// header, a body or a query.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "plugin/http/http_client.h"

namespace genclip {

class ExchangeLog {
 public:
  // It begins now.
  explicit ExchangeLog(const HttpRequest &request);

  void count(size_t bytes) { bytes_ += bytes; }
  void fail(const Error &error) { failure_ = error; }
  // Writes the line of its end. `status` is 0 when no answer came.
  void finish(unsigned status) const;

 private:
  HttpRequest::Method method_;
  std::string url_;  // Redacted.
  std::chrono::steady_clock::time_point begin_;
  uint64_t bytes_ = 0;
  std::optional<Error> failure_;
};

// Warns once for each host.
void warn_of_key_in_clear(const std::string &host);

}  // namespace genclip
