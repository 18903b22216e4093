// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A channel that notes what it is told.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plugin/base/mutex.h"
#include "plugin/monitor/control_server.h"

namespace genclip::test {

class FakeControl final : public ChannelControl {
 public:
  Result<void> skip() override { return note("skip"); }
  Result<void> reload() override { return note("reload"); }
  Result<void> insert(const Json &item, const std::string &after) override {
    return note("insert " + item.to_text() + " after " + after);
  }
  Result<void> hold(bool on) override { return note(on ? "hold" : "end hold"); }

  // Each call fails with that text from now on.
  void refuse(std::string why) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    refusal_ = std::move(why);
  }
  std::vector<std::string> calls() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return calls_;
  }

 private:
  Result<void> note(std::string call) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    calls_.push_back(std::move(call));
    if (!refusal_.empty()) return Error{ErrorKind::failed, refusal_};
    return {};
  }

  Mutex mutex_;
  std::string refusal_ GUARDED_BY(mutex_);
  std::vector<std::string> calls_ GUARDED_BY(mutex_);
};

}  // namespace genclip::test
