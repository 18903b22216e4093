// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Turns what GIO and libsoup report into an error that a person can act on.
#pragma once

#include <gio/gio.h>

#include <string>

#include "plugin/http/http_client.h"

namespace genclip {

// What the exchange was doing when it failed.
struct FaultPlace {
  std::string host;   // As host_of() spells it.
  std::string proxy;  // The proxy that had not connected to the host yet; empty: none.
  bool sent = false;
  bool reading = false;  // The head has come.
  // What the certificate lacked, when it was refused.
  GTlsCertificateFlags certificate = G_TLS_CERTIFICATE_NO_FLAGS;
  bool has_ca_file = false;
};

// Advice about a proxy that does not work, from the property or the system. Follows a sentence.
constexpr char kCheckProxy[] = " Check the property proxy, or the system's proxy when it is not set.";

HttpError http_fault(const GError &cause, const FaultPlace &place);

// The error for a proxy that answers by itself instead of opening a tunnel.
HttpError proxy_fault(unsigned status, const FaultPlace &place);

}  // namespace genclip
