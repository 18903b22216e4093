// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Configures the session once; soup_exchange configures each message.
#include "plugin/http/http_session.h"

#include <cstring>

#include "plugin/http/http_settings.h"
#include "plugin/http/http_url.h"

namespace genclip {
namespace {

// High limits: no worker must wait until another one has ended its connection.
constexpr int kMaxConnections = 1024;
constexpr int kMaxConnectionsPerHost = 256;
// No connection is used twice (see soup_exchange); 0 would keep them for ever.
constexpr guint kIdleSeconds = 1;
// Common servers close an idle connection after 5 s or later.
constexpr guint kKeptSeconds = 4;

GTlsCertificateFlags verify(GTlsDatabase *database, GTlsCertificate *certificate, GUri *url) {
  const int port = g_uri_get_port(url);
  const auto identity = GRef<GSocketConnectable>::adopt(
      g_network_address_new(g_uri_get_host(url), static_cast<guint16>(port > 0 ? port : 443)));
  GErrorPtr why;
  const auto flaws =
      g_tls_database_verify_chain(database, certificate, G_TLS_DATABASE_PURPOSE_AUTHENTICATE_SERVER,
                                  identity.get(), nullptr, G_TLS_DATABASE_VERIFY_NONE, nullptr, take(why));
  return why ? G_TLS_CERTIFICATE_GENERIC_ERROR : flaws;
}

}  // namespace

HttpSession::~HttpSession() {
  if (soup_) soup_session_abort(soup_.get());
}

Result<SoupSession *> HttpSession::soup() {
  if (!soup_)
    if (auto made = make(); !made) return std::move(made).error();
  return soup_.get();
}

Result<void> HttpSession::make() {
  if (has_ca_file() && !anchors_) {
    auto anchors = trust_anchors(settings_.tls_ca_file);
    if (!anchors) return std::move(anchors).error();
    anchors_ = std::move(anchors).value();
  }
  // No timeout here: each exchange has its own, counted from its last progress.
  auto soup = GRef<SoupSession>::adopt(soup_session_new_with_options(
      "max-conns", kMaxConnections, "max-conns-per-host", kMaxConnectionsPerHost, "idle-timeout",
      keeps_connections() ? kKeptSeconds : kIdleSeconds, "timeout", 0u, nullptr));
  if (!settings_.proxy.empty()) {
    const auto url = proxy_url(settings_.proxy);
    if (!url) return url.error();
    proxy_ = host_of(url->get());
    // A SOCKS proxy gets the credentials from GIO; a header would go to the origin server.
    if (g_str_has_prefix(g_uri_get_scheme(url->get()), "http"))
      proxy_authorization_ = basic_authorization(url->get());
    const GStringPtr text(g_uri_to_string(url->get()));
    const auto resolver = GRef<GProxyResolver>::adopt(g_simple_proxy_resolver_new(text.get(), nullptr));
    soup_session_set_proxy_resolver(soup.get(), resolver.get());
  }
  soup_ = std::move(soup);
  return {};
}

void HttpSession::note(uint64_t id, GIOStream *connection) {
  std::erase_if(connections_, [](const auto &one) { return !one.second->stream(); });
  connections_[id] = std::make_unique<WeakStream>(connection);
}

GRef<GIOStream> HttpSession::connection(uint64_t id) const {
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : found->second->stream();
}

bool HttpSession::trusts(GTlsCertificate *certificate, GUri *url) const {
  return anchors_ && verify(anchors_.get(), certificate, url) == G_TLS_CERTIFICATE_NO_FLAGS;
}

GTlsCertificateFlags HttpSession::flaws_of(GTlsCertificate *certificate, GUri *url) const {
  if (trusts(certificate, url)) return G_TLS_CERTIFICATE_NO_FLAGS;
  const auto system =
      GRef<GTlsDatabase>::adopt(g_tls_backend_get_default_database(g_tls_backend_get_default()));
  return verify(system.get(), certificate, url);
}

}  // namespace genclip
