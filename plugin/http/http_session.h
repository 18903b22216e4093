// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A libsoup session as genclip configures it, and the additional trust anchors of its settings.
#pragma once

#include <libsoup/soup.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/http/http_client.h"

namespace genclip {

// Used on the I/O thread only, except for the constructor.
class HttpSession {
 public:
  explicit HttpSession(HttpSettings settings) : settings_(std::move(settings)) {}
  ~HttpSession();
  HttpSession(const HttpSession &) = delete;
  HttpSession &operator=(const HttpSession &) = delete;

  // Made at the first call. Fails (ErrorKind::settings) when the proxy or the CA file cannot be used.
  Result<SoupSession *> soup();

  bool keeps_connections() const { return settings_.keeps_connections; }
  // libsoup shows a connection only to the request that makes it; later ones find it by libsoup's ID.
  void note(uint64_t id, GIOStream *connection);
  GRef<GIOStream> connection(uint64_t id) const;

  bool has_ca_file() const { return !settings_.tls_ca_file.empty(); }
  // Whether tls_ca_file vouches for this certificate, for this host, today.
  bool trusts(GTlsCertificate *certificate, GUri *url) const;
  // What is wrong with a certificate for which neither tls_ca_file nor the system vouches.
  GTlsCertificateFlags flaws_of(GTlsCertificate *certificate, GUri *url) const;

  // The value of Proxy-Authorization, for requests that go through no tunnel; empty without credentials.
  const std::string &proxy_authorization() const { return proxy_authorization_; }
  // The host of the property proxy, as host_of() spells it; empty without one.
  const std::string &proxy() const { return proxy_; }

 private:
  // Does not keep the connection open.
  class WeakStream {
   public:
    explicit WeakStream(GIOStream *stream) { g_weak_ref_init(&weak_, stream); }
    ~WeakStream() { g_weak_ref_clear(&weak_); }
    WeakStream(const WeakStream &) = delete;
    WeakStream &operator=(const WeakStream &) = delete;
    GRef<GIOStream> stream() {
      return GRef<GIOStream>::adopt(static_cast<GIOStream *>(g_weak_ref_get(&weak_)));
    }

   private:
    GWeakRef weak_;
  };

  Result<void> make();

  const HttpSettings settings_;
  GRef<SoupSession> soup_;
  std::map<uint64_t, std::unique_ptr<WeakStream>> connections_;
  GRef<GTlsDatabase> anchors_;
  std::string proxy_authorization_;
  std::string proxy_;
};

}  // namespace genclip
