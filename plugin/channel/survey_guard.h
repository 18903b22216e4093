// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Surveys one item after the other. What an item refers to may be on a disk or a server that does not answer
// any more, which must hold up no other item.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "plugin/base/mutex.h"
#include "plugin/channel/preparation_plan.h"

namespace genclip {

// Thread-safe.
class SurveyGuard : public std::enable_shared_from_this<SurveyGuard> {
 public:
  using Look = std::function<Survey()>;
  using Tell = std::function<void(Survey)>;

  explicit SurveyGuard(std::chrono::milliseconds patience = std::chrono::seconds(5)) : patience_(patience) {}

  // Looks on a thread of its own, and tells from there what was found. Blocks until then, but for no longer
  // than the patience: then it tells that the survey hangs, and leaves it to its thread. While it is there,
  // no other survey of that name begins: each hangs at once, and the last one is told what was found. While
  // 16 are there, none of another name begins either, and it hangs at once. A cancelled wait ends at once.
  void survey(const std::string &name, Look look, Tell tell, GCancellable *cancellable) EXCLUDES(mutex_);

 private:
  const std::chrono::milliseconds patience_;
  Mutex mutex_;
  std::map<std::string, Tell> under_way_ GUARDED_BY(mutex_);  // By name: whom to tell.
};

}  // namespace genclip
