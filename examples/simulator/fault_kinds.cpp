// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/fault_kinds.h"

#include <algorithm>

namespace genclip::sim {
namespace {

constexpr int64_t kMost = int64_t{1} << 40;

constexpr KindRow kKinds[] = {
    {FaultKind::status, "status", kAny, Argument::number, "CODE", 200, 599, 0, false,
     "Answers with this status and does nothing else. Add `;retry-after=SECONDS` or "
     "`;retry-after=date+SECONDS`, and `;shape=…` for the body."},
    {FaultKind::delay, "delay", kAny, Argument::number, "MS", 0, 3600000, 0, false,
     "Waits before it handles the call."},
    {FaultKind::hang, "hang", kAny, Argument::none, "", 0, 0, 0, false,
     "Never answers, and ignores the call."},
    {FaultKind::reset, "reset", kAny, Argument::none, "", 0, 0, 0, false,
     "Resets the connection before it handles the call."},
    {FaultKind::lose_answer, "lose-answer", kAny, Argument::none, "", 0, 0, 0, false,
     "Handles the call (a submit counts and costs), then resets the connection instead of answering."},
    {FaultKind::hold_answer, "hold-answer", kAny, Argument::none, "", 0, 0, 0, false,
     "Handles the call, then never answers."},
    {FaultKind::cut, "cut", kAny, Argument::number, "BYTES", 0, kMost, 0, false,
     "Closes the connection after this many bytes of the body."},
    {FaultKind::throttle, "throttle", kAny, Argument::number, "BYTES_PER_SECOND", 1, kMost, 0, false,
     "Sends the body at this rate."},
    {FaultKind::wrong_length, "wrong-length", kAny, Argument::number, "DIFFERENCE", -kMost, kMost, 0, false,
     "Adds this to the true Content-Length and sends the true body."},
    {FaultKind::html, "html", kAny, Argument::none, "", 0, 0, 0, false,
     "Answers 200 with an HTML page, as an intermediate proxy would."},
    {FaultKind::wrong_type, "wrong-type", kAny, Argument::optional_text, "TYPE", 0, 0, 0, false,
     "Sends the right body with another Content-Type (text/plain)."},
    {FaultKind::garbage_json, "garbage-json", kAny, Argument::none, "", 0, 0, 0, false,
     "Answers 200 with bytes that are neither JSON nor UTF-8 nor media."},
    {FaultKind::oversized, "oversized", kApi, Argument::optional_number, "BYTES", 1, int64_t{1} << 30,
     9 << 20, false, "Pads the JSON answer to this size (9 MiB)."},
    {FaultKind::redirect, "redirect", kAny, Argument::text, "URL", 0, 0, 0, false,
     "Answers 302 with this Location."},
    {FaultKind::redirects, "redirects", kMedia, Argument::number, "N", 1, 100, 0, false,
     "Answers 302 this many times in a row, then sends the clip."},
    {FaultKind::redirect_loop, "redirect-loop", kAny, Argument::none, "", 0, 0, 0, false,
     "Answers 302 with its own address as the Location."},
    {FaultKind::no_range, "no-range", kMedia, Argument::none, "", 0, 0, 0, false,
     "Ignores Range and If-Range: sends the whole clip with status 200 and no Accept-Ranges."},
    {FaultKind::changed_content, "changed-content", kMedia, Argument::none, "", 0, 0, 0, false,
     "Sends another clip of the same length, with another ETag."},
    {FaultKind::fail, "fail", kApi, Argument::text, "MESSAGE", 0, 0, 0, false,
     "Lets the task fail: a submitted one when it is due, a queried one at once. Add `;shape=…` for its "
     "error."},
    {FaultKind::state, "state", kApi, Argument::text, "[REAL/]WORD", 0, 0, 0, false,
     "Writes another word as the status; with REAL/, only if that is the true status "
     "(`state=completed/SUCCEEDED`)."},
    {FaultKind::set, "set", kApi, Argument::text, "FIELD:JSON", 0, 0, 0, false,
     "Sets any field of the answer to any value."},
    {FaultKind::drop, "drop", kApi, Argument::text, "FIELD", 0, 0, 0, false,
     "Leaves a field of the answer out."},
    {FaultKind::progress, "progress", kApi, Argument::text, "percent|fraction|text", 0, 0, 0, false,
     "Writes progress as \"50%\", as 0.5 or as \"50\".", "percent fraction text"},
    {FaultKind::id_number, "id-number", kSubmit, Argument::none, "", 0, 0, 0, false,
     "The task's id is a JSON number in all its answers."},
    {FaultKind::amount, "amount", kSubmit, Argument::text, "CREDITS", 0, 0, 0, false,
     "The task costs this, whatever the prices say."},
    {FaultKind::no_amount, "no-amount", kSubmit, Argument::none, "", 0, 0, 0, false,
     "The task's amount is in none of its answers. It costs what it costs."},
    {FaultKind::no_url, "no-url", kQuery, Argument::none, "", 0, 0, 0, true,
     "Reports a completed task without a URL. Counts only queries of completed tasks."},
    {FaultKind::expire_urls, "expire-urls", kQuery, Argument::none, "", 0, 0, 0, true,
     "Sends URLs that have already expired. Counts only queries of completed tasks."},
    {FaultKind::place, "place", kQuery, Argument::text, "PATH", 0, 0, 0, true,
     "Has the URL at this path alone, such as `data[0].url`. Counts only queries of completed tasks."},
    {FaultKind::results, "results", kQuery, Argument::number, "N", 2, 9, 0, true,
     "Has a list `output` (or at `place`) of N URLs of the clip, under N names. Counts only queries of "
     "completed tasks."},
    {FaultKind::cover, "cover", kQuery, Argument::optional_text, "beside|only|first", 0, 0, 0, true,
     "Has a picture in video_url and the clip in result_url (beside); or only the picture; or a list "
     "`output` "
     "(or at `place`) that it is the first of. Counts only queries of completed tasks.",
     "beside only first"},
    {FaultKind::move, "move", kApi, Argument::text, "FIELD/PATH", 0, 0, 0, false,
     "Moves a field of the answer to another place (`move=id/task_id`)."},
    {FaultKind::wrapper, "wrapper", kApi, Argument::text, "WORD", 0, 0, 0, false,
     "Wraps the answer as {\"status\": WORD, \"data\": {…}}; with `;as=code`, as {\"code\": 0, \"message\": "
     "WORD, \"data\": {…}}.",
     "", "status code"},
    {FaultKind::scheme, "scheme", kQuery, Argument::text, "SCHEME", 0, 0, 0, true,
     "Sends URLs of this scheme, such as ftp. Counts only queries of completed tasks."},
    {FaultKind::userinfo, "userinfo", kQuery, Argument::optional_text, "USER:PASSWORD", 0, 0, 0, true,
     "Sends URLs with this user and password (kite:p%40ss), which answer 401 without them as Basic. Counts "
     "only queries of completed tasks."},
    {FaultKind::api_origin, "api-origin", kQuery, Argument::none, "", 0, 0, 0, true,
     "Sends URLs at the API's own address. Counts only queries of completed tasks."},
    {FaultKind::exact, "exact", kQuery, Argument::optional_text, "TARGET", 0, 0, 0, true,
     "Sends URLs with escapes (or with this path and query); a request whose target is not the same byte for "
     "byte gets 403. Counts only queries of completed tasks."},
    {FaultKind::key, "key", kApi | kText, Argument::text, "KEY", 0, 0, 0, false,
     "These calls need this API key instead of the usual one (`query#3-:key=NEW`)."},
    {FaultKind::empty, "empty", kAny, Argument::none, "", 0, 0, 0, false,
     "Sends the head of the right answer (200, not 206) and no byte of its body."},
    {FaultKind::lag, "lag", kMedia, Argument::number, "MS", 0, 86400000, 0, false,
     "For this time after the first answer with the clip's URL, the clip is not there yet. `;as=` says how "
     "the "
     "host tells it: 404, 403, 503, 202 (a text, with Retry-After), page or empty. Add `;retry-after=…`.",
     "", "404 403 503 202 page empty"},
    {FaultKind::want_key, "want-key", kMedia, Argument::none, "", 0, 0, 0, false,
     "Answers 401 and asks for a bearer token. (A request with one gets 400 as ever.)"},
    {FaultKind::cookie, "cookie", kMedia, Argument::none, "", 0, 0, 0, false,
     "Answers 302 with a Set-Cookie; the Location sends the clip to whoever returns the cookie, otherwise "
     "403."},
    {FaultKind::unasked_part, "unasked-part", kMedia, Argument::none, "", 0, 0, 0, false,
     "Answers a GET without Range by 206, with the whole clip and no Content-Range."},
    {FaultKind::framing, "framing", kText, Argument::text, "NAME", 0, 0, 0, false,
     "Frames a streamed answer as events, events-crlf, events-cr, events-tight, array or lines.",
     "events events-crlf events-cr events-tight array lines"},
    {FaultKind::blocked, "blocked", kText, Argument::text, "REASON", 0, 0, 0, false,
     "Answers with only this finishReason."},
    {FaultKind::prompt_blocked, "prompt-blocked", kText, Argument::text, "REASON", 0, 0, 0, false,
     "Answers with only this promptFeedback.blockReason."},
    {FaultKind::error_on_200, "error-on-200", kText, Argument::number, "CODE", 400, 599, 0, false,
     "Answers 200 with an error object of this code."},
    {FaultKind::error_in_array, "error-in-array", kText, Argument::number, "CODE", 400, 599, 0, false,
     "Answers 200 with an array of one error object."},
    {FaultKind::error_midway, "error-midway", kText, Argument::number, "CODE", 400, 599, 0, false,
     "Ends a streamed answer early with an error object of this code."},
    {FaultKind::quota, "quota", kText, Argument::text, "DELAY", 0, 0, 0, false,
     "Answers 429 with a RetryInfo of this delay, such as 1.5s."},
    {FaultKind::max_tokens, "max-tokens", kText, Argument::none, "", 0, 0, 0, false,
     "Answers with no text because its tokens ran out (MAX_TOKENS)."},
    {FaultKind::thought, "thought", kText, Argument::none, "", 0, 0, 0, false,
     "Sends its thoughts before the answer."},
    {FaultKind::finish, "finish", kText, Argument::text, "REASON", 0, 0, 0, false,
     "Sends the whole text, with this finishReason."},
    {FaultKind::no_finish, "no-finish", kText, Argument::none, "", 0, 0, 0, false,
     "Sends the whole text, but no finishReason."},
    {FaultKind::no_text, "no-text", kText, Argument::optional_text, "REASON", 0, 0, 0, false,
     "Answers without text, with this finishReason (STOP). `;as=` says what is there instead: blank, "
     "thought, "
     "fence (one with nothing in it), candidates (an empty list) or nothing ({}).",
     "", "content blank thought fence candidates nothing"},
    {FaultKind::cut_behind, "cut-behind", kText, Argument::number, "PIECES", 1, 1000, 0, false,
     "Has STOP in each piece of a streamed answer, and closes the connection behind this many of them."},
    {FaultKind::halves, "halves", kText, Argument::none, "", 0, 0, 0, false,
     "Has an emoji behind the first word, its halves (`\\ud83e`, `\\ude81`) in two pieces or parts."},
    {FaultKind::lacks_key, "lacks-key", kText, Argument::optional_text, "LANGUAGE", 0, 0, 0, false,
     "An answer in several languages lacks this one (the last)."},
    {FaultKind::other_key, "other-key", kText, Argument::optional_text, "LANGUAGE", 0, 0, 0, false,
     "An answer in several languages has this one (the last) under another key."},
    {FaultKind::lacks_number, "lacks-number", kText, Argument::none, "", 0, 0, 0, false,
     "An answer about numbered cues lacks the last one."},
    {FaultKind::wrong_number, "wrong-number", kText, Argument::none, "", 0, 0, 0, false,
     "An answer about numbered cues has a wrong number for the last one."},
    {FaultKind::fence, "fence", kText, Argument::none, "", 0, 0, 0, false,
     "An answer has a fence of markdown around it; one in a form has a remark in front of it, too."},
    {FaultKind::reversed, "reversed", kText, Argument::none, "", 0, 0, 0, false,
     "An answer in a form has its languages and cues in reverse order."},
    {FaultKind::no_form, "no-form", kText, Argument::none, "", 0, 0, 0, false,
     "Answers with one text where a form is asked for."},
};

}  // namespace

std::span<const KindRow> fault_kinds() { return kKinds; }

const KindRow &row_of(FaultKind kind) {
  return *std::find_if(std::begin(kKinds), std::end(kKinds),
                       [&](const KindRow &row) { return row.kind == kind; });
}

}  // namespace genclip::sim
