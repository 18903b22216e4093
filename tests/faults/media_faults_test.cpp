// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Clips that arrive truncated, changed, mislabelled, or not at all.
#include <gtest/gtest.h>

#include "tests/faults/play.h"
#include "tests/support/sample_clip.h"

namespace genclip::test {
namespace {

using enum Place;

constexpr char kPage[] = "<!DOCTYPE html><html><body>Sign in</body></html>";

// For the requests of a part only.
Act part(std::string status_line, std::string content_range, std::string bytes) {
  return edit([=](const Occasion &occasion) {
    if (occasion.request.find("\r\nRange:") == std::string::npos) return occasion.proper;
    const std::string header = content_range.empty() ? "" : "Content-Range: " + content_range + "\r\n";
    return status_line + "Content-Length: " + std::to_string(bytes.size()) + "\r\n" + header + "\r\n" + bytes;
  });
}

void add_cuts(std::vector<FaultCase> &cases) {
  for (const size_t place : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{15}, size_t{16}, size_t{40},
                             size_t{4096}, size_t{50'000}, size_t{65'535}, size_t{65'536}, size_t{99'999}}) {
    cases.push_back({.name = "CutAt" + std::to_string(place),
                     .misdeeds = {at(media, cut_body(place), 1)},
                     .ending = recovers()});
    cases.push_back({.name = "CutAt" + std::to_string(place) + "ThenRangeIgnored",
                     .simulator = {"media#1:cut=" + std::to_string(place), "media#2-:no-range"},
                     .ending = recovers()});
  }
  cases.push_back(
      {.name = "CutAtTheSamePlaceForEver", .misdeeds = {at(media, cut_body(20'000))}, .ending = recovers()});
  cases.push_back({.name = "CutTwentyTimes", .simulator = {"media#1-20:cut=14000"}, .ending = recovers()});
  cases.push_back(
      {.name = "CutByReset", .misdeeds = {at(media, cut_and_reset(60'000), 1)}, .ending = recovers()});
  cases.push_back({.name = "CutForEverAtTheStart",
                   .simulator = {"media:cut=0"},
                   .ending = kept(GST_RESOURCE_ERROR_READ),
                   .settings = kOnce});
  cases.push_back({.name = "CutAndNeverGoneOnWith",
                   .simulator = {"media#1:cut=70000", "media#2-:status=500"},
                   .ending = kept(GST_RESOURCE_ERROR_OPEN_READ),
                   .settings = {{"retries", "1"}}});
  cases.push_back({.name = "CutThenExpired",
                   .simulator = {"media#1:cut=70000", "media#2:status=403"},
                   .ending = recovers()});
  cases.push_back({.name = "RefusedWithoutABody",
                   .simulator = {"media#1:status=404", "media#1:empty"},
                   .ending = recovers()});
}

void add_answers_to_ranges(std::vector<FaultCase> &cases) {
  const std::string kPartial = "HTTP/1.1 206 Partial Content\r\n";
  const struct {
    const char *name;
    std::string status_line, content_range, bytes;
  } kParts[] = {
      {"WithoutContentRange", kPartial, "", "x"},
      {"OfNonsense", kPartial, "bytes nonsense", "x"},
      {"OfAnotherUnit", kPartial, "lines 1-2/3", "x"},
      {"TooFarOn", kPartial, "bytes 99000-99999/100000", std::string(1000, 'x')},
      {"OfAnotherLength", kPartial, "bytes 60000-60009/70000", std::string(10, 'x')},
      {"OfOverflow", kPartial, "bytes 99999999999999999999-1/2", "x"},
      {"Backwards", kPartial, "bytes 70000-60000/100000", "x"},
      {"Negative", kPartial, "bytes -5--1/100000", "x"},
      {"InSeveralParts", kPartial, "multipart/byteranges", "--x\r\n\r\nabc\r\n--x--"},
      {"As416", "HTTP/1.1 416 Range Not Satisfiable\r\n", "bytes */100000", ""},
      {"As416OfAnotherLength", "HTTP/1.1 416 Range Not Satisfiable\r\n", "bytes */5", ""},
      {"As416OfNonsense", "HTTP/1.1 416 Range Not Satisfiable\r\n", "all", ""},
  };
  for (const auto &row : kParts)
    cases.push_back({.name = std::string("RestComes") + row.name,
                     .misdeeds = {at(media, cut_body(60'000), 1),
                                  at(media, part(row.status_line, row.content_range, row.bytes))},
                     .ending = recovers()});
  cases.push_back(
      {.name = "RestComesAsAPage",
       .misdeeds = {at(media, cut_body(60'000), 1), at(media, body(kPage, "Content-Type: text/html\r\n"), 1)},
       .ending = recovers()});
  cases.push_back({.name = "RestComesWithAnotherEtag",
                   .misdeeds = {at(media, cut_body(60'000), 1), at(media, edit([](const Occasion &occasion) {
                                                                     std::string changed = occasion.proper;
                                                                     return changed.replace(
                                                                         changed.find("clip-1"), 6, "clip-2");
                                                                   }),
                                                                   1)},
                   .ending = recovers()});
}

void add_contents(std::vector<FaultCase> &cases) {
  const std::pair<const char *, std::string> kNoMedia[] = {
      {"APage", kPage},
      {"Json", R"({"error":"expired"})"},
      {"Xml", "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>"},
      {"Text", "The clip is not here any more.\n"},
      {"Zeroes", std::string(5000, '\0')},
      {"Noise", sample_mp4(5000, 9).substr(64)},
      {"OneByte", "x"},
      {"AZip", "PK\x03\x04 some archive"},
      {"AScript", "#!/bin/sh\nrm -rf /\n"},
      {"ADrawing", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"},
  };
  for (const auto &[name, bytes] : kNoMedia) {
    cases.push_back({.name = std::string("Is") + name,
                     .misdeeds = {at(media, body(bytes))},
                     .ending = kept_as_wrong_type("other than a video or an image"),
                     .settings = kBriefly});
    cases.push_back({.name = std::string("Is") + name + "Once",
                     .misdeeds = {at(media, body(bytes), 1)},
                     .ending = recovers()});
    cases.push_back({.name = std::string("Is") + name + "CalledAVideo",
                     .misdeeds = {at(media, body(bytes, "Content-Type: video/mp4\r\n"))},
                     .ending = kept_as_wrong_type(),
                     .settings = kBriefly});
  }
  const FaultCase kMore[] = {
      {.name = "IsEmpty",
       .misdeeds = {at(media, body(""))},
       .ending = kept(GST_RESOURCE_ERROR_READ, "empty"),
       .settings = kBriefly},
      {.name = "IsEmptyOnce", .misdeeds = {at(media, body(""), 1)}, .ending = recovers()},
      {.name = "IsCalledText", .simulator = {"media:wrong-type"}, .ending = recovers()},
      {.name = "IsCalledAPage", .simulator = {"media:wrong-type=text/html"}, .ending = recovers()},
      {.name = "IsTooLarge",
       .simulator = {"media:wrong-type"},
       .ending = kept(GST_RESOURCE_ERROR_READ, "max-download-size"),
       .settings = {{"max-download-size", "200000"}}},
      {.name = "GrowsTooLarge",
       .misdeeds = {at(media, edit([](const Occasion &occasion) {
                         return "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body_of(occasion.proper);
                       }))},
       .ending = kept(GST_RESOURCE_ERROR_READ, "max-download-size"),
       .settings = {{"max-download-size", "50000"}}},
      {.name = "ClaimsToBeTooLarge",
       .misdeeds = {at(media,
                       say_and_hang("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n"))},
       .ending = kept(GST_RESOURCE_ERROR_READ, "max-download-size"),
       .settings = kOnce},
      {.name = "LengthIsNonsense",
       .misdeeds = {at(media, say_and_hang("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"), 1)},
       .ending = recovers(),
       .settings = {{"http-timeout", "1"}}},
      // By then its wrong size has been reported downstream.
      {.name = "LengthIsTooLong",
       .simulator = {"media#1:wrong-length=1000"},
       .ending = kept(GST_RESOURCE_ERROR_READ, "changed")},
      {.name = "LengthIsTooShort",
       .misdeeds = {at(media, edit([](const Occasion &occasion) {
                         return "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" +
                                body_of(occasion.proper) + "and more of it";
                       }),
                       1)},
       .ending = recovers()},
      {.name = "ChunkedAndCut",
       .misdeeds = {at(
           media,
           [](ServedConnection &peer, const Occasion &occasion) {
             peer.send(
                 "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "9c40\r\n" +
                 body_of(occasion.proper).substr(0, 30'000));
             return false;
           },
           1)},
       .ending = recovers()},
      {.name = "ToTheEndOfTheConnection",
       .misdeeds = {at(media,
                       [](ServedConnection &peer, const Occasion &occasion) {
                         peer.send("HTTP/1.0 200 OK\r\n\r\n" + body_of(occasion.proper));
                         return false;
                       })},
       .ending = recovers()},
      {.name = "ToTheEndOfTheConnectionAndCut",
       .misdeeds = {at(
           media,
           [](ServedConnection &peer, const Occasion &occasion) {
             peer.send("HTTP/1.0 200 OK\r\n\r\n" + body_of(occasion.proper).substr(0, 60'000));
             return false;
           },
           1)},
       .ending = recovers()},
      {.name = "CompressedThoughNotAsked",
       .misdeeds = {at(media, body("\x1f\x8b\x08 bytes", "Content-Encoding: gzip\r\n"))},
       .ending = kept_as_wrong_type("Content-Encoding: gzip"),
       .settings = kOnce},
      {.name = "UrlExpiredOnce", .simulator = {"query#1:expire-urls"}, .ending = recovers()},
      {.name = "UrlExpiredForEver",
       .simulator = {"query:expire-urls"},
       .ending = kept(GST_RESOURCE_ERROR_NOT_AUTHORIZED, "expired"),
       .settings = kBriefly},
      {.name = "UrlExpiredAndNoNewOne",
       .simulator = {"query#1:expire-urls", "query#2-:no-url"},
       .ending = kept(GST_RESOURCE_ERROR_NOT_FOUND, "no URL"),
       .settings = {{"retries", "1"}}},
      {.name = "TaskFailsAfterItsUrlExpired",
       .misdeeds = {status(media, 403),
                    at(query, edit([](const Occasion &occasion) { return occasion.proper; }), 1),
                    at(query, body(R"({"status":"failed","error":"gone for good"})"))},
       .ending = kept(GST_RESOURCE_ERROR_FAILED, "gone for good")},
      {.name = "ServerGoneAmidTheClip",
       .misdeeds = {at(media, cut_and_reset(60'000), 1), at(media, reset())},
       .ending = kept(GST_RESOURCE_ERROR_READ, "bytes of the clip are stored"),
       .settings = kOnce},
      {.name = "ThrottledAndCutAndExpired",
       .simulator = {"media#1:cut=90000", "media#2:status=410", "media#3:throttle=900000", "media#4:reset"},
       .ending = recovers()},
  };
  cases.insert(cases.end(), std::begin(kMore), std::end(kMore));
}

std::vector<FaultCase> media_cases() {
  std::vector<FaultCase> cases;
  add_cuts(cases);
  add_answers_to_ranges(cases);
  add_contents(cases);
  return cases;
}

FAULT_TABLE(MediaFault, media_cases);

}  // namespace
}  // namespace genclip::test
