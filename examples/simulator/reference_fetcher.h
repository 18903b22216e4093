// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Fetches the references of tasks from servers on this machine.
#pragma once

#include <libsoup/soup.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"

namespace genclip::sim {

// On the servers' thread only. It blocks nothing, because a reference may be a clip that this thread serves.
class ReferenceFetcher {
 public:
  using Arrived = std::function<void(Result<GRef<GBytes>>)>;

  explicit ReferenceFetcher(std::chrono::milliseconds patience);
  // Abandons what is being fetched, and calls nothing any more.
  ~ReferenceFetcher();
  ReferenceFetcher(const ReferenceFetcher &) = delete;
  ReferenceFetcher &operator=(const ReferenceFetcher &) = delete;

  // Calls `arrived` later, once. The error's text continues "first_image cannot be fetched: ".
  void fetch(const std::string &url, Arrived arrived);

 private:
  const std::chrono::milliseconds patience_;
  const GRef<SoupSession> session_;
  // Answers that come after the fetcher's end find it gone.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>();
};

}  // namespace genclip::sim
