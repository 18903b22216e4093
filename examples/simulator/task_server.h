// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Serves the two task APIs (service-interface.txt §4.1 to §4.3).
#pragma once

#include "examples/simulator/fault_stage.h"
#include "examples/simulator/media_server.h"
#include "examples/simulator/task_book.h"

namespace genclip::sim {

// On the servers' thread only. Borrows all it is given.
class TaskServer {
 public:
  TaskServer(const SimulatorOptions &options, const ModelBook &models, Ledger &ledger, FaultStage &stage,
             TaskBook &tasks, MediaServer &media)
      : options_(options), models_(models), ledger_(ledger), stage_(stage), tasks_(tasks), media_(media) {}

  // `path` without the prefix of the API.
  void handle(SoupServerMessage *message, const std::string &path);

 private:
  Reply submit(SoupServerMessage *message, TaskApi api, std::span<const Fault> faults);
  Reply query(SoupServerMessage *message, TaskApi api, const std::string &id, std::span<const Fault> faults);
  // The refusal of a call without the right key; nothing when the key is right.
  std::optional<Reply> refuse_stranger(SoupServerMessage *message, std::span<const Fault> faults);
  Reply refuse(unsigned status, const std::string &reason);
  void set_urls(Json &out, const SimTask &task, std::span<const Fault> faults);
  Reply task_reply(const SimTask &task, std::span<const Fault> faults);
  bool has_completed(TaskApi api, const std::string &id);

  const SimulatorOptions &options_;
  const ModelBook &models_;
  Ledger &ledger_;
  FaultStage &stage_;
  TaskBook &tasks_;
  MediaServer &media_;
};

}  // namespace genclip::sim
