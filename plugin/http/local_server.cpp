// SPDX-License-Identifier: LGPL-2.1-or-later
//
// libsoup's server on a main context of its own. Requests are refused by their heads alone (refusal_of),
// before their bodies are kept: libsoup would collect a body of any length.
//
// A channel runs for months, so whoever reaches the port must not use up its files. libsoup 3.2 (not 3.3)
// never closes a connection that its client has closed while it was idle, so each connection serves one
// request. It takes as many connections as there are, and stops listening for good once it cannot take one.
// So this listens by itself: there are so many connections at most, a look from time to time closes those
// that last too long, and a listener that could not take a connection is watched again at the next look.
#include "plugin/http/local_server.h"

#include <gio/gnetworking.h>
#include <libsoup/soup.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"

namespace genclip {
namespace {

using Method = HttpRequest::Method;

std::string allowed_methods(const std::vector<ServedRoute> &routes, const std::string &path) {
  std::string allowed;
  for (const ServedRoute &route : routes) {
    if (route.path != path) continue;
    if (!allowed.empty()) allowed += ", ";
    allowed += route.method == Method::get ? "GET, HEAD" : to_word(route.method);
  }
  return allowed;
}

ServedResponse refusal(unsigned status, const std::string &text, HttpHeaders headers = {}) {
  ServedResponse response;
  response.status = status;
  response.body = text + "\n";
  response.headers = std::move(headers);
  return response;
}

// Null: it cannot listen there. The address is numeric.
GRef<GSocket> listening_socket(const std::string &text, uint16_t port, GErrorPtr &error) {
  const auto address = GRef<GSocketAddress>::adopt(g_inet_socket_address_new_from_string(text.c_str(), port));
  const GSocketFamily family = g_socket_address_get_family(address.get());
  auto socket =
      GRef<GSocket>::adopt(g_socket_new(family, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, take(error)));
  if (!socket) return {};
  // "::" is every address of IPv6, and no other.
  if (family == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, TRUE, nullptr);
  g_socket_set_blocking(socket.get(), FALSE);
  g_socket_set_listen_backlog(socket.get(), 128);
  if (!g_socket_bind(socket.get(), address.get(), TRUE, take(error)) ||
      !g_socket_listen(socket.get(), take(error)))
    return {};
  return socket;
}

uint16_t port_of(GSocket *socket) {
  const auto address = GRef<GSocketAddress>::adopt(g_socket_get_local_address(socket, nullptr));
  return address ? g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(address.get())) : uint16_t{0};
}

void send(SoupServerMessage *message, const ServedResponse &response) {
  SoupMessageHeaders *headers = soup_server_message_get_response_headers(message);
  soup_message_headers_replace(headers, "Content-Type", response.content_type.c_str());
  soup_message_headers_replace(headers, "X-Content-Type-Options", "nosniff");
  soup_message_headers_replace(headers, "Cross-Origin-Resource-Policy", "same-origin");
  soup_message_headers_replace(headers, "Cache-Control", "no-store");
  soup_message_headers_replace(headers, "Connection", "close");
  for (const auto &[name, value] : response.headers)
    soup_message_headers_replace(headers, name.c_str(), value.c_str());
  // libsoup leaves the body of an answer to HEAD out, and keeps its length.
  soup_message_body_append(soup_server_message_get_response_body(message), SOUP_MEMORY_COPY,
                           response.body.data(), response.body.size());
  soup_server_message_set_status(message, response.status, nullptr);
}

class SoupLocalServer final : public LocalServer {
 public:
  SoupLocalServer(LocalServerSettings settings, std::vector<ServedRoute> routes)
      : settings_(std::move(settings)),
        routes_(std::move(routes)),
        context_(GRef<GMainContext>::adopt(g_main_context_new())),
        loop_(GRef<GMainLoop>::adopt(g_main_loop_new(context_.get(), FALSE))) {}

  ~SoupLocalServer() override {
    if (thread_.joinable()) {
      g_main_context_invoke(
          context_.get(),
          [](gpointer loop) -> gboolean {
            g_main_loop_quit(static_cast<GMainLoop *>(loop));
            return G_SOURCE_REMOVE;
          },
          loop_.get());
      thread_.join();
    }
    g_main_context_push_thread_default(context_.get());
    if (look_) g_source_destroy(look_.get());
    for (const Listener &listener : listeners_)
      if (listener.watch) g_source_destroy(listener.watch.get());
    if (server_) soup_server_disconnect(server_.get());
    server_ = nullptr;
    g_main_context_pop_thread_default(context_.get());
  }

  Result<void> listen() {
    g_main_context_push_thread_default(context_.get());
    auto listening = listen_here();
    g_main_context_pop_thread_default(context_.get());
    if (!listening) return listening;
    thread_ = std::thread([this] {
      g_main_context_push_thread_default(context_.get());
      g_main_loop_run(loop_.get());
      g_main_context_pop_thread_default(context_.get());
    });
    return {};
  }

  uint16_t port() const override { return port_; }

 private:
  struct Listener {
    GRef<GSocket> socket;
    GRef<GSource> watch;  // Null, or destroyed: not watched until the next look.
  };
  struct Peer {
    GRef<GSocket> socket;
    std::chrono::steady_clock::time_point since;
    bool is_shut = false;
    bool was_shut = false;  // At the last look.
  };

  Result<void> listen_here() {
    GErrorPtr error;
    if (settings_.address.empty()) {
      listen_locally(error);
    } else {
      const auto address =
          GRef<GInetAddress>::adopt(g_inet_address_new_from_string(settings_.address.c_str()));
      if (!address)
        return Error{ErrorKind::settings, "\"" + settings_.address + "\" is not a numeric address."};
      loopback_only_ = g_inet_address_get_is_loopback(address.get());
      add_listener(settings_.address, settings_.port, error);
    }
    if (listeners_.empty())
      return Error{ErrorKind::failed, "Cannot listen on port " + std::to_string(settings_.port) + ": " +
                                          (error ? error->message : "unknown reason") + "."};
    server_ = GRef<SoupServer>::adopt(
        SOUP_SERVER(g_object_new(SOUP_TYPE_SERVER, "server-header", "genclip", nullptr)));
    soup_server_add_early_handler(server_.get(), nullptr, on_head, this, nullptr);
    soup_server_add_handler(server_.get(), nullptr, on_request, this, nullptr);
    look_ = GRef<GSource>::adopt(g_timeout_source_new(
        static_cast<guint>(std::clamp<int64_t>(settings_.max_connection.count() / 10, 10, 1000))));
    g_source_set_callback(
        look_.get(),
        [](gpointer self) -> gboolean {
          static_cast<SoupLocalServer *>(self)->look();
          return G_SOURCE_CONTINUE;
        },
        this, nullptr);
    g_source_attach(look_.get(), context_.get());
    watch_listeners();
    return {};
  }

  // On one port of both loopback addresses; on that of IPv4 alone where there is no other.
  void listen_locally(GErrorPtr &error) {
    constexpr int kTries = 20;  // A port that is free there may be taken here.
    for (int times = 0; listeners_.empty() && times < kTries; ++times) {
      if (!add_listener("127.0.0.1", settings_.port, error)) return;
      if (add_listener("::1", port_, error) ||
          !g_error_matches(error.get(), G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
        return;
      listeners_.clear();
      if (settings_.port != 0) return;
    }
  }

  bool add_listener(const std::string &address, uint16_t port, GErrorPtr &error) {
    auto socket = listening_socket(address, port, error);
    if (!socket) return false;
    port_ = port_of(socket.get());
    listeners_.push_back({std::move(socket), {}});
    return true;
  }

  void watch_listeners() {
    for (Listener &listener : listeners_) {
      if (listener.watch && !g_source_is_destroyed(listener.watch.get())) continue;
      listener.watch = GRef<GSource>::adopt(g_socket_create_source(listener.socket.get(), G_IO_IN, nullptr));
      g_source_set_callback(listener.watch.get(), G_SOURCE_FUNC(on_client), this, nullptr);
      g_source_attach(listener.watch.get(), context_.get());
    }
  }

  // The client that it cannot take now, because the process has no file left, waits until the next look.
  static gboolean on_client(GSocket *listener, GIOCondition, gpointer self) {
    auto client = GRef<GSocket>::adopt(g_socket_accept(listener, nullptr, nullptr));
    if (!client) return G_SOURCE_REMOVE;
    static_cast<SoupLocalServer *>(self)->serve(std::move(client));
    return G_SOURCE_CONTINUE;
  }

  void serve(GRef<GSocket> client) {
    const auto local = GRef<GSocketAddress>::adopt(g_socket_get_local_address(client.get(), nullptr));
    const auto remote = GRef<GSocketAddress>::adopt(g_socket_get_remote_address(client.get(), nullptr));
    if (!local || !remote) return;  // It has gone.
    make_room();
    g_socket_set_option(client.get(), IPPROTO_TCP, TCP_NODELAY, TRUE, nullptr);
    const auto stream =
        GRef<GSocketConnection>::adopt(g_socket_connection_factory_create_connection(client.get()));
    peers_.push_back({std::move(client), std::chrono::steady_clock::now()});
    soup_server_accept_iostream(server_.get(), G_IO_STREAM(stream.get()), local.get(), remote.get(), nullptr);
  }

  // The oldest connection ends for a new one: a monitor gets its answer, whoever else holds connections open.
  void make_room() {
    std::erase_if(peers_, [](const Peer &peer) { return g_socket_is_closed(peer.socket.get()); });
    const auto is_open = [](const Peer &peer) { return !peer.is_shut; };
    if (static_cast<size_t>(std::count_if(peers_.begin(), peers_.end(), is_open)) >=
        settings_.max_connections)
      shut(*std::find_if(peers_.begin(), peers_.end(), is_open));
  }

  static void shut(Peer &peer) {
    peer.is_shut = true;
    g_socket_shutdown(peer.socket.get(), TRUE, TRUE, nullptr);
  }

  void look() {
    close_old();
    watch_listeners();
  }

  // A connection that lasts too long is shut down first, which ends libsoup's work on it, and closed at the
  // next look.
  void close_old() {
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(peers_, [&](Peer &peer) {
      if (g_socket_is_closed(peer.socket.get())) return true;
      if (!peer.is_shut) {
        if (now - peer.since >= settings_.max_connection) shut(peer);
        return false;
      }
      if (!std::exchange(peer.was_shut, true)) return false;
      g_socket_close(peer.socket.get(), nullptr);
      return true;
    });
  }

  static void on_head(SoupServer *, SoupServerMessage *message, const char *path, GHashTable *,
                      gpointer self) {
    // libsoup would answer each part of a range with a copy of the body, and a head has room for thousands.
    soup_message_headers_remove(soup_server_message_get_request_headers(message), "Range");
    const auto refused = static_cast<SoupLocalServer *>(self)->refusal_of(message, path);
    if (!refused) return;
    // The body is read, so that the client gets the answer, and forgotten.
    soup_message_body_set_accumulate(soup_server_message_get_request_body(message), FALSE);
    send(message, *refused);
  }

  static void on_request(SoupServer *, SoupServerMessage *message, const char *path, GHashTable *,
                         gpointer self) {
    if (soup_server_message_get_status(message) != 0) return;
    static_cast<SoupLocalServer *>(self)->answer(message, path);
  }

  // What is wrong with a request, from its head.
  std::optional<ServedResponse> refusal_of(SoupServerMessage *message, const std::string &path) const {
    SoupMessageHeaders *headers = soup_server_message_get_request_headers(message);
    const char *host = soup_message_headers_get_one(headers, "Host");
    if (!names_this_machine(host ? host : "", port_, loopback_only_))
      return refusal(421, "This server has no such name: use its address, or localhost.");
    const std::string allowed = allowed_methods(routes_, path);
    if (allowed.empty()) return refusal(404, "There is nothing here.");
    if (!route_of(message, path)) return refusal(405, "Use " + allowed + ".", {{"Allow", allowed}});
    if (soup_message_headers_get_encoding(headers) == SOUP_ENCODING_CHUNKED)
      return refusal(411, "The request's body needs a Content-Length.");
    if (static_cast<guint64>(std::max<goffset>(0, soup_message_headers_get_content_length(headers))) >
        settings_.max_body)
      return refusal(413,
                     "The request's body is longer than " + std::to_string(settings_.max_body) + " bytes.");
    return std::nullopt;
  }

  const ServedRoute *route_of(SoupServerMessage *message, const std::string &path) const {
    auto method = from_word<Method>(soup_server_message_get_method(message));
    if (method == Method::head) method = Method::get;
    const auto found = std::find_if(routes_.begin(), routes_.end(), [&](const ServedRoute &route) {
      return route.method == method && route.path == path;
    });
    return found == routes_.end() ? nullptr : &*found;
  }

  void answer(SoupServerMessage *message, const std::string &path) const {
    const ServedRoute *route = route_of(message, path);
    if (!route) return send(message, refusal(404, "There is nothing here."));
    SoupMessageHeaders *headers = soup_server_message_get_request_headers(message);
    ServedRequest request;
    request.method = route->method;
    request.path = path;
    if (const char *authorization = soup_message_headers_get_one(headers, "Authorization"))
      request.authorization = authorization;
    const auto body =
        GRef<GBytes>::adopt(soup_message_body_flatten(soup_server_message_get_request_body(message)));
    gsize size = 0;
    if (const auto *bytes = static_cast<const char *>(g_bytes_get_data(body.get(), &size)))
      request.body.assign(bytes, size);
    send(message, route->handler(request));
  }

  const LocalServerSettings settings_;
  const std::vector<ServedRoute> routes_;
  const GRef<GMainContext> context_;
  const GRef<GMainLoop> loop_;
  // Written before the thread starts, and used on it alone from then on.
  GRef<SoupServer> server_;
  GRef<GSource> look_;
  std::vector<Listener> listeners_;
  std::vector<Peer> peers_;
  uint16_t port_ = 0;
  bool loopback_only_ = true;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<LocalServer>> LocalServer::start(const LocalServerSettings &settings,
                                                        std::vector<ServedRoute> routes) {
  auto server = std::make_unique<SoupLocalServer>(settings, std::move(routes));
  if (auto listening = server->listen(); !listening) return std::move(listening).error();
  return std::unique_ptr<LocalServer>(std::move(server));
}

bool is_numeric_address(const std::string &address) {
  return static_cast<bool>(GRef<GInetAddress>::adopt(g_inet_address_new_from_string(address.c_str())));
}

bool names_this_machine(const std::string &host, uint16_t port, bool loopback_only) {
  // The colon before the port stands behind the bracket of an IPv6 address.
  const auto bracket = host.find(']');
  const auto colon = host.find(':', bracket == host.npos ? 0 : bracket);
  std::string name = host.substr(0, colon);
  // Some proxies leave the port out. It is the name that a foreign page would have to bind to this machine.
  const bool has_port = colon != host.npos;
  if (name.empty() || (has_port && parse_number<uint16_t>(host.substr(colon + 1)) != port)) return false;
  if (g_ascii_strcasecmp(name.c_str(), "localhost") == 0) return true;
  if (name.front() == '[' && name.back() == ']') name = name.substr(1, name.size() - 2);
  const auto address = GRef<GInetAddress>::adopt(g_inet_address_new_from_string(name.c_str()));
  return address && (!loopback_only || g_inet_address_get_is_loopback(address.get()));
}

}  // namespace genclip
