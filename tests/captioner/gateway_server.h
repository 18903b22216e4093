// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The simulated text gateway on a real socket.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "examples/simulator/gateway.h"
#include "tests/support/http_server.h"

namespace genclip::test {

class GatewayServer {
 public:
  GatewayServer();

  std::string url() const { return server_.url("/llm"); }
  sim::Gateway &gateway() { return gateway_; }
  size_t connections() const { return server_.connections(); }
  // Whether a call with that Authorization is answered with 401. Set it before the first call; any thread.
  void refuse(std::function<bool(const std::string &authorization)> refuses) {
    refuses_ = std::move(refuses);
  }
  // Bodies of the requests, in the order in which they came.
  std::vector<Json> bodies() const;

  // Happens to answers that have a form.
  void form_fault(sim::FormFault form, unsigned times = 1, const std::string &text = {}) {
    gateway_.add_fault({sim::GatewayFaultKind::form, 0, text, {}, form}, times);
  }
  // The same answer without text, `times` times.
  void silence(const std::string &reason, unsigned times = 1, const std::string &as = {}) {
    gateway_.add_fault({.kind = sim::GatewayFaultKind::no_text, .text = reason, .as = as}, times);
  }
  void fault(sim::GatewayFaultKind kind, unsigned times = 1, unsigned code = 0, const std::string &text = {},
             const std::string &retry_delay = {}) {
    gateway_.add_fault({kind, code, text, retry_delay}, times);
  }

 private:
  void serve(ServedConnection &connection);

  sim::Gateway gateway_;
  std::function<bool(const std::string &)> refuses_;
  HttpServer server_;
};

}  // namespace genclip::test
