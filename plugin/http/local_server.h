// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A small HTTP server for the people and programs of this machine.
//
// A web page that the user visits can make his browser send requests to this server. Three things keep it
// out: the Host header must name this machine by an address or as localhost, so that no foreign name can be
// bound to it (DNS rebinding); no answer allows another origin to read it; and handlers that change something
// ask for a secret that no browser adds by itself.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/http/http_client.h"

namespace genclip {

struct ServedRequest {
  HttpRequest::Method method = HttpRequest::Method::get;
  std::string path;           // Decoded, without the query.
  std::string authorization;  // The header of that name; empty: none.
  std::string body;
};

struct ServedResponse {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  HttpHeaders headers = {};  // Further ones.
};

// Called on the server's thread, one at a time: it must not block for long.
using ServedHandler = std::function<ServedResponse(const ServedRequest &)>;

struct ServedRoute {
  HttpRequest::Method method = HttpRequest::Method::get;  // Or post. HEAD is answered by the route of GET.
  std::string path;                                       // The whole path.
  ServedHandler handler;
};

struct LocalServerSettings {
  uint16_t port = 0;         // 0: any free one.
  std::string address = {};  // A numeric one; empty: 127.0.0.1 and ::1.
  size_t max_body = size_t{64} << 10;
  std::chrono::milliseconds max_connection{30000};  // How long a connection may last.
  size_t max_connections = 64;  // At once. For one more, the oldest is closed. At least 1.
};

// Has a thread of its own. The destructor waits for the handler that runs, and for no other.
class LocalServer {
 public:
  // ErrorKind::settings: no numeric address; ErrorKind::failed: it cannot listen there.
  static Result<std::unique_ptr<LocalServer>> start(const LocalServerSettings &settings,
                                                    std::vector<ServedRoute> routes);
  virtual ~LocalServer() = default;

  virtual uint16_t port() const = 0;
};

// Whether a server could listen there: an address of IPv4 or IPv6 in digits.
bool is_numeric_address(const std::string &address);

// Whether a Host header names this server: localhost or a numeric address, with its port or without one. Only
// loopback addresses if `loopback_only`.
bool names_this_machine(const std::string &host, uint16_t port, bool loopback_only);

}  // namespace genclip
