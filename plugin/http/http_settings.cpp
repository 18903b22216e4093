// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GIO validates the file, but treats one without certificates, and a relative path, as no anchors at all.
#include "plugin/http/http_settings.h"

#include "plugin/http/http_url.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

std::string with_scheme(const std::string &proxy) {
  return proxy.find("://") == proxy.npos ? "http://" + proxy : proxy;
}

// For a file that can be read. False and GIO's error otherwise.
bool has_certificates(const std::string &file, GErrorPtr &why) {
  GList *found = g_tls_certificate_list_new_from_file(file.c_str(), take(why));
  const bool any = found != nullptr;
  g_list_free_full(found, g_object_unref);
  return any;
}

}  // namespace

Result<GRef<GUri>> proxy_url(const std::string &proxy) {
  auto url = GRef<GUri>::adopt(proxy.find('\0') == proxy.npos
                                   ? g_uri_parse(with_scheme(proxy).c_str(), kHttpUriFlags, nullptr)
                                   : nullptr);
  const char *host = url ? g_uri_get_host(url.get()) : nullptr;
  if (!host || !*host)
    return Error{ErrorKind::settings, "The property proxy is not a URL: " + redact_url(proxy) + "."};
  const std::string scheme = g_uri_get_scheme(url.get());
  if (!GRef<GProxy>::adopt(g_proxy_get_default_for_protocol(scheme.c_str())))
    return Error{ErrorKind::settings, "The property proxy names an unknown kind of proxy: " +
                                          redact_url(proxy) + ". Give a URL with http or socks5."};
  return url;
}

Result<GRef<GTlsDatabase>> trust_anchors(const std::string &file) {
  const GStringPtr path(g_canonicalize_filename(file.c_str(), nullptr));
  const auto unusable = [&](const std::string &cause, const GErrorPtr &why) {
    return Error{ErrorKind::settings,
                 "The file in tls-ca-file cannot be used: " + file + " " + cause +
                     ". It must contain certificates in PEM format.",
                 why ? why->message : ""};
  };
  GErrorPtr why;
  // Opening a pipe would wait for its other end.
  if (!g_file_test(path.get(), G_FILE_TEST_EXISTS)) return unusable("does not exist", why);
  if (!g_file_test(path.get(), G_FILE_TEST_IS_REGULAR)) return unusable("is not a file", why);
  if (!has_certificates(path.get(), why))
    return unusable(why ? "cannot be read" : "contains no certificate", why);
  auto anchors = GRef<GTlsDatabase>::adopt(
      reinterpret_cast<GTlsDatabase *>(g_tls_file_database_new(path.get(), take(why))));
  if (!anchors) return unusable("cannot be read", why);
  return anchors;
}

std::vector<std::string> problems_of(const HttpSettings &settings) {
  std::vector<std::string> problems;
  if (!settings.proxy.empty())
    if (const auto proxy = proxy_url(settings.proxy); !proxy) problems.push_back(proxy.error().text);
  if (!settings.tls_ca_file.empty())
    if (const auto anchors = trust_anchors(settings.tls_ca_file); !anchors)
      problems.push_back(anchors.error().text);
  return problems;
}

}  // namespace genclip
