// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The media addresses that work for a while and for nobody who makes them up.
#pragma once

#include <glib.h>

#include <chrono>
#include <string>

#include "plugin/base/clock.h"

namespace genclip::sim {

class UrlSigner {
 public:
  explicit UrlSigner(std::string secret) : secret_(std::move(secret)) {}

  // `path` with its query; another one each time.
  std::string sign(const std::string &path, Clock::WallTime expires);
  // Whether this class signed it and it is still good.
  bool is_good(const std::string &path, const char *query, Clock::WallTime now) const;

 private:
  std::string signature(const std::string &path, const std::string &expires, const std::string &number) const;

  const std::string secret_;
  uint64_t number_ = 0;
};

}  // namespace genclip::sim
