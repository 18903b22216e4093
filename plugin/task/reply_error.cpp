// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A table of statuses; the first row that fits gives the text.
#include "plugin/task/reply_error.h"

#include <glib.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "plugin/base/shown_text.h"
#include "plugin/http/display_line.h"
#include "plugin/task/service_message.h"

namespace genclip {
namespace {

constexpr size_t kMaxDebug = 200;
constexpr size_t kMaxSearched = 64 * 1024;

struct Meaning {
  unsigned low;
  unsigned high;
  ErrorKind kind;
  const char *submit;  // What happened, and what to do, when a task was submitted …
  const char *query;   // … and when one was asked for. Null: the same.
};

constexpr Meaning kMeanings[] = {
    {300, 399, ErrorKind::open_read,
     "The service answered with a redirect, which genclip does not follow with a key. Check base-url.",
     nullptr},
    {401, 401, ErrorKind::not_authorized,
     "The service does not accept the API key. Check api-key, api-key-file or GENCLIP_API_KEY.", nullptr},
    {402, 402, ErrorKind::not_authorized, "The account has no credits left. Top it up and run again.",
     nullptr},
    {403, 403, ErrorKind::not_authorized,
     "The service refuses this request for this API key. Check what the key is allowed to do.", nullptr},
    {404, 404, ErrorKind::not_found,
     "There is no task API at base-url. Check base-url, including its path prefix.",
     "The service does not know this task. Check its ID and base-url."},
    {407, 407, ErrorKind::not_authorized, "The proxy asks for credentials. Check the property proxy.",
     nullptr},
    {429, 429, ErrorKind::busy, "The service accepts no more requests for now. Run again later.", nullptr},
    {503, 503, ErrorKind::busy, "The service is not available for now. Run again later.", nullptr},
    {400, 499, ErrorKind::settings, "The service refused the request. Correct it and run again.",
     "The service refused to report on the task."},
    {500, 599, ErrorKind::open_read, "The service failed.",
     "The service failed to report on the task. Run again later."},
    {0, ~0u, ErrorKind::open_read, "The service sent an unexpected answer. Check base-url.", nullptr},
};

constexpr Meaning kUsedUp = {
    429, 429, ErrorKind::busy,
    "The quota of the account or the daily quota is used up. Top it up, or run again when it is renewed.",
    nullptr};

// In lower case, without separators between the words.
constexpr std::string_view kUsedUpWords[] = {"insufficientquota",
                                             "insufficientbalance",
                                             "insufficientcredit",
                                             "insufficientpoints",
                                             "perday",
                                             "daily"};

const Meaning &meaning_of(TaskCall call, const HttpReply &reply) {
  if (is_quota_used_up(reply)) return kUsedUp;
  const unsigned status = call == TaskCall::query && reply.status == 410 ? 404 : reply.status;
  const Meaning *meaning = kMeanings;
  while (status < meaning->low || status > meaning->high) ++meaning;
  return *meaning;
}

}  // namespace

bool is_quota_used_up(const HttpReply &reply) {
  if (reply.status != 429) return false;
  std::string letters;
  for (const char c : reply.body.substr(0, kMaxSearched))
    if (g_ascii_isalpha(c)) letters += g_ascii_tolower(c);
  return std::any_of(std::begin(kUsedUpWords), std::end(kUsedUpWords),
                     [&](std::string_view word) { return letters.find(word) != letters.npos; });
}

Error reply_error(TaskCall call, const HttpReply &reply, const Secrets &secrets) {
  const Meaning &meaning = meaning_of(call, reply);
  Error error;
  error.kind = meaning.kind;
  error.text = call == TaskCall::query && meaning.query ? meaning.query : meaning.submit;
  error.http_status = reply.status;
  error.service_message = service_message_in(reply.body, secrets);
  error.text += it_says(error.service_message);
  error.debug = display_line("HTTP " + std::to_string(reply.status) + " " + reply.reason, kMaxDebug, secrets);
  return error;
}

}  // namespace genclip
