// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GLib reads scheme and authority only. It would rewrite the escapes of what follows, %7E to ~ and %2f to
// %2F, and the server then finds another URL than the one that it signed.
#include "plugin/http/http_url.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "plugin/base/trimmed.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

int usual_port(GUri *url) { return is_https(url) ? 443 : 80; }

bool is_http_url(GUri *url) {
  const char *scheme = g_uri_get_scheme(url);
  const char *host = g_uri_get_host(url);
  return (std::strcmp(scheme, "http") == 0 || std::strcmp(scheme, "https") == 0) && host && *host &&
         !std::strpbrk(host, " \t\r\n");
}

// What follows the authority, byte for byte as it was written.
struct Target {
  std::string_view path;
  std::optional<std::string_view> query;
  std::optional<std::string_view> fragment;
};

Target split(std::string_view text) {
  Target target;
  if (const auto sign = text.find('#'); sign != text.npos) {
    target.fragment = text.substr(sign + 1);
    text = text.substr(0, sign);
  }
  if (const auto sign = text.find('?'); sign != text.npos) {
    target.query = text.substr(sign + 1);
    text = text.substr(0, sign);
  }
  target.path = text;
  return target;
}

// Escapes what no request line can hold, and nothing else.
std::string sendable(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string result;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte > ' ' && byte < 0x7f) {
      result += letter;
    } else {
      result += '%';
      result += kDigits[byte >> 4];
      result += kDigits[byte & 15];
    }
  }
  return result;
}

// RFC 3986 §5.2.4, for a path that begins with a slash.
std::string without_dot_segments(std::string_view path) {
  std::vector<std::string_view> kept;
  bool more = true;
  while (more) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    more = !path.empty();
    if (segment == ".." && !kept.empty()) kept.pop_back();
    if (segment != ".." && segment != ".") {
      kept.push_back(segment);
    } else if (!more) {
      kept.emplace_back();  // "/a/.." is the folder "/".
    }
  }
  std::string result;
  for (const std::string_view segment : kept) result.append("/").append(segment);
  return result;
}

// The target at the scheme, user, host and port of `place`.
GRef<GUri> url_at(GUri *place, const Target &target) {
  const int port = g_uri_get_port(place);
  const std::string path = target.path.empty() ? "/" : sendable(target.path);
  const std::string query = sendable(target.query.value_or(""));
  const std::string fragment = sendable(target.fragment.value_or(""));
  return GRef<GUri>::adopt(g_uri_build_with_user(
      kHttpUriFlags, g_uri_get_scheme(place), g_uri_get_user(place), g_uri_get_password(place), nullptr,
      g_uri_get_host(place), port == usual_port(place) ? -1 : port, path.c_str(),
      target.query ? query.c_str() : nullptr, target.fragment ? fragment.c_str() : nullptr));
}

// Null for anything but an http or https URL.
GRef<GUri> read_url(std::string_view text, GErrorPtr &why) {
  text = trimmed(text);
  const auto authority = text.find("://");
  // Code that reads C strings would not see what follows a NUL.
  if (authority == text.npos || text.find('\0') != text.npos) return nullptr;
  const auto end = std::min(text.find_first_of("/?#", authority + 3), text.size());
  const auto place =
      GRef<GUri>::adopt(g_uri_parse(std::string(text.substr(0, end)).c_str(), kHttpUriFlags, take(why)));
  return place && is_http_url(place.get()) ? url_at(place.get(), split(text.substr(end))) : nullptr;
}

bool has_scheme(std::string_view reference) {
  const auto end = reference.find_first_of(":/?#");
  return end != reference.npos && reference[end] == ':';
}

// RFC 3986 §5.2. Whatever names its host stays as it is, dots too, because the server wrote all of it.
GRef<GUri> read_reference(GUri *base, std::string_view reference) {
  GErrorPtr why;
  reference = trimmed(reference);
  if (reference.starts_with("//"))
    return read_url(std::string(g_uri_get_scheme(base)).append(":").append(reference), why);
  if (has_scheme(reference)) return read_url(reference, why);
  if (reference.find('\0') != reference.npos) return nullptr;
  Target target = split(reference);
  const std::string_view base_path = g_uri_get_path(base);
  if (target.path.empty()) {
    target.path = base_path;
    if (const char *query = g_uri_get_query(base); query && !target.query) target.query = query;
    return url_at(base, target);
  }
  std::string path(target.path);
  if (!path.starts_with('/')) path.insert(0, base_path.substr(0, base_path.rfind('/') + 1));
  path = without_dot_segments(path);
  target.path = path;
  return url_at(base, target);
}

std::string text_of(GUri *url) { return GStringPtr(g_uri_to_string(url)).get(); }

}  // namespace

Result<GRef<GUri>> parse_http_url(const std::string &url) {
  GErrorPtr why;
  if (auto parsed = read_url(url, why)) return parsed;
  return Error{ErrorKind::settings, "Not an http or https URL: " + redact_path(url) + ".",
               why ? redact_text(why->message, {}) : ""};
}

GRef<GUri> sent_url(GUri *url) {
  const char *query = g_uri_get_query(url);
  return GRef<GUri>::adopt(g_uri_build(kHttpUriFlags, g_uri_get_scheme(url), nullptr, g_uri_get_host(url),
                                       g_uri_get_port(url) == usual_port(url) ? -1 : g_uri_get_port(url),
                                       g_uri_get_path(url), query, nullptr));
}

std::string basic_authorization(GUri *url) {
  const char *user = g_uri_get_user(url);
  const char *password = g_uri_get_password(url);
  if (!user || (!*user && !password)) return {};
  const std::string pair = std::string(user) + ":" + (password ? password : "");
  const GStringPtr coded(g_base64_encode(reinterpret_cast<const guchar *>(pair.data()), pair.size()));
  return std::string("Basic ") + coded.get();
}

std::string host_of(GUri *url) {
  std::string host = g_uri_get_host(url);
  if (host.find(':') != host.npos) host = "[" + host + "]";
  const int port = g_uri_get_port(url);
  return port > 0 && port != usual_port(url) ? host + ":" + std::to_string(port) : host;
}

bool is_https(GUri *url) { return std::strcmp(g_uri_get_scheme(url), "https") == 0; }

bool is_loopback(GUri *url) {
  const char *host = g_uri_get_host(url);
  const auto address = GRef<GInetAddress>::adopt(g_inet_address_new_from_string(host));
  return address ? g_inet_address_get_is_loopback(address.get()) != FALSE
                 : g_ascii_strcasecmp(host, "localhost") == 0;
}

std::optional<std::string> resolve_http_url(GUri *base, const std::string &reference) {
  const auto target = read_reference(base, reference);
  return target ? std::optional(text_of(target.get())) : std::nullopt;
}

Result<std::string> redirect_target(GUri *from, const std::string &location) {
  const std::string here = host_of(from);
  const auto target = read_reference(from, location);
  if (!target)
    return Error{ErrorKind::open_read, here + " redirects to something other than an http or https URL: " +
                                           redact_path(location) + "."};
  if (is_https(from) && !is_https(target.get()))
    return Error{ErrorKind::open_read, here + " redirects from https to http, to " + host_of(target.get()) +
                                           "; genclip does not follow."};
  return text_of(target.get());
}

bool is_redirect(unsigned status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace genclip
