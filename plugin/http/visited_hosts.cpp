// SPDX-License-Identifier: LGPL-2.1-or-later
//
// libsoup reads and writes the cookies, but its SoupCookieJar does not keep them: it refuses all cookies of a
// host that is a public suffix itself, such as s3.amazonaws.com or a name without dots.
#include "plugin/http/visited_hosts.h"

#include <algorithm>
#include <cstring>

#include "plugin/http/http_url.h"

namespace genclip {
namespace {

std::string host_key(GUri *url) { return GStringPtr(g_ascii_strdown(host_of(url).c_str(), -1)).get(); }

std::string origin_key(GUri *url) { return g_uri_get_scheme(url) + ("://" + host_key(url)); }

size_t path_length(SoupCookie *cookie) { return std::strlen(soup_cookie_get_path(cookie)); }

}  // namespace

HttpHeaders VisitedHosts::visit(GUri *url) {
  HttpHeaders headers;
  std::string &authorization = authorizations_[origin_key(url)];
  if (std::string named = basic_authorization(url); !named.empty()) authorization = std::move(named);
  if (!authorization.empty()) headers.emplace_back("Authorization", authorization);
  if (std::string cookies = cookies_for(url); !cookies.empty())
    headers.emplace_back("Cookie", std::move(cookies));
  return headers;
}

void VisitedHosts::keep_cookies(GUri *url, const HttpReply &reply) {
  auto &kept = cookies_[host_key(url)];
  for (const auto &[name, value] : reply.headers) {
    if (g_ascii_strcasecmp(name.c_str(), "Set-Cookie") != 0) continue;
    // Null for a cookie of another domain. One of a wider domain is kept too, for this host only.
    CookiePtr cookie(soup_cookie_parse(value.c_str(), url));
    if (!cookie) continue;
    std::erase_if(kept, [&cookie](const CookiePtr &old) {
      return std::strcmp(soup_cookie_get_name(old.get()), soup_cookie_get_name(cookie.get())) == 0 &&
             std::strcmp(soup_cookie_get_path(old.get()), soup_cookie_get_path(cookie.get())) == 0;
    });
    kept.push_back(std::move(cookie));
  }
}

// Those whose path, time and Secure fit, the ones with the longest path first (RFC 6265 §5.4).
std::string VisitedHosts::cookies_for(GUri *url) const {
  const auto kept = cookies_.find(host_key(url));
  if (kept == cookies_.end()) return {};
  std::vector<SoupCookie *> fitting;
  for (const CookiePtr &cookie : kept->second)
    if (soup_cookie_applies_to_uri(cookie.get(), url)) fitting.push_back(cookie.get());
  std::stable_sort(fitting.begin(), fitting.end(),
                   [](SoupCookie *a, SoupCookie *b) { return path_length(a) > path_length(b); });
  std::string header;
  for (SoupCookie *cookie : fitting) {
    if (!header.empty()) header += "; ";
    header += GStringPtr(soup_cookie_to_cookie_header(cookie)).get();
  }
  return header;
}

}  // namespace genclip
