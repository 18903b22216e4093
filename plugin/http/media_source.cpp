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

// No proxy leads to a server of this machine.
bool is_of_this_machine(GstElement *source) {
  const GStringPtr uri(gst_uri_handler_get_uri(GST_URI_HANDLER(source)));
  const auto url = parse_http_url(uri ? uri.get() : "");
  return url && is_loopback(url->get());
}

// The source hides the password in the URL even from itself.
Result<void> set_proxy(GstElement *source, const std::string &proxy) {
  const auto url = proxy_url(proxy);
  if (!url) return url.error();
  const GStringPtr address(g_uri_to_string_partial(url->get(), G_URI_HIDE_USERINFO));
  g_object_set(source, "proxy", address.get(), nullptr);
  // Whoever is behind a SOCKS proxy must not learn them by asking.
  if (g_str_has_prefix(g_uri_get_scheme(url->get()), "http"))
    g_object_set(source, "proxy-id", g_uri_get_user(url->get()), "proxy-pw", g_uri_get_password(url->get()),
                 nullptr);
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
  if (!access.http.proxy.empty() && !is_of_this_machine(source)) done = set_proxy(source, access.http.proxy);
  if (done && !access.http.tls_ca_file.empty()) done = set_trust(source, access.http.tls_ca_file);
  if (!done) gst_element_set_locked_state(source, TRUE);
  return done;
}

}  // namespace genclip
