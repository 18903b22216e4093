// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Serves the clips at signed addresses, with ranges and validators, and without a key.
#pragma once

#include "examples/simulator/fault_stage.h"
#include "examples/simulator/signed_url.h"
#include "examples/simulator/task_book.h"

namespace genclip::sim {

// On the servers' thread only. Borrows all it is given.
class MediaServer {
 public:
  MediaServer(const SimulatorOptions &options, Ledger &ledger, FaultStage &stage, ClipKitchen &kitchen);

  // The address that it listens on, without a slash at the end.
  void set_origin(const std::string &origin) { origin_ = origin; }
  // A new address for the task's clip.
  std::string url(const SimTask &task, bool expired);
  void handle(SoupServerMessage *message);

 private:
  Reply serve(SoupServerMessage *message, std::span<const Fault> faults);
  std::optional<Reply> refuse(SoupServerMessage *message);
  Reply clip_reply(SoupServerMessage *message, const RenderedClip &clip, std::span<const Fault> faults) const;

  const SimulatorOptions &options_;
  Ledger &ledger_;
  FaultStage &stage_;
  ClipKitchen &kitchen_;
  UrlSigner signer_;
  std::string origin_;
  std::map<std::string, ClipOrder> clips_;  // by path
};

}  // namespace genclip::sim
