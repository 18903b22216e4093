// SPDX-License-Identifier: LGPL-2.1-or-later
//
// HTTP answers that are valid but unhelpful, or slightly invalid: statuses, redirects, lengths, headers,
// encodings.
#include <gtest/gtest.h>

#include "tests/faults/play.h"

namespace genclip::test {
namespace {

using enum Place;

// Queries continue until then, regardless of the retries.
constexpr char kHead[] = "HTTP/1.1 200 OK\r\n";

GstResourceError code_of(unsigned status) {
  switch (status) {
    case 401:
    case 402:
    case 403:
    case 407: return GST_RESOURCE_ERROR_NOT_AUTHORIZED;
    case 404: return GST_RESOURCE_ERROR_NOT_FOUND;
    case 429:
    case 503: return GST_RESOURCE_ERROR_BUSY;
    default:
      return status >= 400 && status < 500 ? GST_RESOURCE_ERROR_SETTINGS : GST_RESOURCE_ERROR_OPEN_READ;
  }
}

// Each status as the answer to the submit. After 4xx and 503 there is no task; all others leave this
// unknown.
void add_submit_statuses(std::vector<FaultCase> &cases) {
  for (const unsigned code : {400u, 401u, 402u, 403u, 404u, 405u, 406u, 407u, 408u, 409u, 410u,
                              413u, 415u, 418u, 421u, 422u, 423u, 425u, 429u, 451u, 499u, 503u})
    cases.push_back({.name = "Submit" + std::to_string(code),
                     .misdeeds = {status(submit, code)},
                     .ending = refused(code_of(code)),
                     .settings = kOnce});
  for (const unsigned code : {300u, 301u, 302u, 303u, 304u, 305u, 307u, 308u, 399u, 500u, 501u, 502u, 504u,
                              505u, 507u, 520u, 524u, 529u, 599u})
    cases.push_back({.name = "Submit" + std::to_string(code),
                     .misdeeds = {status(submit, code, code == 304 ? "" : "{}")},
                     .ending = doubtful(code_of(code)),
                     .settings = kOnce});
  for (const unsigned code : {200u, 201u, 202u, 206u, 299u})
    cases.push_back({.name = "SubmitAcceptedWith" + std::to_string(code),
                     .misdeeds = {status(submit, code, R"({"id":"t-1","status":"queued"})", "", 1)},
                     .ending = recovers()});
}

void add_query_statuses(std::vector<FaultCase> &cases) {
  for (const unsigned code :
       {300u, 301u, 302u, 307u, 308u, 400u, 401u, 402u, 403u, 405u, 409u, 410u, 418u, 421u, 422u, 451u})
    cases.push_back({.name = "Query" + std::to_string(code),
                     .misdeeds = {status(query, code)},
                     .ending = kept(code == 410 ? GST_RESOURCE_ERROR_NOT_FOUND : code_of(code)),
                     .settings = kOnce});
  for (const unsigned code : {429u, 500u, 501u, 502u, 503u, 504u, 520u, 599u})
    cases.push_back({.name = "Query" + std::to_string(code),
                     .misdeeds = {status(query, code)},
                     .ending = kept(code_of(code), "stays at the service"),
                     .settings = kBriefly});
  // It is still unknown whether the task is lost.
  cases.push_back({.name = "Query404",
                   .misdeeds = {status(query, 404)},
                   .ending = kept(GST_RESOURCE_ERROR_READ, "stays at the service"),
                   .settings = kBriefly});
  // 404: the service may not know yet what it has just accepted.
  for (const unsigned code : {404u, 408u, 425u, 429u, 500u, 502u, 503u, 504u, 520u, 522u, 524u})
    cases.push_back({.name = "Query" + std::to_string(code) + "Once",
                     .misdeeds = {status(query, code, "{}", "Retry-After: 0\r\n", 1)},
                     .ending = recovers()});
}

void add_media_statuses(std::vector<FaultCase> &cases) {
  const auto kept_by = [](unsigned code) {
    if (code == 401 || code == 403 || code == 407) return kept(GST_RESOURCE_ERROR_NOT_AUTHORIZED, "paid");
    if (code == 404 || code == 410) return kept(GST_RESOURCE_ERROR_NOT_FOUND, "paid");
    return kept(GST_RESOURCE_ERROR_OPEN_READ, "paid");
  };
  for (const unsigned code : {204u, 300u, 304u, 400u, 401u, 402u, 403u, 404u, 405u, 407u, 410u, 416u,
                              418u, 421u, 429u, 451u, 500u, 501u, 502u, 503u, 504u, 520u, 599u})
    cases.push_back({.name = "Media" + std::to_string(code),
                     .misdeeds = {status(media, code, code == 204 || code == 304 ? "" : "{}")},
                     .ending = kept_by(code),
                     .settings = kBriefly});
  for (const unsigned code : {401u, 403u, 404u, 408u, 410u, 425u, 429u, 500u, 502u, 503u, 504u, 523u})
    cases.push_back({.name = "Media" + std::to_string(code) + "Once",
                     .misdeeds = {status(media, code, "{}", "Retry-After: 0\r\n", 1)},
                     .ending = recovers()});
}

void add_waits(std::vector<FaultCase> &cases) {
  const auto busy = [](std::string header) {
    return refusing(status(submit, 429, "{}", header + "\r\n", 1));
  };
  const std::pair<const char *, const char *> kWaits[] = {
      {"Zero", "Retry-After: 0"},
      {"OneSecond", "Retry-After: 1"},
      {"Decimals", "Retry-After: 0.2"},
      {"PastDate", "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT"},
      {"OldDateForm", "Retry-After: Sunday, 06-Nov-94 08:49:37 GMT"},
      {"Nonsense", "Retry-After: soon"},
      {"Negative", "Retry-After: -5"},
      {"Empty", "Retry-After:"},
      {"Twice", "Retry-After: 0\r\nRetry-After: 0"},
  };
  for (const auto &[name, header] : kWaits)
    cases.push_back(
        {.name = std::string("SubmitRetryAfter") + name, .misdeeds = {busy(header)}, .ending = recovers()});
  for (const char *wait : {"86400", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"}) {
    const std::string name = wait[0] == 'F' ? "Year9999" : wait[1] == '6' ? "ADay" : "Astronomical";
    cases.push_back({.name = "SubmitRetryAfter" + name,
                     .misdeeds = {busy(std::string("Retry-After: ") + wait)},
                     .ending = refused(GST_RESOURCE_ERROR_BUSY, "wait")});
    cases.push_back({.name = "QueryRetryAfter" + name,
                     .misdeeds = {status(query, 503, "{}", std::string("Retry-After: ") + wait + "\r\n")},
                     .ending = kept(GST_RESOURCE_ERROR_BUSY, "wait")});
  }
  cases.push_back({.name = "SubmitQuotaOfTheDay",
                   .misdeeds = {status(submit, 429, R"({"error":"daily limit"})", "Retry-After: 0\r\n")},
                   .ending = refused(GST_RESOURCE_ERROR_BUSY, "quota")});
  cases.push_back({.name = "SubmitBusyForEver",
                   .simulator = {"submit:status=503;retry-after=0"},
                   .ending = refused(GST_RESOURCE_ERROR_BUSY)});
  cases.push_back({.name = "SubmitBusyUntilADate",
                   .simulator = {"submit#1:status=503;retry-after=date+1"},
                   .ending = recovers()});
}

void add_redirects(std::vector<FaultCase> &cases) {
  const auto to = [](std::string location) {
    return edit([location](const Occasion &occasion) {
      return answer(302, "",
                    "Location: " + (location.starts_with('/') ? occasion.media : "") + location + "\r\n");
    });
  };
  const std::pair<const char *, const char *> kTargets[] = {
      {"NoHttp", "ftp://127.0.0.1/c.mp4"},
      {"AFile", "file:///etc/passwd"},
      {"Nonsense", "http://[::"},
      {"AScript", "javascript:alert(1)"},
      {"AControl", "http://127.0.0.1:1/\x01"},
  };
  for (const auto &[name, target] : kTargets)
    cases.push_back({.name = std::string("MediaRedirectsTo") + name,
                     .misdeeds = {at(media, to(target))},
                     .ending = kept(GST_RESOURCE_ERROR_OPEN_READ),
                     .settings = kOnce});
  cases.insert(
      cases.end(),
      {{.name = "MediaRedirectsTenTimes", .simulator = {"media#1:redirects=10"}, .ending = recovers()},
       {.name = "MediaRedirectsElevenTimes",
        .simulator = {"media:redirects=11"},
        .ending = kept(GST_RESOURCE_ERROR_OPEN_READ, "redirects"),
        .settings = kOnce},
       {.name = "MediaRedirectsToItself",
        .simulator = {"media:redirect-loop"},
        .ending = kept(GST_RESOURCE_ERROR_OPEN_READ, "redirects"),
        .settings = kOnce},
       {.name = "MediaRedirectsWithoutLocation",
        .misdeeds = {status(media, 302, "")},
        .ending = kept(GST_RESOURCE_ERROR_OPEN_READ),
        .settings = kOnce},
       {.name = "MediaRedirectsOnce",
        .misdeeds = {at(media, to("/clips/t-1.mp4?sig=s3cr3t"), 1)},
        .ending = recovers()},
       {.name = "SubmitRedirectsToAnotherHost",
        .misdeeds = {at(submit, edit([](const Occasion &occasion) {
                          return answer(307, "", "Location: " + occasion.media + "/steal\r\n");
                        }))},
        .ending = doubtful(GST_RESOURCE_ERROR_OPEN_READ, "redirect")},
       {.name = "QueryRedirectsToAnotherHost",
        .misdeeds = {at(query, to("/steal"))},
        .ending = kept(GST_RESOURCE_ERROR_OPEN_READ, "redirect"),
        .settings = kOnce}});
}

void add_forms(std::vector<FaultCase> &cases) {
  const std::string id = R"({"id":"t-1","status":"queued"})";
  const auto chunked = [](const std::string &chunks) {
    return std::string(kHead) + "Transfer-Encoding: chunked\r\n\r\n" + chunks;
  };
  const auto with_head = [](std::string first, Place place) {
    return at(place, edit([first](const Occasion &occasion) { return first + occasion.proper; }), 1);
  };
  std::string informational;
  for (int i = 0; i < 50; ++i) informational += "HTTP/1.1 102 Processing\r\n\r\n";
  cases.insert(
      cases.end(),
      {
          {.name = "SubmitAnswerChunked",
           .misdeeds = {at(submit, say(chunked("1e\r\n" + id + "\r\n0\r\n\r\n")), 1)},
           .ending = recovers()},
          {.name = "SubmitAnswerChunkedAndCut",
           .misdeeds = {at(submit, say_and_close(chunked("1e\r\n" + id.substr(0, 9))), 1)},
           .ending = doubtful(GST_RESOURCE_ERROR_READ)},
          {.name = "SubmitAnswerOfBadChunks",
           .misdeeds = {at(submit, say_and_close(chunked("zz\r\n" + id + "\r\n0\r\n\r\n")), 1)},
           .ending = doubtful(GST_RESOURCE_ERROR_READ)},
          {.name = "SubmitAnswerToTheEndOfTheConnection",
           .misdeeds = {at(submit, say_and_close("HTTP/1.0 200 OK\r\n\r\n" + id), 1)},
           .ending = recovers()},
          {.name = "SubmitAnswerWithAShortLength",
           .misdeeds = {at(submit, say_and_close(std::string(kHead) + "Content-Length: 10\r\n\r\n" + id), 1)},
           .ending = doubtful(GST_RESOURCE_ERROR_READ)},
          {.name = "SubmitAnswerWithALongLength",
           .simulator = {"submit#1:wrong-length=100"},
           .ending = recovers()},
          {.name = "SubmitAnswerOfNoLength",
           .misdeeds = {status(submit, 204, "", "", 1)},
           .ending = doubtful(GST_RESOURCE_ERROR_READ)},
          {.name = "SubmitAnswerCompressed",
           .misdeeds = {at(submit, body("\x1f\x8b\x08 not asked for", "Content-Encoding: gzip\r\n"), 1)},
           .ending = doubtful(GST_RESOURCE_ERROR_READ)},
          {.name = "SubmitAnswerIsCalledText",
           .simulator = {"submit#1:wrong-type=text/html"},
           .ending = recovers()},
          {.name = "SubmitAnswerIsTooLarge",
           .simulator = {"submit#1:oversized=9000000"},
           .ending = recovers()},
          {.name = "SubmitAnswerIsLarge", .simulator = {"submit#1:oversized=8000000"}, .ending = recovers()},
          {.name = "SubmitAnsweredWith100First",
           .misdeeds = {with_head("HTTP/1.1 100 Continue\r\n\r\n", submit)},
           .ending = recovers()},
          {.name = "SubmitAnsweredWith103First",
           .misdeeds = {with_head("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", submit)},
           .ending = recovers()},
          {.name = "SubmitAnsweredWith1xxForEver",
           .misdeeds = {with_head(informational, submit)},
           .ending = doubtful(GST_RESOURCE_ERROR_READ)},
          {.name = "QueryAnsweredWith1xxForEver",
           .misdeeds = {with_head(informational, query)},
           .ending = recovers()},
          {.name = "QueryAnswerIsTooLarge",
           .simulator = {"query:oversized=9000000"},
           // Under a sanitizer the last try may end before so much has arrived.
           .ending = kept(GST_RESOURCE_ERROR_READ, "stays at the service"),
           .settings = kBriefly},
          {.name = "QueryAnswerIsTooLargeOnce",
           .simulator = {"query#1:oversized=9000000"},
           .ending = recovers(),
           .settings = kOnce},
          {.name = "QueryAnswerCompressedOnce",
           .misdeeds = {at(query, body("\x1f\x8b\x08 not asked for", "Content-Encoding: gzip\r\n"), 1)},
           .ending = recovers()},
          {.name = "QueryAnswerChunkedAndCutOnce",
           .misdeeds = {at(query, say_and_close(chunked("1e\r\n{\"id\"")), 1)},
           .ending = recovers()},
          {.name = "QueryAnswerWithALongLengthOnce",
           .simulator = {"query#1:wrong-length=100"},
           .ending = recovers()},
          {.name = "QueryAnswerWithManyHeaders",
           .misdeeds = {at(
               query, with_header("X-A: " + std::string(9000, 'a') + "\r\nX-B: " + std::string(9000, 'b')),
               1)},
           .ending = recovers()},
          {.name = "QueryAnswerIsAnEndlessObject",
           .misdeeds = {at(query, say_and_close(std::string(kHead) + "\r\n" + std::string(9'000'000, '[')))},
           .ending = kept(GST_RESOURCE_ERROR_READ, "larger"),
           .settings = {{"retries", "0"}}},
          {.name = "QuerySetsCookies",
           .misdeeds = {at(query, with_header("Set-Cookie: tracked=s3cr3t; Path=/"))},
           .ending = recovers()},
          {.name = "MediaSetsCookies",
           .misdeeds = {at(media, with_header("Set-Cookie: tracked=s3cr3t; Path=/"))},
           .ending = recovers()},
          {.name = "QueryAsksForAPassword",
           .misdeeds = {status(query, 401, "{}", "WWW-Authenticate: Basic realm=\"x\"\r\n")},
           .ending = kept(GST_RESOURCE_ERROR_NOT_AUTHORIZED),
           .settings = kOnce},
          {.name = "MediaAsksForAPassword",
           .misdeeds = {status(media, 401, "{}", "WWW-Authenticate: Bearer realm=\"x\"\r\n")},
           .ending = kept(GST_RESOURCE_ERROR_NOT_AUTHORIZED),
           .settings = kOnce},
          {.name = "ApiClosesAfterEachAnswer", .misdeeds = {at(query, cut(1'000'000))}, .ending = recovers()},
      });
}

std::vector<FaultCase> http_cases() {
  std::vector<FaultCase> cases;
  add_submit_statuses(cases);
  add_query_statuses(cases);
  add_media_statuses(cases);
  add_waits(cases);
  add_redirects(cases);
  add_forms(cases);
  return cases;
}

FAULT_TABLE(HttpFault, http_cases);

}  // namespace
}  // namespace genclip::test
