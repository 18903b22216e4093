// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One request and its answer, driven with libsoup's asynchronous calls.
//
// libsoup decides some things by itself that would cost money or hide damage here. It sends a request again:
// when a kept-alive connection turns out to be closed, and after a 401 or a 421. A POST that is sent twice
// may be charged twice, so each request gets a connection of its own, but for POSTs that may keep one, which
// libsoup never repeats (HttpSettings); and the answers that cause a repetition are intercepted. It takes a
// chunked body that breaks off between two chunks for a whole one, so where a body is read as it comes this
// class finds out whether libsoup has seen the last chunk (End::proven). It reads 1xx answers without end, so
// they are counted.
//
// All of this runs on the I/O thread. The worker may leave at any moment, and libsoup's calls end later; so
// each pending call holds a reference to its exchange, and reports to a Handover, whose worker may have left.
#pragma once

#include <libsoup/soup.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/http/handover.h"
#include "plugin/http/http_client.h"
#include "plugin/http/http_session.h"

namespace genclip {

// Used on the I/O thread only, except for the constructor: made by IoThread::owned(), used by posted jobs.
// Reports to the handover.
class SoupExchange : public std::enable_shared_from_this<SoupExchange> {
 public:
  enum class End {
    as_said,  // The end that libsoup reports is believed: the content shows whether the body is whole.
    proven,   // A chunked body that was cut between two chunks is an error, although libsoup reports its end.
  };

  // `url` is the parsed one of `request`.
  SoupExchange(std::shared_ptr<HttpSession> session, std::shared_ptr<Handover> handover, HttpRequest request,
               GRef<GUri> url, End end);
  ~SoupExchange();
  SoupExchange(const SoupExchange &) = delete;
  SoupExchange &operator=(const SoupExchange &) = delete;

  void start();
  // Fills `buffer` as far as bytes are there, and hands it over. Only after the head; one call at a time.
  void read(std::vector<std::byte> buffer);
  // The worker has left: releases the connection at once, in whatever state the exchange is.
  void drop();

 private:
  struct Callbacks;

  bool is_of_clip() const { return end_ == End::proven && request_.method == HttpRequest::Method::get; }
  GRef<SoupMessage> make_message() const;
  void connect_signals();
  void on_event(GSocketClientEvent event, GIOStream *stream);
  void set_proxy(const std::string &proxy);
  void on_starting();
  void reuse(GRef<GIOStream> connection);
  void on_informational();
  void on_head();
  void check_certificate();
  bool on_certificate(GTlsCertificate *certificate, GTlsCertificateFlags flaws);
  void on_sent(GAsyncResult *result);
  void on_read(GAsyncResult *result);
  bool keep(gssize count, GErrorPtr why);
  void hand_over();
  bool is_cut();
  HttpReply make_head() const;
  void fail(const GError &cause);
  void finish();

  const std::shared_ptr<HttpSession> session_;
  const std::shared_ptr<Handover> handover_;
  const HttpRequest request_;
  const GRef<GUri> url_;
  const End end_;
  const GRef<GCancellable> cancellable_;  // libsoup's, not the worker's.

  GRef<SoupSession> soup_;
  GRef<SoupMessage> message_;
  GRef<GInputStream> stream_;
  // The connection that was made for this request.
  GRef<GIOStream> connection_;
  GRef<GSocket> socket_;
  // The proxy while it has not connected to the host yet; empty without a proxy and afterwards.
  std::string proxy_;
  std::vector<std::byte> buffer_;
  size_t filled_ = 0;
  bool at_end_ = false;
  GErrorPtr why_;               // The body broke after the bytes in buffer_.
  unsigned informational_ = 0;  // 1xx answers so far.
  GTlsCertificateFlags flaws_ = G_TLS_CERTIFICATE_NO_FLAGS;
  bool reading_ = false;    // The head was handed over.
  bool answered_ = false;   // … and nothing more will be.
  bool is_reused_ = false;  // the connection
};

}  // namespace genclip
