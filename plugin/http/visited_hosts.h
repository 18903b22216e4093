// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What requests tell a host again: the cookies that its redirects have set, and the user that its URL named.
// It is in memory only, ends with the chain of redirects or with the download, and goes to no other host.
#pragma once

#include <libsoup/soup.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/http/http_client.h"

namespace genclip {

// One thread.
class VisitedHosts {
 public:
  // The headers Authorization and Cookie of a request to this URL, as far as there is something to tell.
  HttpHeaders visit(GUri *url);
  // Keeps the cookies of an answer from this URL, also those of further headers Set-Cookie.
  void keep_cookies(GUri *url, const HttpReply &reply);

 private:
  struct FreeCookie {
    void operator()(SoupCookie *cookie) const { soup_cookie_free(cookie); }
  };
  using CookiePtr = std::unique_ptr<SoupCookie, FreeCookie>;

  std::string cookies_for(GUri *url) const;

  std::map<std::string, std::string> authorizations_;      // By scheme and host_of().
  std::map<std::string, std::vector<CookiePtr>> cookies_;  // By host_of(); in the order in which they came.
};

}  // namespace genclip
