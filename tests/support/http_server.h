// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A loopback server that says byte for byte what a test wants, at the pace it wants, HTTP or not.
#pragma once

#include <gio/gio.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"

namespace genclip::test {

// One connection, on a thread of its own. Each call ends at once when the server stops.
class ServedConnection {
 public:
  // Calls `seen` with each request that read_request() returns.
  ServedConnection(GSocketConnection *connection, GIOStream *stream, GCancellable *stopped,
                   std::function<void(const std::string &)> seen)
      : connection_(GRef<GSocketConnection>::share(connection)),
        stream_(GRef<GIOStream>::share(stream)),
        stopped_(stopped),
        seen_(std::move(seen)) {}

  // Head and body (by its Content-Length) of the next request; empty when the client has left.
  std::string read_request();
  // Takes about `count` bytes that read_request() will still see. False when the client has left.
  bool take(size_t count);
  // False when the client has left.
  bool send(std::string_view bytes);
  // Byte by byte, with a pause before each.
  bool drip(std::string_view bytes, std::chrono::milliseconds pause);
  void pause(std::chrono::milliseconds time);
  // Says nothing until the client leaves or the server stops.
  void hang();
  void close();
  // As a proxy does after a CONNECT: all bytes go both ways, to that port of 127.0.0.1, until a side leaves.
  void relay(int port);
  // Drops the connection with a TCP reset.
  void reset();
  // Reads no more, until the server stops.
  void freeze() { pause(std::chrono::hours(1)); }

 private:
  const GRef<GSocketConnection> connection_;
  const GRef<GIOStream> stream_;
  GCancellable *const stopped_;
  const std::function<void(const std::string &)> seen_;
  std::string pending_;
};

class HttpServer {
 public:
  struct Options {
    std::string address = "127.0.0.1";
    // PEM texts; both or none.
    std::string certificate = {};
    std::string private_key = {};
  };
  // Serves one connection; returning closes it.
  using Script = std::function<void(ServedConnection &)>;

  explicit HttpServer(Script script) : HttpServer(std::move(script), Options{}) {}
  HttpServer(Script script, const Options &options);
  ~HttpServer();
  HttpServer(const HttpServer &) = delete;
  HttpServer &operator=(const HttpServer &) = delete;

  int port() const { return port_; }
  // http or https, with this path.
  std::string url(const std::string &path = "/") const;
  // Head and body of each, as they came.
  std::vector<std::string> requests() const EXCLUDES(mutex_);
  size_t connections() const EXCLUDES(mutex_);

 private:
  struct Worker {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> is_done;
  };

  void accept_all();
  // A server may run for days: the stacks of threads that have ended go.
  void join_done() REQUIRES(mutex_);
  void serve(GSocketConnection *connection);

  const Script script_;
  const Options options_;
  GRef<GTlsCertificate> certificate_;
  GRef<GSocket> listener_;
  int port_ = 0;
  const GRef<GCancellable> stopped_;

  mutable Mutex mutex_;
  std::vector<std::string> requests_ GUARDED_BY(mutex_);
  std::vector<Worker> workers_ GUARDED_BY(mutex_);
  size_t connections_ GUARDED_BY(mutex_) = 0;
  std::thread acceptor_;
};

// A whole answer with its Content-Length. `headers` are lines with their CR LF.
std::string answer(unsigned status, std::string_view body, std::string_view headers = {});

// For every request on every connection the same bytes.
HttpServer::Script always(std::string bytes);

// One server that answers nobody: connections to it are never accepted, nor refused.
class FullBacklog {
 public:
  FullBacklog();
  ~FullBacklog();
  FullBacklog(const FullBacklog &) = delete;
  FullBacklog &operator=(const FullBacklog &) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  int listener_ = -1;
  int port_ = 0;
  std::vector<int> fillers_;
};

// A port of 127.0.0.1 that refuses connections for as long as the process runs: bound, so that nobody else is
// given it, and never listened on.
int refused_port();

}  // namespace genclip::test
