// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The text gateway (service-interface.txt §4.4) on the simulator's own port.
#pragma once

#include <string>

#include "examples/simulator/fault_stage.h"
#include "examples/simulator/gateway.h"

namespace genclip::sim {

// On the servers' thread only. Borrows all it is given.
class GatewayServer {
 public:
  GatewayServer(const std::string &key, Ledger &ledger, FaultStage &stage)
      : key_(key), ledger_(ledger), stage_(stage) {}

  // `path` with all of its prefixes.
  void handle(SoupServerMessage *message, const std::string &path);

 private:
  Reply answer(SoupServerMessage *message, const std::string &path, std::span<const Fault> faults);

  const std::string &key_;
  Ledger &ledger_;
  FaultStage &stage_;
  Gateway gateway_;
};

}  // namespace genclip::sim
