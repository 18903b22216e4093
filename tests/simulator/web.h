// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A client for the simulator's tests: one request on one connection over a plain socket, and its answer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "examples/simulator/simulator.h"
#include "plugin/base/json.h"

namespace genclip::sim::test {

struct Answer {
  // 0 when there was no answer: it was reset, or nothing came in time.
  unsigned status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // as much as came
  bool was_reset = false;
  bool timed_out = false;

  // Null if it is not JSON.
  Json json() const;
};

// While one lives, ask() waits for a second only: for an answer that never comes.
class Impatience {
 public:
  Impatience();
  ~Impatience();
  Impatience(const Impatience &) = delete;
  Impatience &operator=(const Impatience &) = delete;
};

// `url` is http://host:port/…; `headers` are lines without their end. Waits a minute for each part of the
// answer.
Answer ask(const std::string &method, const std::string &url, const std::vector<std::string> &headers = {},
           const std::string &body = {});

// The same with the key, and a body as JSON.
Answer ask_api(const std::string &method, const std::string &url, const std::string &body = {});

// Submits and polls until the task has ended; returns the last answer.
Json finished_task(const Simulator &simulator, const Json &request,
                   const std::string &path = "/v2/model-center/tasks");

std::string text(const Json &object, const char *key);

}  // namespace genclip::sim::test
