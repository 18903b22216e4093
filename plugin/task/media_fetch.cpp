// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/media_fetch.h"

#include <glib.h>

#include "plugin/base/number.h"
#include "plugin/base/trimmed.h"
#include "plugin/http/content_range.h"
#include "plugin/http/retry_policy.h"
#include "plugin/task/media_format.h"

namespace genclip {
namespace {

HttpRequest request_for(HttpRequest::Method method, const std::string &url,
                        const MediaFetchOptions &options) {
  HttpRequest request;
  request.method = method;
  request.url = url;
  request.follow_redirects = true;
  request.timeout = options.http_timeout;
  request.whole_timeout = options.whole_timeout;
  request.user_agent = options.user_agent;
  return request;
}

MediaFailure failure_of(const HttpError &error) {
  return {error.error.kind, "cannot be fetched: " + error.error.text, error.transient};
}

MediaFailure failure_of(const HttpReply &reply) {
  return {ErrorKind::open_read,
          "cannot be fetched: its server answers HTTP " + std::to_string(reply.status) +
              "; the service will not get it either",
          is_transient_status(reply.status)};
}

// True for an answer whose body is parts with heads of their own, and not the bytes of the medium.
bool has_parts(const HttpReply &reply) {
  constexpr char kParts[] = "multipart/byteranges";
  return g_ascii_strncasecmp(reply.header("Content-Type").value_or("").c_str(), kParts, sizeof kParts - 1) ==
         0;
}

// True for an answer to a request for all of a medium that holds all of it. Some servers answer 206 even
// then.
bool is_all(const HttpReply &reply) {
  if (reply.status != 206) return reply.status == 200;
  if (const auto range = reply.header("Content-Range")) {
    const auto part = parse_content_range(*range);
    return part && is_whole(*part);
  }
  return !has_parts(reply);
}

// The size of the whole medium, as far as the answer tells. Only of a request for all of it does the length
// of a 206 without a range tell the size.
std::optional<uint64_t> size_of(const HttpReply &reply, bool asked_for_all) {
  const std::string range = reply.header("Content-Range").value_or("");
  if (reply.status == 416) return parse_unsatisfied_range(range);
  if (reply.status != 206 || (asked_for_all && is_all(reply)))
    return parse_number<uint64_t>(reply.header("Content-Length").value_or(""));
  if (const auto part = parse_content_range(range))
    return part->total != 0 ? std::optional(part->total) : std::nullopt;
  // A server that writes the range in a way of its own still tells the size, behind the slash.
  return parse_number<uint64_t>(trimmed(std::string_view(range).substr(range.find('/') + 1)));
}

MediaFacts facts_of(const HttpReply &reply, const std::string &url, bool asked_for_all) {
  MediaFacts facts;
  facts.bytes = size_of(reply, asked_for_all);
  const std::string sent = reply.header("Content-Type").value_or("");
  facts.media_type = telling_media_type(sent);
  if (!facts.media_type.empty()) return facts;
  facts.sent_type = trimmed(sent);
  facts.media_type = media_type_of_path(url);
  return facts;
}

bool is_success(const HttpReply &reply) { return reply.status == 200 || reply.status == 206; }

// Many servers answer HEAD with a length of 0, or with the page of an application that only knows GET.
bool is_telling(const MediaFacts &facts) {
  const bool is_medium = may_be(facts.media_type, std::nullopt);
  return facts.bytes.value_or(0) > 0 && is_medium;
}

// It is not there, or to be asked for later. Any other refusal may be one of the range alone.
bool refuses_whatever_part(unsigned status) {
  return status == 404 || status == 410 || status == 429 || status == 503;
}

MediaFailure empty_medium() { return {ErrorKind::open_read, "is empty: its server sends 0 bytes", false}; }

}  // namespace

Result<MediaFacts, MediaFailure> fetch_media_headers(HttpClient &http, const std::string &url,
                                                     const MediaFetchOptions &options,
                                                     GCancellable *cancellable) {
  if (const auto head = http.call(request_for(HttpRequest::Method::head, url, options), cancellable);
      head && is_success(*head)) {
    MediaFacts facts = facts_of(*head, url, true);
    if (is_telling(facts)) return facts;
  }
  const HttpRequest whole = request_for(HttpRequest::Method::get, url, options);
  HttpRequest request = whole;
  request.headers.emplace_back("Range", "bytes=0-0");
  // Opened and not called: should the server send all of it, the body is dropped at once.
  auto body = http.open(request, cancellable);
  if (!body) return failure_of(body.error());
  const HttpReply &part = (*body)->reply();
  if (part.status == 416 && size_of(part, false) == uint64_t{0}) return empty_medium();
  const bool asks_for_all = !is_success(part) && !refuses_whatever_part(part.status);
  if (asks_for_all) body = http.open(whole, cancellable);
  if (!body) return failure_of(body.error());
  const HttpReply &reply = (*body)->reply();
  if (!is_success(reply)) return failure_of(reply);
  MediaFacts facts = facts_of(reply, url, asks_for_all);
  if (facts.bytes == uint64_t{0}) return empty_medium();
  return facts;
}

Result<FetchedMedia, MediaFailure> fetch_media(HttpClient &http, const std::string &url, uint64_t max_bytes,
                                               const MediaFetchOptions &options, GCancellable *cancellable) {
  const auto body = http.open(request_for(HttpRequest::Method::get, url, options), cancellable);
  if (!body) return failure_of(body.error());
  const HttpReply &reply = (*body)->reply();
  if (!is_all(reply)) return failure_of(reply);
  FetchedMedia fetched;
  fetched.facts = facts_of(reply, url, true);
  if (fetched.facts.bytes.value_or(0) > max_bytes) return fetched;

  auto file = TemporaryFile::create();
  if (!file) return MediaFailure{file.error().kind, "cannot be probed: " + file.error().text};
  uint64_t size = 0;
  std::string head;
  for (;;) {
    const auto bytes = (*body)->read();
    if (!bytes) return failure_of(bytes.error());
    if (bytes->empty()) break;
    size += bytes->size();
    if (size > max_bytes) break;
    if (head.size() < kSniffedBytes)
      head.append(reinterpret_cast<const char *>(bytes->data()), bytes->size());
    if (const auto written = file->write(*bytes); !written)
      return MediaFailure{written.error().kind, "cannot be probed: " + written.error().text};
  }
  fetched.facts.bytes = size;
  fetched.whole = size <= max_bytes;
  fetched.facts.media_type = sniff_media_type(head);
  fetched.file = std::move(*file);
  return fetched;
}

}  // namespace genclip
