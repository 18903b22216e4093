// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which calls of a long run go wrong, and how: the same for the same seed.
#pragma once

#include <cstdint>
#include <vector>

#include "examples/simulator/fault.h"
#include "examples/simulator/gateway_answer.h"

namespace genclip::soak {

struct FaultPlan {
  std::vector<sim::Fault> service;
  std::vector<sim::GatewayFault> gateway;
};

// About one call in twenty, of every kind, for a run of that many clips.
FaultPlan fault_plan(int clips, uint64_t seed);

}  // namespace genclip::soak
