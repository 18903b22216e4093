// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Blocking HTTP for worker threads: a call returns a reply or an error. When it is cancelled, it returns
// within milliseconds.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/base/shared_text.h"
#include "plugin/base/words.h"

namespace genclip {

// What the connections of a client have in common.
struct HttpSettings {
  std::string proxy;        // URL of the proxy for everything; empty: the system's proxy.
  std::string tls_ca_file;  // PEM file, trusted besides the system's own; verification is always on.
  // A POST may use a connection that has served another one. If that was closed just then, the POST fails.
  bool keeps_connections = false;

  bool operator==(const HttpSettings &) const = default;
};

// What is wrong with the value of a header: libsoup would drop it, or a part of it would become another
// header. `what` opens the sentence. Empty: nothing.
std::string header_problem(const char *what, std::string_view value);

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// Cookies that redirects set, for those hosts alone (visited_hosts.h). One thread.
class VisitedHosts;
std::shared_ptr<VisitedHosts> remember_hosts();

struct HttpRequest {
  enum class Method { get, head, post };

  Method method = Method::get;
  // http or https. A user and password in it are sent to its host as Authorization: Basic, unless there is a
  // key.
  std::string url;
  std::string bearer_key;  // Sent as Authorization: Bearer (§5); empty: none.
  SharedText body;         // Of a POST.
  std::string content_type;
  HttpHeaders headers;  // Further headers. Headers with their own member here do not belong in it.
  // Follows at most 10 redirects, never from https to http. Only for GET and HEAD, and only without a key.
  // Otherwise a 3xx is a reply. The cookies of a redirect go back to the same host within the call, and so
  // does the user of a URL.
  bool follow_redirects = false;
  // What redirects have told is known to each request that has the same one; null: to this request only.
  std::shared_ptr<VisitedHosts> visited = {};
  // The longest time without progress in either direction; 0: for ever. Time in which the caller does not
  // read a body does not count. A whole call() may take ten times as long.
  std::chrono::milliseconds timeout{30000};
  // The same from the moment when all of the request was sent, for an answer that is worth a longer wait; 0:
  // as `timeout`.
  std::chrono::milliseconds answer_timeout{0};
  // The longest time for a whole exchange, to the last byte of its body, even with progress; 0: for ever.
  std::chrono::milliseconds whole_timeout{0};
  size_t max_body = size_t{8} << 20;  // Bytes; of call() only, a body from open() is as long as it is.
  std::string user_agent;             // Empty: genclip/VERSION.
};
template <>
inline constexpr Word<HttpRequest::Method> kWords<HttpRequest::Method>[] = {
    {HttpRequest::Method::get, "GET"},
    {HttpRequest::Method::head, "HEAD"},
    {HttpRequest::Method::post, "POST"}};

// Any status is a reply, 4xx and 5xx too.
struct HttpReply {
  unsigned status = 0;
  std::string reason;
  std::string body;
  std::string final_url;  // After redirects. May be signed: for requests, not for texts.
  HttpHeaders headers;

  // The first header of that name, in any case.
  std::optional<std::string> header(std::string_view name) const;
};

struct HttpError {
  Error error;
  // The request may have reached the server. False only when it surely did not.
  bool maybe_sent = false;
  // A further try may succeed.
  bool transient = false;
  // From call(): the part of the answer that arrived before it broke off, or was too large.
  std::optional<HttpReply> begun = {};
  // The connection had served another POST, and ended before any answer to this one.
  bool stale = false;
  // A redirect leads from https to http, or to no http or https URL.
  bool leads_astray = false;
};

// A reply whose head has come; its body is fetched as it is read. One thread at a time. Destroying it ends
// the exchange without waiting.
class HttpBody {
 public:
  virtual ~HttpBody() = default;

  // Without a body.
  virtual const HttpReply &reply() const = 0;
  // The next bytes, valid until the next call; none at the clean end. A GET gives the bytes as they are on
  // the wire; other methods unpack them as Content-Encoding says. A body that ends before its Content-Length,
  // or that is chunked and lacks its last chunk, is an error (ErrorKind::read). A body may end with
  // its connection (HTTP/1.0, Connection: close); then a cut looks like the end, and only the content can
  // tell.
  virtual Result<std::span<const std::byte>, HttpError> read() = 0;
  // The reads from now on wait so long at most, in place of the request's timeout.
  virtual void wait_at_most(std::chrono::milliseconds time) = 0;
};

// Blocking; any number of threads at once, each request over a connection of its own; with keeps_connections,
// a POST may take the connection of an earlier POST that has ended. `cancellable` may be
// null, and ends a call with ErrorKind::cancelled within milliseconds, whatever the network does. It also
// serves the body's reads.
class HttpClient {
 public:
  virtual ~HttpClient() = default;

  virtual Result<HttpReply, HttpError> call(const HttpRequest &request, GCancellable *cancellable) = 0;
  virtual Result<std::unique_ptr<HttpBody>, HttpError> open(const HttpRequest &request,
                                                            GCancellable *cancellable) = 0;

  // The client that all users of these settings share.
  static std::shared_ptr<HttpClient> shared(const HttpSettings &settings);
};

}  // namespace genclip
