// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A libsoup session made to genclip's taste, and the extra trust anchors of its settings.
#pragma once

#include <libsoup/soup.h>

#include <string>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/http/http_client.h"

namespace genclip {

// Of the I/O thread, but for the constructor.
class HttpSession {
 public:
  explicit HttpSession(HttpSettings settings) : settings_(std::move(settings)) {}
  ~HttpSession();
  HttpSession(const HttpSession &) = delete;
  HttpSession &operator=(const HttpSession &) = delete;

  // Made at the first call; an error (ErrorKind::settings) when the proxy or the CA file makes no sense.
  Result<SoupSession *> soup();

  bool has_ca_file() const { return !settings_.tls_ca_file.empty(); }
  // Whether tls_ca_file vouches for this certificate, for this host, today.
  bool trusts(GTlsCertificate *certificate, GUri *url) const;

  // Credentials for the proxy, for what does not go through a tunnel: the value of Proxy-Authorization; else
  // empty.
  const std::string &proxy_authorization() const { return proxy_authorization_; }
  // Of the property proxy, as host_of() spells it; empty without one.
  const std::string &proxy() const { return proxy_; }

 private:
  Result<void> make();

  const HttpSettings settings_;
  GRef<SoupSession> soup_;
  GRef<GTlsDatabase> anchors_;
  std::string proxy_authorization_;
  std::string proxy_;
};

}  // namespace genclip
