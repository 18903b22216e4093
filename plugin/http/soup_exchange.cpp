// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Each pending libsoup callback holds a reference to the exchange, so that an abandoned one ends by itself.
#include "plugin/http/soup_exchange.h"

#include <utility>

#include "plugin/base/version.h"
#include "plugin/http/http_fault.h"
#include "plugin/http/http_url.h"

namespace genclip {
namespace {

constexpr char kContentEncoding[] = "Content-Encoding";
// Of a clip. An answer of an API is short, and a hundred may arrive at once.
constexpr size_t kChunk = 128 * 1024;
constexpr size_t kAnswerChunk = 16 * 1024;
constexpr unsigned kMaxInformational = 16;

gpointer hold(std::shared_ptr<SoupExchange> exchange) {
  return new std::shared_ptr<SoupExchange>(std::move(exchange));
}

// The proxy that GIO connects to, as host_of() spells it; empty when it connects to the host itself.
std::string proxy_of(GIOStream *connecting) {
  if (!G_IS_SOCKET_CONNECTION(connecting)) return {};
  const auto address = GRef<GSocketAddress>::adopt(
      g_socket_connection_get_remote_address(G_SOCKET_CONNECTION(connecting), nullptr));
  if (!address || !G_IS_PROXY_ADDRESS(address.get())) return {};
  const char *uri = g_proxy_address_get_uri(G_PROXY_ADDRESS(address.get()));
  const auto proxy = GRef<GUri>::adopt(uri ? g_uri_parse(uri, kHttpUriFlags, nullptr) : nullptr);
  return proxy && g_uri_get_host(proxy.get()) ? host_of(proxy.get()) : std::string();
}

std::shared_ptr<SoupExchange> let_go(gpointer held) {
  const std::unique_ptr<std::shared_ptr<SoupExchange>> owner(
      static_cast<std::shared_ptr<SoupExchange> *>(held));
  return std::move(*owner);
}

GRef<GSocket> socket_of(GIOStream *stream) {
  auto inner = GRef<GIOStream>::share(stream);
  while (G_IS_TLS_CONNECTION(inner.get())) {
    GIOStream *base = nullptr;
    g_object_get(inner.get(), "base-io-stream", &base, nullptr);
    inner = GRef<GIOStream>::adopt(base);
  }
  if (!G_IS_SOCKET_CONNECTION(inner.get())) return nullptr;
  return GRef<GSocket>::share(g_socket_connection_get_socket(G_SOCKET_CONNECTION(inner.get())));
}

}  // namespace

// Handlers of libsoup's signals.
struct SoupExchange::Callbacks {
  static void event(SoupMessage *, GSocketClientEvent event, GIOStream *stream, gpointer self) {
    static_cast<SoupExchange *>(self)->on_event(event, stream);
  }
  static void starting(SoupMessage *, gpointer self) { static_cast<SoupExchange *>(self)->on_starting(); }
  static void wrote(SoupMessage *, guint, gpointer self) {
    static_cast<SoupExchange *>(self)->handover_->progress();
  }
  static void sent_all(SoupMessage *, gpointer self) {
    static_cast<SoupExchange *>(self)->handover_->end_sending();
  }
  static void informational(SoupMessage *, gpointer self) {
    static_cast<SoupExchange *>(self)->on_informational();
  }
  static void head(SoupMessage *, gpointer self) { static_cast<SoupExchange *>(self)->on_head(); }
  static gboolean certificate(SoupMessage *, GTlsCertificate *certificate, GTlsCertificateFlags flaws,
                              gpointer self) {
    return static_cast<SoupExchange *>(self)->on_certificate(certificate, flaws);
  }
  static void sent(GObject *, GAsyncResult *result, gpointer held) { let_go(held)->on_sent(result); }
  static void read(GObject *, GAsyncResult *result, gpointer held) { let_go(held)->on_read(result); }
};

SoupExchange::SoupExchange(std::shared_ptr<HttpSession> session, std::shared_ptr<Handover> handover,
                           HttpRequest request, GRef<GUri> url, End end)
    : session_(std::move(session)),
      handover_(std::move(handover)),
      request_(std::move(request)),
      url_(std::move(url)),
      end_(end),
      cancellable_(GRef<GCancellable>::adopt(g_cancellable_new())) {}

SoupExchange::~SoupExchange() { finish(); }

GRef<SoupMessage> SoupExchange::make_message() const {
  const auto url = sent_url(url_.get());
  auto message = GRef<SoupMessage>::adopt(soup_message_new_from_uri(to_word(request_.method), url.get()));
  // The caller follows redirects, hop by hop. A kept-alive connection may be stale: libsoup would then send
  // a GET again by itself, and 3.2 crashes when the connection that it finds answers at once. It never sends
  // a POST again, although it lets one that has this flag use a kept-alive connection.
  const bool is_post = request_.method == HttpRequest::Method::post;
  const auto which =
      is_post && session_->keeps_connections() ? SOUP_MESSAGE_IDEMPOTENT : SOUP_MESSAGE_NEW_CONNECTION;
  soup_message_set_flags(message.get(), static_cast<SoupMessageFlags>(SOUP_MESSAGE_NO_REDIRECT | which));
  // Otherwise libsoup would answer a 401 with a further request.
  soup_message_disable_feature(message.get(), SOUP_TYPE_AUTH_MANAGER);
  // A clip's lengths and ranges count bytes on the wire, so it is not unpacked. Anything else is, because
  // some gateways compress although they were asked not to.
  if (is_of_clip()) soup_message_disable_feature(message.get(), SOUP_TYPE_CONTENT_DECODER);

  SoupMessageHeaders *headers = soup_message_get_request_headers(message.get());
  const auto set = [headers](const char *name, const std::string &value) {
    if (!value.empty()) soup_message_headers_replace(headers, name, value.c_str());
  };
  for (const auto &[name, value] : request_.headers) set(name.c_str(), value);
  set("Accept-Encoding", "identity");
  set("User-Agent", request_.user_agent.empty() ? "genclip/" GENCLIP_VERSION : request_.user_agent);
  if (!request_.bearer_key.empty()) set("Authorization", "Bearer " + request_.bearer_key);
  if (!is_https(url_.get())) set("Proxy-Authorization", session_->proxy_authorization());
  if (request_.method == HttpRequest::Method::post) {
    const auto body = request_.body.bytes();
    soup_message_set_request_body_from_bytes(
        message.get(), request_.content_type.empty() ? nullptr : request_.content_type.c_str(), body.get());
  }
  return message;
}

void SoupExchange::connect_signals() {
  const auto connect = [this](const char *signal, GCallback callback) {
    g_signal_connect(message_.get(), signal, callback, this);
  };
  connect("network-event", G_CALLBACK(Callbacks::event));
  connect("starting", G_CALLBACK(Callbacks::starting));
  connect("wrote-body-data", G_CALLBACK(Callbacks::wrote));
  connect("wrote-body", G_CALLBACK(Callbacks::sent_all));
  connect("got-informational", G_CALLBACK(Callbacks::informational));
  connect("got-headers", G_CALLBACK(Callbacks::head));
  connect("accept-certificate", G_CALLBACK(Callbacks::certificate));
}

void SoupExchange::start() {
  if (g_cancellable_is_cancelled(cancellable_.get())) return;
  auto soup = session_->soup();
  if (!soup) {
    handover_->fail({std::move(soup).error(), false, false});
    return;
  }
  soup_ = GRef<SoupSession>::share(*soup);
  set_proxy(session_->proxy());  // Set before the proxy's own address is looked up.
  message_ = make_message();
  connect_signals();
  soup_session_send_async(soup_.get(), message_.get(), G_PRIORITY_DEFAULT, cancellable_.get(),
                          Callbacks::sent, hold(shared_from_this()));
}

void SoupExchange::on_event(GSocketClientEvent event, GIOStream *stream) {
  handover_->progress();
  if (stream) connection_ = GRef<GIOStream>::share(stream);
  if (event == G_SOCKET_CLIENT_CONNECTING) set_proxy(proxy_of(stream));
  if (event == G_SOCKET_CLIENT_CONNECTED && G_IS_SOCKET_CONNECTION(stream))
    socket_ = GRef<GSocket>::share(g_socket_connection_get_socket(G_SOCKET_CONNECTION(stream)));
  if (event == G_SOCKET_CLIENT_TLS_HANDSHAKING && G_IS_TLS_CONNECTION(stream)) {
    set_proxy({});
    // HTTP/2 has other rules for limits, retries and hanging connections, and offers nothing needed here.
    static const char *const kProtocols[] = {"http/1.1", nullptr};
    g_tls_connection_set_advertised_protocols(G_TLS_CONNECTION(stream), kProtocols);
  }
  if (event == G_SOCKET_CLIENT_TLS_HANDSHAKED && G_IS_TLS_CONNECTION(connection_.get())) check_certificate();
}

void SoupExchange::set_proxy(const std::string &proxy) {
  proxy_ = proxy;
  handover_->set_proxy(proxy);
}

void SoupExchange::on_starting() {
  if (session_->keeps_connections()) {
    const uint64_t id = soup_message_get_connection_id(message_.get());
    if (connection_)
      session_->note(id, connection_.get());
    else
      reuse(session_->connection(id));
  }
  if (!handover_->begin_sending()) g_cancellable_cancel(cancellable_.get());
}

void SoupExchange::reuse(GRef<GIOStream> connection) {
  connection_ = std::move(connection);
  if (!connection_) return;
  is_reused_ = true;
  socket_ = socket_of(connection_.get());
  if (G_IS_TLS_CONNECTION(connection_.get())) set_proxy({});
}

void SoupExchange::on_informational() {
  // libsoup would read further 1xx answers without end, and do nothing else meanwhile.
  if (++informational_ != kMaxInformational) return;
  const GErrorPtr why(g_error_new_literal(G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT, "Too many 1xx answers"));
  fail(*why);
  g_cancellable_cancel(cancellable_.get());
}

void SoupExchange::on_head() {
  // Codings are the same in any case (RFC 9110 §8.4.1); libsoup knows them in lower case.
  SoupMessageHeaders *headers = soup_message_get_response_headers(message_.get());
  if (const char *coding = soup_message_headers_get_list(headers, kContentEncoding)) {
    const GStringPtr lower(g_ascii_strdown(coding, -1));
    soup_message_headers_replace(headers, kContentEncoding, lower.get());
  }
  // libsoup would read the whole body and then send the request again, even a POST.
  if (soup_message_get_status(message_.get()) != SOUP_STATUS_MISDIRECTED_REQUEST) return;
  handover_->give_head(make_head());
  handover_->give_chunk({}, 0);
  reading_ = answered_ = true;
  g_cancellable_cancel(cancellable_.get());
}

bool SoupExchange::on_certificate(GTlsCertificate *certificate, GTlsCertificateFlags flaws) {
  flaws_ = flaws;
  return session_->trusts(certificate, url_.get());
}

// GIO resumes TLS sessions by host and port within the whole process, and then takes the certificate for
// checked. A session that another client's tls-ca-file vouched for would hold here too, so each handshake is
// checked again.
void SoupExchange::check_certificate() {
  GTlsCertificate *certificate = g_tls_connection_get_peer_certificate(G_TLS_CONNECTION(connection_.get()));
  flaws_ = certificate ? session_->flaws_of(certificate, url_.get()) : G_TLS_CERTIFICATE_GENERIC_ERROR;
  if (flaws_ == G_TLS_CERTIFICATE_NO_FLAGS) return;
  const GErrorPtr why(g_error_new_literal(G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE, "Resumed, not trusted"));
  fail(*why);
  g_cancellable_cancel(cancellable_.get());
}

HttpReply SoupExchange::make_head() const {
  HttpReply reply;
  reply.status = soup_message_get_status(message_.get());
  const char *reason = soup_message_get_reason_phrase(message_.get());
  reply.reason = reason ? reason : "";
  reply.final_url = request_.url;
  SoupMessageHeadersIter iter;
  soup_message_headers_iter_init(&iter, soup_message_get_response_headers(message_.get()));
  const char *name = nullptr;
  const char *value = nullptr;
  // With chunked encoding a Content-Length is void (RFC 9112 §6.3).
  const bool is_chunked = soup_message_headers_get_encoding(
                              soup_message_get_response_headers(message_.get())) == SOUP_ENCODING_CHUNKED;
  while (soup_message_headers_iter_next(&iter, &name, &value))
    if (!is_chunked || g_ascii_strcasecmp(name, "Content-Length") != 0)
      reply.headers.emplace_back(name, value);
  return reply;
}

void SoupExchange::on_sent(GAsyncResult *result) {
  GErrorPtr why;
  stream_ = GRef<GInputStream>::adopt(soup_session_send_finish(soup_.get(), result, take(why)));
  if (answered_) return;
  if (!stream_) return fail(*why);
  if (!handover_->was_sent()) {
    // The request never left, so the proxy sent this answer, to CONNECT.
    handover_->fail(proxy_fault(soup_message_get_status(message_.get()), {.host = host_of(url_.get())}));
    return;
  }
  reading_ = true;
  handover_->give_head(make_head());
}

void SoupExchange::read(std::vector<std::byte> buffer) {
  if (answered_) return;
  buffer_ = std::move(buffer);
  buffer_.resize(is_of_clip() ? kChunk : kAnswerChunk);
  filled_ = 0;
  if (at_end_ || why_) return hand_over();
  g_input_stream_read_async(stream_.get(), buffer_.data(), buffer_.size(), G_PRIORITY_DEFAULT,
                            cancellable_.get(), Callbacks::read, hold(shared_from_this()));
}

void SoupExchange::on_read(GAsyncResult *result) {
  GErrorPtr why;
  const gssize count = g_input_stream_read_finish(stream_.get(), result, take(why));
  if (answered_) return;
  // libsoup gives one chunk of the encoding at a time, however small. Collects what else is there.
  bool more = keep(count, std::move(why));
  while (more && filled_ < buffer_.size()) {
    GErrorPtr next;
    const gssize ready = g_pollable_input_stream_read_nonblocking(
        G_POLLABLE_INPUT_STREAM(stream_.get()), buffer_.data() + filled_, buffer_.size() - filled_,
        cancellable_.get(), take(next));
    if (ready < 0 && g_error_matches(next.get(), G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)) break;
    more = keep(ready, std::move(next));
  }
  hand_over();
}

// Notes the result of one read. False when it was the last.
bool SoupExchange::keep(gssize count, GErrorPtr why) {
  if (count > 0) {
    filled_ += static_cast<size_t>(count);
    return true;
  }
  at_end_ = count == 0;
  why_ = std::move(why);
  return false;
}

void SoupExchange::hand_over() {
  if (filled_ > 0) return handover_->give_chunk(std::move(buffer_), filled_);
  if (why_) return fail(*why_);
  if (is_cut()) {
    const GErrorPtr why(
        g_error_new_literal(G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT, "Closed between two chunks"));
    return fail(*why);
  }
  answered_ = true;
  stream_ = nullptr;  // Closes it, which gives the connection back to the session.
  handover_->give_chunk({}, 0);
}

// libsoup treats a connection that closes between two chunks as the end of the body. After the last chunk it
// reads nothing more from the connection; before that, one more read fails once the connection is closed
// here.
bool SoupExchange::is_cut() {
  SoupMessageHeaders *headers = soup_message_get_response_headers(message_.get());
  if (end_ != End::proven || soup_message_headers_get_encoding(headers) != SOUP_ENCODING_CHUNKED ||
      !connection_)
    return false;
  char some[128];  // Of a line of trailers libsoup reads no single byte.
  const auto read_from = [&some](GInputStream *stream, GErrorPtr &why) {
    return g_pollable_input_stream_read_nonblocking(G_POLLABLE_INPUT_STREAM(stream), some, sizeof some,
                                                    nullptr, take(why));
  };
  GErrorPtr why;
  const gssize count = read_from(g_io_stream_get_input_stream(connection_.get()), why);
  if (count < 0 && g_error_matches(why.get(), G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)) return false;  // Open.
  // Bytes after the end must not be read as the next answer. A shutdown first: see drop().
  if (socket_) g_socket_shutdown(socket_.get(), TRUE, TRUE, nullptr);
  g_io_stream_close(connection_.get(), nullptr, nullptr);
  GErrorPtr closed;
  return read_from(stream_.get(), closed) != 0;
}

void SoupExchange::fail(const GError &cause) {
  answered_ = true;
  HttpError fault = http_fault(cause, {.host = host_of(url_.get()),
                                       .proxy = handover_->was_sent() ? std::string() : proxy_,
                                       .sent = handover_->was_sent(),
                                       .reading = reading_,
                                       .certificate = flaws_,
                                       .has_ca_file = session_->has_ca_file()});
  fault.stale = is_reused_ && !reading_;
  handover_->fail(std::move(fault));
}

void SoupExchange::drop() {
  if (answered_) return;
  answered_ = true;
  // Closing a TLS connection writes to it; with the socket shut down that does not wait for a peer that does
  // not read.
  if (socket_) g_socket_shutdown(socket_.get(), TRUE, TRUE, nullptr);
  g_cancellable_cancel(cancellable_.get());
}

void SoupExchange::finish() {
  if (!message_) return;
  g_signal_handlers_disconnect_by_data(message_.get(), this);
  stream_ = nullptr;
}

}  // namespace genclip
