// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Blocking GIO on plain threads: simple to follow, and far from the asynchronous code that it tests.
#include "tests/support/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "plugin/base/clock.h"

namespace genclip::test {
namespace {

constexpr int kBacklog = 128;

[[noreturn]] void give_up(const char *what) {
  g_printerr("The test server failed: %s\n", what);
  std::abort();
}

// On a free port of 127.0.0.1, which `address` becomes.
int bound_socket(sockaddr_in &address) {
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  const int bound = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(bound, generic, length) != 0 || getsockname(bound, generic, &length) != 0) give_up("no free port");
  return bound;
}

size_t body_length(const std::string &head) {
  const GStringPtr lower(g_ascii_strdown(head.c_str(), -1));
  const std::string_view text(lower.get());
  constexpr std::string_view kName = "\ncontent-length:";
  const auto place = text.find(kName);
  return place == text.npos ? 0 : std::strtoul(lower.get() + place + kName.size(), nullptr, 10);
}

}  // namespace

std::string ServedConnection::read_request() {
  GInputStream *input = g_io_stream_get_input_stream(stream_.get());
  constexpr std::string_view kEndOfHead = "\r\n\r\n";
  std::array<char, 16 * 1024> chunk;
  for (;;) {
    const auto end = pending_.find(kEndOfHead);
    if (end != pending_.npos) {
      const size_t whole = end + kEndOfHead.size() + body_length(pending_.substr(0, end + kEndOfHead.size()));
      if (pending_.size() >= whole) {
        std::string request = pending_.substr(0, whole);
        pending_.erase(0, whole);
        seen_(request);
        return request;
      }
    }
    const gssize count = g_input_stream_read(input, chunk.data(), chunk.size(), stopped_, nullptr);
    if (count <= 0) return {};
    pending_.append(chunk.data(), static_cast<size_t>(count));
  }
}

bool ServedConnection::take(size_t count) {
  GInputStream *input = g_io_stream_get_input_stream(stream_.get());
  const size_t begin = pending_.size();
  pending_.resize(begin + count);
  gsize got = 0;
  const bool alive =
      g_input_stream_read_all(input, pending_.data() + begin, count, &got, stopped_, nullptr) && got == count;
  pending_.resize(begin + got);
  return alive;
}

bool ServedConnection::send(std::string_view bytes) {
  return g_output_stream_write_all(g_io_stream_get_output_stream(stream_.get()), bytes.data(), bytes.size(),
                                   nullptr, stopped_, nullptr) != FALSE;
}

bool ServedConnection::drip(std::string_view bytes, std::chrono::milliseconds time) {
  for (const char &byte : bytes) {
    pause(time);
    if (!send({&byte, 1})) return false;
  }
  return true;
}

void ServedConnection::pause(std::chrono::milliseconds time) {
  Clock::system().sleep_until(Clock::system().now() + time, stopped_);
}

void ServedConnection::hang() {
  std::array<char, 1024> chunk;
  GInputStream *input = g_io_stream_get_input_stream(stream_.get());
  while (g_input_stream_read(input, chunk.data(), chunk.size(), stopped_, nullptr) > 0) {
  }
}

void ServedConnection::relay(int port) {
  const auto client = GRef<GSocketClient>::adopt(g_socket_client_new());
  const auto other = GRef<GSocketConnection>::adopt(g_socket_client_connect_to_host(
      client.get(), "127.0.0.1", static_cast<guint16>(port), stopped_, nullptr));
  if (!other) return;
  const auto pump = [this](GIOStream *from, GIOStream *to) {
    g_output_stream_splice(g_io_stream_get_output_stream(to), g_io_stream_get_input_stream(from),
                           G_OUTPUT_STREAM_SPLICE_NONE, stopped_, nullptr);
    // Ends the other direction too.
    for (GSocketConnection *connection : {G_SOCKET_CONNECTION(from), G_SOCKET_CONNECTION(to)})
      g_socket_shutdown(g_socket_connection_get_socket(connection), TRUE, TRUE, nullptr);
  };
  std::thread back([&] { pump(G_IO_STREAM(other.get()), stream_.get()); });
  pump(stream_.get(), G_IO_STREAM(other.get()));
  back.join();
}

void ServedConnection::close() { g_io_stream_close(stream_.get(), nullptr, nullptr); }

void ServedConnection::reset() {
  const linger at_once{1, 0};
  GSocket *socket = g_socket_connection_get_socket(connection_.get());
  setsockopt(g_socket_get_fd(socket), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  g_socket_close(socket, nullptr);
}

HttpServer::HttpServer(Script script, const Options &options)
    : script_(std::move(script)),
      options_(options),
      stopped_(GRef<GCancellable>::adopt(g_cancellable_new())) {
  if (!options.certificate.empty()) {
    const std::string both = options.certificate + options.private_key;
    certificate_ = GRef<GTlsCertificate>::adopt(g_tls_certificate_new_from_pem(both.c_str(), -1, nullptr));
    if (!certificate_) give_up("bad certificate");
  }
  const auto address =
      GRef<GSocketAddress>::adopt(g_inet_socket_address_new_from_string(options.address.c_str(), 0));
  if (!address) give_up("bad address");
  listener_ = GRef<GSocket>::adopt(g_socket_new(g_socket_address_get_family(address.get()),
                                                G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, nullptr));
  if (!listener_ || !g_socket_bind(listener_.get(), address.get(), TRUE, nullptr)) give_up("cannot bind");
  g_socket_set_listen_backlog(listener_.get(), kBacklog);
  if (!g_socket_listen(listener_.get(), nullptr)) give_up("cannot listen");
  const auto bound = GRef<GSocketAddress>::adopt(g_socket_get_local_address(listener_.get(), nullptr));
  port_ = g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(bound.get()));
  acceptor_ = std::thread([this] { accept_all(); });
}

HttpServer::~HttpServer() {
  g_cancellable_cancel(stopped_.get());
  acceptor_.join();
  std::vector<Worker> workers;
  {
    MutexLock lock(mutex_);
    workers.swap(workers_);
  }
  for (Worker &worker : workers) worker.thread.join();
}

void HttpServer::join_done() {
  std::erase_if(workers_, [](Worker &worker) {
    if (!*worker.is_done) return false;
    worker.thread.join();
    return true;
  });
}

void HttpServer::accept_all() {
  for (;;) {
    auto socket = GRef<GSocket>::adopt(g_socket_accept(listener_.get(), stopped_.get(), nullptr));
    if (!socket) return;
    // As servers do: the parts of a second answer would wait for acknowledgements.
    g_socket_set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, TRUE, nullptr);
    auto connection =
        GRef<GSocketConnection>::adopt(g_socket_connection_factory_create_connection(socket.get()));
    MutexLock lock(mutex_);
    ++connections_;
    join_done();
    const auto is_done = std::make_shared<std::atomic<bool>>(false);
    workers_.push_back({std::thread([this, is_done, connection = std::move(connection)] {
                          serve(connection.get());
                          *is_done = true;
                        }),
                        is_done});
  }
}

void HttpServer::serve(GSocketConnection *connection) {
  auto stream = GRef<GIOStream>::share(G_IO_STREAM(connection));
  if (certificate_) {
    stream = GRef<GIOStream>::adopt(
        g_tls_server_connection_new(G_IO_STREAM(connection), certificate_.get(), nullptr));
    if (!stream || !g_tls_connection_handshake(G_TLS_CONNECTION(stream.get()), stopped_.get(), nullptr))
      return;
  }
  ServedConnection served(connection, stream.get(), stopped_.get(), [this](const std::string &request) {
    MutexLock lock(mutex_);
    requests_.push_back(request);
  });
  script_(served);
  g_io_stream_close(stream.get(), stopped_.get(), nullptr);
}

std::string HttpServer::url(const std::string &path) const {
  const bool is_v6 = options_.address.find(':') != std::string::npos;
  return (certificate_ ? "https://" : "http://") + (is_v6 ? "[" + options_.address + "]" : options_.address) +
         ":" + std::to_string(port_) + path;
}

std::vector<std::string> HttpServer::requests() const {
  MutexLock lock(mutex_);
  return requests_;
}

size_t HttpServer::connections() const {
  MutexLock lock(mutex_);
  return connections_;
}

std::string answer(unsigned status, std::string_view body, std::string_view headers) {
  return "HTTP/1.1 " + std::to_string(status) + " Status\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

HttpServer::Script always(std::string bytes) {
  return [bytes = std::move(bytes)](ServedConnection &client) {
    while (!client.read_request().empty())
      if (!client.send(bytes)) return;
  };
}

FullBacklog::FullBacklog() {
  sockaddr_in address = {};
  listener_ = bound_socket(address);
  if (listen(listener_, 0) != 0) give_up("no backlog");
  port_ = ntohs(address.sin_port);
  // The queue takes one or two; what comes later is not even answered.
  for (int i = 0; i < 4; ++i) {
    const int filler = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)connect(filler, reinterpret_cast<const sockaddr *>(&address), sizeof address);
    fillers_.push_back(filler);
  }
}

FullBacklog::~FullBacklog() {
  for (const int filler : fillers_) ::close(filler);
  ::close(listener_);
}

int refused_port() {
  static const int port = [] {
    sockaddr_in address = {};
    bound_socket(address);  // Kept.
    return ntohs(address.sin_port);
  }();
  return port;
}

}  // namespace genclip::test
