// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Applies the faults that concern neither a field nor a clip, between a call and its answer.
#pragma once

#include <libsoup/soup.h>

#include <functional>
#include <span>

#include "examples/simulator/ledger.h"
#include "examples/simulator/raw_replies.h"

namespace genclip::sim {

// The header's value for the option.
std::string retry_after_value(const std::string &option);

// On the servers' thread only. Borrows the ledger.
class FaultStage {
 public:
  // Performs the call, and applies those faults that concern it.
  using Act = std::function<Reply(std::span<const Fault> faults)>;

  explicit FaultStage(Ledger &ledger) : ledger_(ledger) {}

  // `completed`: the call is a query of a completed task.
  void handle(SoupServerMessage *message, Call call, bool completed, Act act);
  // Answers without faults.
  void answer(SoupServerMessage *message, Reply reply, bool is_media);

 private:
  void proceed(SoupServerMessage *message, Call call, const std::vector<Fault> &faults, const Act &act);

  Ledger &ledger_;
  RawReplies raw_replies_;
};

}  // namespace genclip::sim
