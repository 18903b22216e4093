// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Signs media addresses that expire and cannot be made up.
#pragma once

#include <glib.h>

#include <chrono>
#include <string>

#include "plugin/base/clock.h"

namespace genclip::sim {

class UrlSigner {
 public:
  explicit UrlSigner(std::string secret) : secret_(std::move(secret)) {}

  // `path` with a new signed query each time.
  std::string sign(const std::string &path, Clock::WallTime expires);
  // True if this object signed it and it has not expired.
  bool is_good(const std::string &path, const char *query, Clock::WallTime now) const;

 private:
  std::string signature(const std::string &path, const std::string &expires, const std::string &number) const;

  const std::string secret_;
  uint64_t number_ = 0;
};

}  // namespace genclip::sim
