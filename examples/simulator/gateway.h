// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The text gateway of §4.4 without a network: turns a request into the answer to send.
#pragma once

#include <deque>
#include <string>

#include "examples/simulator/gateway_answer.h"
#include "plugin/base/mutex.h"

namespace genclip::sim {

struct GatewayCall {
  std::string method;
  std::string path;  // as requested, prefix included
  std::string authorization;
  std::string content_type;
  std::string body;
};

// Any thread.
class Gateway {
 public:
  GatewayReply answer(const GatewayCall &call) EXCLUDES(mutex_);
  // The same, in this shape and with this fault instead of those that were set. Sets `valid` if the call was
  // right.
  GatewayReply answer(const GatewayCall &call, GatewayShape shape, const GatewayFault &fault, bool &valid)
      EXCLUDES(mutex_);

  void set_pace(const GatewayPace &pace) EXCLUDES(mutex_);
  // The fault happens to the next valid calls, in the order in which faults were added, each `times` times;
  // 0: to all from then on.
  void add_fault(const GatewayFault &fault, unsigned times = 1) EXCLUDES(mutex_);

  // All calls, and those whose model and body were right.
  unsigned calls() const EXCLUDES(mutex_);
  unsigned valid_calls() const EXCLUDES(mutex_);
  // What was wrong with the others.
  std::vector<std::string> problems() const EXCLUDES(mutex_);

 private:
  struct Waiting {
    GatewayFault fault;
    unsigned times;
  };

  Result<GatewayQuestion, GatewayReply> judge(const GatewayCall &call) EXCLUDES(mutex_);
  GatewayReply refuse(unsigned code, const std::string &why) EXCLUDES(mutex_);
  GatewayFault next_fault() REQUIRES(mutex_);

  mutable Mutex mutex_;
  GatewayPace pace_ GUARDED_BY(mutex_);
  std::deque<Waiting> faults_ GUARDED_BY(mutex_);
  unsigned calls_ GUARDED_BY(mutex_) = 0;
  unsigned valid_calls_ GUARDED_BY(mutex_) = 0;
  std::vector<std::string> problems_ GUARDED_BY(mutex_);
};

}  // namespace genclip::sim
