// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/http/http_url.h"

#include <cstring>

#include "plugin/http/redaction.h"

namespace genclip {
namespace {

bool is_http_url(GUri *url) {
  const char *scheme = g_uri_get_scheme(url);
  const char *host = g_uri_get_host(url);
  return (std::strcmp(scheme, "http") == 0 || std::strcmp(scheme, "https") == 0) && host && *host &&
         !std::strpbrk(host, " \t\r\n");
}

}  // namespace

Result<GRef<GUri>> parse_http_url(const std::string &url) {
  GErrorPtr why;
  // Code that reads C strings would not see what follows a NUL.
  auto parsed = GRef<GUri>::adopt(
      url.find('\0') == url.npos ? g_uri_parse(url.c_str(), kHttpUriFlags, take(why)) : nullptr);
  if (parsed && is_http_url(parsed.get())) return parsed;
  return Error{ErrorKind::settings, "Not an http or https URL: " + redact_path(url) + ".",
               why ? redact_text(why->message, {}) : ""};
}

std::string host_of(GUri *url) {
  std::string host = g_uri_get_host(url);
  if (host.find(':') != host.npos) host = "[" + host + "]";
  const int port = g_uri_get_port(url);
  return port > 0 && port != (is_https(url) ? 443 : 80) ? host + ":" + std::to_string(port) : host;
}

bool is_https(GUri *url) { return std::strcmp(g_uri_get_scheme(url), "https") == 0; }

bool is_loopback(GUri *url) {
  const char *host = g_uri_get_host(url);
  const auto address = GRef<GInetAddress>::adopt(g_inet_address_new_from_string(host));
  return address ? g_inet_address_get_is_loopback(address.get()) != FALSE
                 : g_ascii_strcasecmp(host, "localhost") == 0;
}

std::optional<std::string> resolve_http_url(GUri *base, const std::string &reference) {
  const auto target =
      GRef<GUri>::adopt(reference.find('\0') == reference.npos
                            ? g_uri_parse_relative(base, reference.c_str(), kHttpUriFlags, nullptr)
                            : nullptr);
  if (!target || !is_http_url(target.get())) return std::nullopt;
  return std::string(GStringPtr(g_uri_to_string(target.get())).get());
}

Result<std::string> redirect_target(GUri *from, const std::string &location) {
  const std::string here = host_of(from);
  GErrorPtr why;
  const auto target =
      GRef<GUri>::adopt(location.find('\0') == location.npos
                            ? g_uri_parse_relative(from, location.c_str(), kHttpUriFlags, take(why))
                            : nullptr);
  if (!target || !is_http_url(target.get()))
    return Error{ErrorKind::open_read, here + " redirects to something other than an http or https URL: " +
                                           redact_path(location) + "."};
  if (is_https(from) && !is_https(target.get()))
    return Error{ErrorKind::open_read, here + " redirects from https to http, to " + host_of(target.get()) +
                                           "; genclip does not follow."};
  return std::string(GStringPtr(g_uri_to_string(target.get())).get());
}

bool is_redirect(unsigned status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace genclip
