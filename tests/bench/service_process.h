// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The simulated service and text gateway in a separate process, so that their resources are not measured.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "examples/simulator/gateway_answer.h"
#include "examples/simulator/simulator.h"
#include "plugin/base/json.h"

namespace genclip::bench {

struct ServicePlan {
  sim::SimulatorOptions options;
  // Faults of the gateway's calls, in order.
  std::vector<sim::GatewayFault> gateway_faults = {};
};

// Forks: make it while the process has one thread. The child ends with its parent. Aborts with a message
// when the service does not start.
class ServiceProcess {
 public:
  // `plan` is called in the child.
  explicit ServiceProcess(const std::function<ServicePlan()> &plan);
  ~ServiceProcess();
  ServiceProcess(const ServiceProcess &) = delete;
  ServiceProcess &operator=(const ServiceProcess &) = delete;

  const std::string &base_url() const { return base_url_; }
  const std::string &gateway_url() const { return gateway_url_; }

  // submits, most_submits_of_one_request, distinct_requests, queries, early_queries, downloads, bytes_sent,
  // media_with_authorization, intervals_ms (of queries of one task), faults (how often each happened),
  // gateway_calls, gateway_faults.
  Json stats();
  // Of a clip that is done; the submit counts.
  std::string clip_url();

 private:
  std::string ask(const std::string &what);

  pid_t child_ = -1;
  int to_child_ = -1, from_child_ = -1;
  std::string base_url_, gateway_url_;
};

}  // namespace genclip::bench
