// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The servers' statistics and their faults, shared with the threads of the tests.
#pragma once

#include "examples/simulator/simulator.h"
#include "plugin/base/mutex.h"

namespace genclip::sim {

class Ledger {
 public:
  explicit Ledger(const std::vector<Fault> &faults) {
    for (const Fault &fault : faults) script_.add(fault);
  }

  template <typename Change>
  void count(Change change) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    change(stats_);
  }
  void refuse(const std::string &reason) EXCLUDES(mutex_);
  std::vector<Fault> take_faults(Call call, bool completed) EXCLUDES(mutex_);

  SimulatorStats stats() const EXCLUDES(mutex_);
  std::vector<Fault> faults() const EXCLUDES(mutex_);
  void add(const Fault &fault) EXCLUDES(mutex_);
  void clear() EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  SimulatorStats stats_ GUARDED_BY(mutex_);
  FaultScript script_ GUARDED_BY(mutex_);
};

}  // namespace genclip::sim
