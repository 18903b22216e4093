// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the outside sees and hears of a preparer.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <thread>

#include "plugin/base/mutex.h"
#include "plugin/channel/preparation_plan.h"

namespace genclip {

// Thread-safe, but one thread at a time tells.
class PreparerOutlet {
 public:
  explicit PreparerOutlet(PreparerListener &listener) : listener_(listener) {}

  ItemStatus status(const std::string &id, uint64_t turn) const EXCLUDES(mutex_);
  double spent() const EXCLUDES(mutex_);

  // Sets the status, and tells it if it is news.
  void show(const PlannedWish &wish, ItemStatus status) EXCLUDES(mutex_);
  void forget(const WishKey &key) EXCLUDES(mutex_);
  void spend(double credits) EXCLUDES(mutex_);
  // Calls the listener with no lock held; after close(), not at all.
  void tell(const std::function<void(PreparerListener &)> &call) EXCLUDES(mutex_);

  // Waits for the end of a call that is under way, unless it is that call which closes.
  void close() EXCLUDES(mutex_);

 private:
  struct Shown {
    ItemStatus status;
    bool is_fresh = false;
  };

  PreparerListener &listener_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::map<WishKey, Shown> shown_ GUARDED_BY(mutex_);
  double spent_ GUARDED_BY(mutex_) = 0;
  bool is_closed_ GUARDED_BY(mutex_) = false;
  bool is_telling_ GUARDED_BY(mutex_) = false;
  std::thread::id teller_ GUARDED_BY(mutex_);
};

}  // namespace genclip
