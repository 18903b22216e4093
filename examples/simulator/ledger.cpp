// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/ledger.h"

namespace genclip::sim {
namespace {

constexpr size_t kMostRefusals = 1000;

}  // namespace

void Ledger::refuse(const std::string &reason) {
  MutexLock lock(mutex_);
  auto &refusals = stats_.refusals;
  if (refusals.size() == kMostRefusals) refusals.erase(refusals.begin());
  refusals.push_back(reason);
}

std::vector<Fault> Ledger::take_faults(Call call, bool completed) {
  MutexLock lock(mutex_);
  auto taken = script_.take(call, completed);
  for (const Fault &fault : taken) stats_.faults[fault_text(fault)]++;
  return taken;
}

SimulatorStats Ledger::stats() const {
  MutexLock lock(mutex_);
  return stats_;
}

std::vector<Fault> Ledger::faults() const {
  MutexLock lock(mutex_);
  return script_.all();
}

void Ledger::add(const Fault &fault) {
  MutexLock lock(mutex_);
  script_.add(fault);
}

void Ledger::clear() {
  MutexLock lock(mutex_);
  script_.clear();
}

}  // namespace genclip::sim
