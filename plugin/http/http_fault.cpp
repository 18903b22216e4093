// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A table of causes; the first row that fits gives the text.
#include "plugin/http/http_fault.h"

#include <libsoup/soup.h>

#include "plugin/http/redaction.h"

namespace genclip {
namespace {

struct Meaning {
  GQuark (*domain)();
  int code;
  ErrorKind kind;
  bool transient;
  const char *text;              // After the host's name.
  const char *advice = nullptr;  // Set for failures to connect. A proxy has other advice.
};

constexpr int kAnyCode = -1;

const Meaning kMeanings[] = {
    {g_resolver_error_quark, G_RESOLVER_ERROR_NOT_FOUND, ErrorKind::not_found, false,
     " is not known as a host.", " Check the address and the network."},
    {g_resolver_error_quark, kAnyCode, ErrorKind::not_found, true, " cannot be looked up now.",
     " Check the network and the name server."},
    {g_io_error_quark, G_IO_ERROR_CONNECTION_REFUSED, ErrorKind::open_read, true, " refuses the connection.",
     " Check address and port, and whether a server runs there."},
    {g_io_error_quark, G_IO_ERROR_HOST_UNREACHABLE, ErrorKind::open_read, true, " cannot be reached.",
     " Check the network."},
    {g_io_error_quark, G_IO_ERROR_NETWORK_UNREACHABLE, ErrorKind::open_read, true, " cannot be reached.",
     " Check the network."},
    {g_io_error_quark, G_IO_ERROR_TIMED_OUT, ErrorKind::timed_out, true, " cannot be reached in time.",
     " Check the network."},
    {g_io_error_quark, G_IO_ERROR_PROXY_AUTH_FAILED, ErrorKind::not_authorized, false,
     " cannot be reached: the proxy refuses the credentials. Check the property proxy."},
    {g_io_error_quark, G_IO_ERROR_PROXY_NEED_AUTH, ErrorKind::not_authorized, false,
     " cannot be reached: the proxy asks for credentials. Check the property proxy."},
    {g_io_error_quark, G_IO_ERROR_PROXY_FAILED, ErrorKind::open_read, true,
     " cannot be reached through the proxy. Check the property proxy."},
    {g_io_error_quark, G_IO_ERROR_PROXY_NOT_ALLOWED, ErrorKind::open_read, false,
     " cannot be reached: the proxy does not allow it."},
    {g_tls_error_quark, G_TLS_ERROR_NOT_TLS, ErrorKind::open_read, false,
     " does not speak TLS. Check whether the address should begin with http instead of https."},
    {g_tls_error_quark, G_TLS_ERROR_EOF, ErrorKind::open_read, true,
     " closed the connection before it was secure."},
    {g_tls_error_quark, G_TLS_ERROR_CERTIFICATE_REQUIRED, ErrorKind::not_authorized, false,
     " asks for a client certificate, which genclip does not have."},
    {g_tls_error_quark, G_TLS_ERROR_UNAVAILABLE, ErrorKind::open_read, false,
     " cannot be reached securely: GIO has no TLS here. Install glib-networking."},
    {g_tls_error_quark, kAnyCode, ErrorKind::open_read, true, ": no secure connection could be established."},
    // Also for a head that is cut off.
    {soup_session_error_quark, SOUP_SESSION_ERROR_PARSING, ErrorKind::open_read, true,
     " sent an answer that is not HTTP. Check address and port."},
    {soup_session_error_quark, SOUP_SESSION_ERROR_ENCODING, ErrorKind::open_read, true,
     " sent an answer in an unknown encoding."},
};

// One row for each flag: what is wrong, and whether trusting a further CA file would fix it.
struct Flaw {
  GTlsCertificateFlags flag;
  const char *text;
  bool mended_by_ca_file;
};

constexpr Flaw kFlaws[] = {
    {G_TLS_CERTIFICATE_BAD_IDENTITY, "belongs to another host", false},
    {G_TLS_CERTIFICATE_EXPIRED, "has expired", false},
    {G_TLS_CERTIFICATE_NOT_ACTIVATED, "is not valid yet (check the clock)", false},
    {G_TLS_CERTIFICATE_REVOKED, "was revoked", false},
    {G_TLS_CERTIFICATE_INSECURE, "is not secure", false},
    {G_TLS_CERTIFICATE_UNKNOWN_CA, "comes from an unknown issuer", true},
    {G_TLS_CERTIFICATE_GENERIC_ERROR, "is not valid", false},
};

std::string certificate_text(const FaultPlace &place) {
  std::string wrong;
  bool mendable = true;
  for (const Flaw &flaw : kFlaws) {
    if ((place.certificate & flaw.flag) == 0) continue;
    wrong += (wrong.empty() ? "" : " and ") + std::string(flaw.text);
    mendable = mendable && flaw.mended_by_ca_file;
  }
  std::string text =
      "The certificate of " + place.host + " " + (wrong.empty() ? "is not acceptable" : wrong) + ".";
  if (mendable && !wrong.empty())
    text += place.has_ca_file ? " The file in tls-ca-file does not vouch for it either."
                              : " If you trust it, name its issuer's file in tls-ca-file.";
  return text;
}

// GIO's texts name hosts and causes, but no URL and no key; redaction makes sure of that.
std::string debug_text(const GError &cause) {
  return redact_text(std::string(g_quark_to_string(cause.domain)) + " " + std::to_string(cause.code) + ": " +
                         (cause.message ? cause.message : ""),
                     {});
}

std::string text_of(const Meaning &meaning, const FaultPlace &place) {
  if (meaning.advice && !place.proxy.empty()) return "The proxy " + place.proxy + meaning.text + kCheckProxy;
  return place.host + meaning.text + (meaning.advice ? meaning.advice : "");
}

// The error for a connection that was there and broke.
Error broken(const GError &cause, const FaultPlace &place) {
  if (!place.proxy.empty())
    return {ErrorKind::open_read, "The proxy " + place.proxy + " broke the connection before it reached " +
                                      place.host + "." + kCheckProxy};
  const bool ended = g_error_matches(&cause, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT);
  if (place.reading)
    return {ErrorKind::read, ended
                                 ? "The answer of " + place.host + " ended before it was complete."
                                 : "The connection to " + place.host + " broke in the middle of the answer."};
  return {ErrorKind::read,
          ended ? place.host + " sent an invalid answer: it ended early, or its headers are too large."
                : "The connection to " + place.host + " broke before an answer came."};
}

}  // namespace

HttpError http_fault(const GError &cause, const FaultPlace &place) {
  HttpError fault{{}, place.sent, true};
  if (g_error_matches(&cause, G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE)) {
    fault.error = {ErrorKind::open_read, certificate_text(place)};
    fault.transient = false;
  } else {
    const Meaning *found = nullptr;
    for (const Meaning &row : kMeanings) {
      if (place.reading || row.domain() != cause.domain || (row.code != kAnyCode && row.code != cause.code))
        continue;
      found = &row;
      break;
    }
    if (found) {
      fault.error = {found->kind, text_of(*found, place)};
      fault.transient = found->transient;
    } else {
      fault.error = broken(cause, place);
    }
  }
  fault.error.debug = debug_text(cause);
  return fault;
}

HttpError proxy_fault(unsigned status, const FaultPlace &place) {
  HttpError fault{{}, false, status >= 500};
  fault.error.kind = status == 407 ? ErrorKind::not_authorized : ErrorKind::open_read;
  fault.error.text = status == 407 ? "The proxy asks for credentials. Check the property proxy."
                                   : "The proxy does not connect to " + place.host +
                                         ". Check the property proxy and what the proxy allows.";
  fault.error.debug = "HTTP " + std::to_string(status) + " from the proxy";
  return fault;
}

}  // namespace genclip
