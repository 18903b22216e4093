// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Turns what GIO and libsoup report into an error that a person can act on.
#pragma once

#include <gio/gio.h>

#include <string>

#include "plugin/http/http_client.h"

namespace genclip {

// What was going on when it failed.
struct FaultPlace {
  std::string host;   // As host_of() spells it.
  std::string proxy;  // The same, as long as it had to lead to the host first; else empty.
  bool sent = false;
  bool reading = false;  // The head has come.
  // What the certificate lacked, when it was refused.
  GTlsCertificateFlags certificate = G_TLS_CERTIFICATE_NO_FLAGS;
  bool has_ca_file = false;
};

// What to do about a proxy that leads nowhere, whoever named it: to be put behind a sentence.
constexpr char kCheckProxy[] = " Check the property proxy, or the system's proxy when it is not set.";

HttpError http_fault(const GError &cause, const FaultPlace &place);

// The proxy's own answer instead of a tunnel to the host.
HttpError proxy_fault(unsigned status, const FaultPlace &place);

}  // namespace genclip
