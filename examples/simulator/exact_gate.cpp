// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/exact_gate.h"

#include <memory>

namespace genclip::sim {
namespace {

// No request line can hold a blank, and none has the fragment.
std::string sent_for(const std::string &target) {
  std::string sent;
  for (const char letter : target.substr(0, target.find('#')))
    sent += letter == ' ' ? std::string("%20") : std::string(1, letter);
  return sent;
}

}  // namespace

// One connection while its head is read. It deletes itself.
class ExactGate::Visit {
 public:
  Visit(ExactGate &gate, GSocketConnection *connection)
      : gate_(gate),
        connection_(GRef<GSocketConnection>::share(connection)),
        input_(GRef<GDataInputStream>::adopt(
            g_data_input_stream_new(g_io_stream_get_input_stream(G_IO_STREAM(connection))))) {
    // The connection outlives the stream that reads its head.
    g_filter_input_stream_set_close_base_stream(G_FILTER_INPUT_STREAM(input_.get()), FALSE);
    g_data_input_stream_set_newline_type(input_.get(), G_DATA_STREAM_NEWLINE_TYPE_CR_LF);
    ++gate_.visits_;
    read_line();
  }
  ~Visit() { --gate_.visits_; }
  Visit(const Visit &) = delete;
  Visit &operator=(const Visit &) = delete;

 private:
  void read_line() {
    g_data_input_stream_read_line_async(
        input_.get(), G_PRIORITY_DEFAULT, gate_.stopped_.get(),
        [](GObject *, GAsyncResult *result, gpointer visit) {
          static_cast<Visit *>(visit)->got_line(result);
        },
        this);
  }

  void got_line(GAsyncResult *result) {
    GErrorPtr error;
    const GStringPtr line(g_data_input_stream_read_line_finish(input_.get(), result, nullptr, take(error)));
    if (!line) {
      delete this;
      return;
    }
    if (request_line_.empty()) request_line_ = line.get();
    // Unread bytes would reset the connection at its end.
    if (*line.get()) return read_line();
    gate_.raw_replies_.send(GRef<GSocket>::share(g_socket_connection_get_socket(connection_.get())),
                            GRef<GIOStream>::share(G_IO_STREAM(connection_.get())),
                            gate_.answer(request_line_), [](size_t) {});
    delete this;
  }

  ExactGate &gate_;
  const GRef<GSocketConnection> connection_;
  const GRef<GDataInputStream> input_;
  std::string request_line_;
};

ExactGate::ExactGate()
    : service_(GRef<GSocketService>::adopt(g_socket_service_new())),
      stopped_(GRef<GCancellable>::adopt(g_cancellable_new())) {}

ExactGate::~ExactGate() {
  g_socket_service_stop(service_.get());
  g_socket_listener_close(G_SOCKET_LISTENER(service_.get()));
  g_signal_handlers_disconnect_by_data(service_.get(), this);
  g_cancellable_cancel(stopped_.get());
  while (visits_ > 0) g_main_context_iteration(g_main_context_get_thread_default(), TRUE);
}

Result<void> ExactGate::listen(const std::string &host) {
  GErrorPtr error;
  const auto address = GRef<GSocketAddress>::adopt(g_inet_socket_address_new_from_string(host.c_str(), 0));
  GSocketAddress *bound = nullptr;
  if (!g_socket_listener_add_address(G_SOCKET_LISTENER(service_.get()), address.get(), G_SOCKET_TYPE_STREAM,
                                     G_SOCKET_PROTOCOL_TCP, nullptr, &bound, take(error)))
    return Error{ErrorKind::open_read, "Cannot listen on " + host + ": " + error->message};
  const auto adopted = GRef<GSocketAddress>::adopt(bound);
  const unsigned port = g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(bound));
  origin_ = "http://" + (host.find(':') == host.npos ? host : "[" + host + "]") + ":" + std::to_string(port);
  g_signal_connect(service_.get(), "incoming",
                   G_CALLBACK(+[](GSocketService *, GSocketConnection *connection, GObject *, gpointer gate) {
                     new Visit(*static_cast<ExactGate *>(gate), connection);
                     return gboolean{TRUE};
                   }),
                   this);
  return {};
}

std::string ExactGate::url_to(const std::string &url, const std::string &target) {
  const std::string first = target.empty() ? new_target() : target, second = new_target();
  locations_.insert_or_assign(sent_for(first), second);
  locations_.emplace(second, url);
  return origin_ + first;
}

Reply ExactGate::answer(const std::string &request_line) const {
  const size_t from = request_line.find(' ') + 1, to = request_line.rfind(' ');
  const auto found = locations_.find(request_line.substr(from, to > from ? to - from : 0));
  if (found == locations_.end()) return text_reply(403, "The signature is of another target.\n");
  Reply reply = text_reply(302, "Elsewhere.\n");
  reply.headers.emplace_back("Location", found->second);
  reply.head_only = request_line.starts_with("HEAD ");
  return reply;
}

}  // namespace genclip::sim
