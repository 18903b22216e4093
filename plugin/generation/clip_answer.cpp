// SPDX-License-Identifier: LGPL-2.1-or-later
//
// In doubt an answer counts as another version: that costs a further download, but joining two versions would
// spoil the clip.
#include "plugin/generation/clip_answer.h"

#include <glib.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "plugin/base/number.h"
#include "plugin/base/trimmed.h"
#include "plugin/http/content_range.h"

namespace genclip {
namespace {

constexpr std::string_view kWeak = "W/";

bool is_weak(std::string_view tag) { return tag.starts_with(kWeak); }

std::string_view without_weakness(std::string_view tag) {
  return is_weak(tag) ? tag.substr(kWeak.size()) : tag;
}

bool differ(std::string_view one, std::string_view other) {
  return !one.empty() && !other.empty() && one != other;
}

bool is_same_word(const std::string &one, const char *other) {
  return g_ascii_strcasecmp(one.c_str(), other) == 0;
}

// A body of several parts names them inside.
bool is_multipart(const HttpReply &reply) {
  return g_ascii_strncasecmp(reply.header("Content-Type").value_or("").c_str(), "multipart/", 10) == 0;
}

}  // namespace

std::optional<ClipAnswer> read_clip_answer(const HttpReply &reply, bool asked_for_part) {
  ClipAnswer answer;
  const std::string range_text = reply.header("Content-Range").value_or("");
  answer.is_part = reply.status == 206 && (asked_for_part || states_range(range_text) || is_multipart(reply));
  answer.is_chunked = is_same_word(reply.header("Transfer-Encoding").value_or(""), "chunked");
  answer.etag = usable_validator(reply.header("ETag").value_or(""));
  answer.last_modified = usable_validator(reply.header("Last-Modified").value_or(""));
  // Chunked encoding overrides a length (RFC 9112 §6.3).
  const std::string length_text = answer.is_chunked ? "" : reply.header("Content-Length").value_or("");
  const uint64_t length = parse_number<uint64_t>(trimmed(length_text)).value_or(0);
  if (!answer.is_part) {
    answer.total = length;
    return answer;
  }
  const auto range = parse_content_range(range_text);
  if (!range || (length != 0 && length != range->last - range->first + 1)) return std::nullopt;
  answer.first = range->first;
  answer.total = range->total;
  return answer;
}

bool is_another_version(const PartState &known, uint64_t have, const ClipAnswer &answer) {
  if (answer.total != 0 && (known.total != 0 ? answer.total != known.total : answer.total < have))
    return true;
  return differ(without_weakness(known.etag), without_weakness(answer.etag)) ||
         differ(known.last_modified, answer.last_modified);
}

// RFC 9110 §13.1.5: a strong tag, or a date where there is no tag. A date may be too coarse to distinguish
// two versions; the comparison of bytes has to find what it misses.
std::string condition_for(const PartState &known) {
  if (known.etag.empty()) return known.last_modified;
  return is_weak(known.etag) ? "" : known.etag;
}

bool is_page(const HttpReply &reply) {
  constexpr const char *kTypes[] = {"text/html", "application/json", "application/xml", "text/xml",
                                    "application/problem+json"};
  const std::string type = reply.header("Content-Type").value_or("");
  return std::any_of(std::begin(kTypes), std::end(kTypes), [&](const char *page) {
    return g_ascii_strncasecmp(type.c_str(), page, std::strlen(page)) == 0;
  });
}

bool is_html(const HttpReply &reply) {
  return g_ascii_strncasecmp(reply.header("Content-Type").value_or("").c_str(), "text/html", 9) == 0;
}

bool is_text(const HttpReply &reply) {
  return is_page(reply) || reply.header("Content-Type").value_or("").starts_with("text/");
}

std::string unasked_encoding(const HttpReply &reply) {
  std::string encoding = reply.header("Content-Encoding").value_or("");
  return is_same_word(encoding, "identity") ? "" : encoding;
}

}  // namespace genclip
