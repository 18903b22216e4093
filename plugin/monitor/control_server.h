// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a channel answers over HTTP:
//
//   GET  /            a page for people
//   GET  /status      JSON (status_json)
//   GET  /metrics     Prometheus (metrics_text)
//   GET  /epg.xml     XMLTV (epg_xmltv)
//   POST /skip        ends what is on the air
//   POST /reload      reads the rundown again
//   POST /insert      {"item": {…}, "after": "ID"}: an item of a rundown; without `after` it comes next
//   POST /hold        {"on": true}: a fallback by hand, until {"on": false}
//
// A POST needs `Authorization: Bearer TOKEN` (else 401) and answers {"done": "skip"}, or {"error": "…"} with
// 400 for a body that is wrong, 409 if the channel refuses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/base/result.h"
#include "plugin/http/local_server.h"
#include "plugin/monitor/channel_status.h"

namespace genclip {

// What the control does with a channel. Called on the server's thread; no call may block for long. An error's
// text is shown to the caller.
class ChannelControl {
 public:
  virtual ~ChannelControl() = default;

  virtual Result<void> skip() = 0;
  virtual Result<void> reload() = 0;
  // `item`: an object. `after`: an ID, or empty.
  virtual Result<void> insert(const Json &item, const std::string &after) = 0;
  virtual Result<void> hold(bool on) = 0;
};

// Called on the server's thread for each request.
using StatusSource = std::function<ChannelStatus()>;

// Borrows the control. Without sockets, for tests; ControlServer serves them.
std::vector<ServedRoute> control_routes(const StatusSource &status, ChannelControl &control,
                                        const std::string &token);

struct InsertRequest {
  Json item;
  std::string after;
};
Result<InsertRequest> insert_request(std::string_view body);
Result<bool> hold_request(std::string_view body);

struct ControlServerSettings {
  uint16_t port = 0;         // --status-port; 0: any free one.
  std::string address = {};  // Numeric; empty: loopback only.
  std::string token;         // new_control_token()
};

class ControlServer {
 public:
  // Borrows the control. Errors as LocalServer::start().
  static Result<ControlServer> start(const ControlServerSettings &settings, const StatusSource &status,
                                     ChannelControl &control);

  // "http://127.0.0.1:8080/"
  std::string url() const;

 private:
  ControlServer(std::string address, std::unique_ptr<LocalServer> server)
      : address_(std::move(address)), server_(std::move(server)) {}

  std::string address_;
  std::unique_ptr<LocalServer> server_;
};

}  // namespace genclip
