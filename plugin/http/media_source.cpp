// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/http/media_source.h"

#include <gio/gio.h>

#include <string_view>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/base/version.h"
#include "plugin/http/http_settings.h"
#include "plugin/http/http_url.h"

namespace genclip {

// The source takes one database, and does not trust the system's any more then.
struct GenAddedTrust {
  GTlsDatabase parent;
  GTlsDatabase *anchors;
};
struct GenAddedTrustClass {
  GTlsDatabaseClass parent_class;
};

G_DEFINE_TYPE(GenAddedTrust, gen_added_trust, G_TYPE_TLS_DATABASE)

static GTlsCertificateFlags verify_added_trust(GTlsDatabase *self, GTlsCertificate *chain,
                                               const char *purpose, GSocketConnectable *identity,
                                               GTlsInteraction *interaction, GTlsDatabaseVerifyFlags flags,
                                               GCancellable *cancellable, GError **error) noexcept {
  GErrorPtr ignored;
  GTlsDatabase *anchors = reinterpret_cast<GenAddedTrust *>(self)->anchors;
  const auto flaws = g_tls_database_verify_chain(anchors, chain, purpose, identity, interaction, flags,
                                                 cancellable, take(ignored));
  if (!ignored && flaws == G_TLS_CERTIFICATE_NO_FLAGS) return flaws;
  const auto system =
      GRef<GTlsDatabase>::adopt(g_tls_backend_get_default_database(g_tls_backend_get_default()));
  return g_tls_database_verify_chain(system.get(), chain, purpose, identity, interaction, flags, cancellable,
                                     error);
}

static void finalize_added_trust(GObject *object) noexcept {
  g_clear_object(&reinterpret_cast<GenAddedTrust *>(object)->anchors);
  G_OBJECT_CLASS(gen_added_trust_parent_class)->finalize(object);
}

static void gen_added_trust_class_init(GenAddedTrustClass *klass) {
  G_OBJECT_CLASS(klass)->finalize = finalize_added_trust;
  G_TLS_DATABASE_CLASS(klass)->verify_chain = verify_added_trust;
}

static void gen_added_trust_init(GenAddedTrust *) {}

namespace {

bool is_http_source(GstElement *source) {
  GstElementFactory *factory = gst_element_get_factory(source);
  return factory && std::string_view(GST_OBJECT_NAME(factory)) == "souphttpsrc";
}

// The source hides the password in the URL even from itself. It tells one to no SOCKS proxy, and to no other
// for https, where libsoup asks for it before the request has begun.
Result<void> set_proxy(GstElement *source, GUri *of, const std::string &proxy) {
  const auto url = proxy_url(proxy);
  if (!url) return url.error();
  const bool is_http = g_str_has_prefix(g_uri_get_scheme(url->get()), "http");
  const bool is_tunnel = !of || g_str_equal(g_uri_get_scheme(of), "https");
  if (g_uri_get_user(url->get()) && (!is_http || is_tunnel))
    return Error{ErrorKind::settings,
                 std::string("GStreamer's HTTP source cannot log in to ") +
                     (is_http ? "a proxy for media at https URLs" : "a SOCKS proxy") +
                     ". Give a proxy that asks for no password, or media at other places."};
  const GStringPtr address(g_uri_to_string_partial(url->get(), G_URI_HIDE_USERINFO));
  g_object_set(source, "proxy", address.get(), nullptr);
  const char *user = g_uri_get_user(url->get()), *password = g_uri_get_password(url->get());
  if (user) g_object_set(source, "proxy-id", user, "proxy-pw", password ? password : "", nullptr);
  return {};
}

Result<void> set_trust(GstElement *source, const std::string &file) {
  auto anchors = trust_anchors(file);
  if (!anchors) return std::move(anchors).error();
  const auto trust =
      GRef<GTlsDatabase>::adopt(G_TLS_DATABASE(g_object_new(gen_added_trust_get_type(), nullptr)));
  reinterpret_cast<GenAddedTrust *>(trust.get())->anchors = anchors->release();
  g_object_set(source, "tls-database", trust.get(), nullptr);
  return {};
}

}  // namespace

Result<void> set_up_media_source(GstElement *source, const MediaAccess &access) {
  if (!is_http_source(source)) return {};
  g_object_set(source, "user-agent",
               access.user_agent.empty() ? "genclip/" GENCLIP_VERSION : access.user_agent.c_str(), nullptr);
  Result<void> done;
  const GStringPtr uri(gst_uri_handler_get_uri(GST_URI_HANDLER(source)));
  const auto url = parse_http_url(uri ? uri.get() : "");
  // No proxy leads to a server of this machine.
  if (url && is_loopback(url->get()))
    g_object_set(source, "proxy", "", nullptr);
  else if (!access.http.proxy.empty())
    done = set_proxy(source, url ? url->get() : nullptr, access.http.proxy);
  if (done && !access.http.tls_ca_file.empty()) done = set_trust(source, access.http.tls_ca_file);
  // A URL without a server, so that none is asked: a uridecodebin starts also a source whose state is locked.
  if (!done) g_object_set(source, "location", "http:", nullptr);
  return done;
}

}  // namespace genclip
