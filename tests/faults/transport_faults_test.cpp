// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Below HTTP: connections that are refused, reset, silent, slow or cut.
#include <gtest/gtest.h>

#include "tests/faults/play.h"

namespace genclip::test {
namespace {

using namespace std::chrono_literals;
using enum Place;

constexpr auto kRead = GST_RESOURCE_ERROR_READ;
constexpr char kHeadBegun[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConte";
constexpr char kGarbage[] = "\x16\x03\x01 220 mail.example ESMTP ready\r\n\r\n";

std::string endless_header() { return "HTTP/1.1 200 OK\r\nX-Long: " + std::string(200'000, 'x'); }

Misdeed with_url_at(const std::string &url) {
  return at(query, body(R"({"id":"t-1","status":"completed","video_url":")" + url + "/c.mp4?sig=s3cr3t\"}"));
}

// Once the request is on its way: before, a client knows that it was not sent.
Act after_first_byte(Act act) {
  return [act = std::move(act)](ServedConnection &peer, const Occasion &occasion) {
    return peer.take(1) && act(peer, occasion);
  };
}

std::vector<FaultCase> transport_cases() {
  const Settings once = {{"retries", "0"}, {"http-timeout", "1"}};
  const Settings hasty = {{"http-timeout", "1"}};
  // Queries continue until then, regardless of the retries.
  const Settings brief = {{"retries", "0"}, {"http-timeout", "1"}, {"timeout", "2"}};
  const std::string refused_place = "127.0.0.1:" + std::to_string(refused_port());
  return {
      // ---- No server.
      {.name = "ApiRefused",
       .ending = nothing_sent(kOpenRead, "refuses the connection"),
       .settings = {{"base-url", "http://" + refused_place}, {"retries", "0"}},
       .stays = true},
      {.name = "ApiRefusedAndTriedAgain",
       .ending = nothing_sent(kOpenRead, "refuses the connection"),
       .settings = {{"base-url", "http://" + refused_place}},
       .stays = true},
      {.name = "ApiHostUnknown",
       .ending = nothing_sent(GST_RESOURCE_ERROR_NOT_FOUND, "not known"),
       .settings = {{"base-url", "http://nowhere.invalid"}, {"retries", "0"}},
       .stays = true},
      {.name = "ProxyRefused",
       .ending = nothing_sent(kOpenRead, "refuses the connection. Check the property proxy"),
       .settings = {{"proxy", "http://" + refused_place}, {"retries", "0"}}},
      {.name = "ProxyUnknown",
       .ending = nothing_sent(GST_RESOURCE_ERROR_NOT_FOUND, "The proxy nowhere.invalid"),
       .settings = {{"proxy", "nowhere.invalid:80"}, {"retries", "0"}}},
      {.name = "ProxyOfNoKnownKind",
       .ending = not_begun("ftp://127.0.0.1"),
       .settings = {{"proxy", "ftp://127.0.0.1"}}},
      {.name = "ApiSpeaksNoTls",
       .ending = nothing_sent(kOpenRead),
       .settings = {{"base-url", "https://" + refused_place}, {"retries", "0"}},
       .stays = true},
      {.name = "MediaRefused",
       .misdeeds = {with_url_at("http://" + refused_place)},
       .ending = kept(kOpenRead, "refuses the connection")},
      {.name = "MediaHostUnknown",
       .misdeeds = {with_url_at("http://nowhere.invalid")},
       .ending = kept(GST_RESOURCE_ERROR_NOT_FOUND)},
      {.name = "MediaSpeaksNoTls",
       .misdeeds = {with_url_at("https://" + refused_place)},
       .ending = kept(kOpenRead)},

      // ---- The submit: not repeated if it may have reached the service.
      {.name = "SubmitConnectionReset",
       .misdeeds = {at(api_connection, after_first_byte(reset()), 1)},
       .ending = doubtful(kRead, "unknown", 0)},
      {.name = "SubmitConnectionClosed",
       .misdeeds = {at(api_connection, after_first_byte(close()), 1)},
       .ending = doubtful(kRead, "unknown", 0)},
      {.name = "SubmitConnectionSilent",
       .misdeeds = {at(api_connection, hang(), 1)},
       .ending = doubtful(kRead, "unknown", 0),
       .settings = hasty},
      {.name = "SubmitGreetedWithGarbage",
       .misdeeds = {at(api_connection, say_and_hang(kGarbage), 1)},
       .ending = doubtful(kOpenRead, "that is not HTTP", 0),
       .settings = hasty},
      {.name = "SubmitReset", .simulator = {"submit#1:reset"}, .ending = doubtful(kRead)},
      {.name = "SubmitHangs", .simulator = {"submit#1:hang"}, .ending = doubtful(kRead), .settings = hasty},
      {.name = "SubmitAcceptedThenReset", .simulator = {"submit#1:lose-answer"}, .ending = doubtful(kRead)},
      {.name = "SubmitAcceptedThenSilent",
       .simulator = {"submit#1:hold-answer"},
       .ending = doubtful(kRead),
       .settings = hasty},
      {.name = "SubmitAnswerCut", .simulator = {"submit#1:cut=8"}, .ending = doubtful(kRead)},
      {.name = "SubmitAnswerCutBehindTheId", .simulator = {"submit#1:cut=60"}},
      {.name = "SubmitAnswerCutAtOnce", .simulator = {"submit#1:cut=0"}, .ending = doubtful(kRead)},
      {.name = "SubmitAnswersGarbage",
       .misdeeds = {at(submit, say_and_close(kGarbage), 1)},
       .ending = doubtful(kOpenRead, "that is not HTTP")},
      {.name = "SubmitAnswersNulBytes",
       .misdeeds = {at(submit, say_and_close(std::string(300, '\0')), 1)},
       .ending = doubtful(kOpenRead)},
      {.name = "SubmitHeadCut",
       .misdeeds = {at(submit, say_and_close(kHeadBegun), 1)},
       .ending = doubtful(kOpenRead)},
      {.name = "SubmitHeadCutByReset",
       .misdeeds = {at(submit, say_and_reset(kHeadBegun), 1)},
       .ending = doubtful(kRead)},
      {.name = "SubmitHeadStalls",
       .misdeeds = {at(submit, say_and_hang(kHeadBegun), 1)},
       .ending = doubtful(kRead),
       .settings = hasty},
      {.name = "SubmitHeadTooLarge",
       .misdeeds = {at(submit, say_and_hang(endless_header()), 1)},
       .ending = doubtful(kRead)},
      {.name = "SubmitBodyStalls",
       .misdeeds = {at(submit, say_and_hang("HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n{\"id\":"), 1)},
       .ending = doubtful(kRead),
       .settings = hasty},
      {.name = "SubmitAnswerInDrops",
       .misdeeds = {at(submit, drip(answer(200, R"({"id":"t-1"})"), 2ms), 1)},
       .ending = recovers()},

      // ---- The query: retried.
      {.name = "QueryResetOnce", .simulator = {"query#1:reset"}, .ending = recovers()},
      {.name = "QueryHangsOnce", .simulator = {"query#1:hang"}, .ending = recovers(), .settings = hasty},
      {.name = "QueryLosesItsAnswer", .simulator = {"query#1:lose-answer"}, .ending = recovers()},
      {.name = "QueryCutOnce", .simulator = {"query#1:cut=20"}, .ending = recovers()},
      {.name = "QueryHeadCutOnce",
       .misdeeds = {at(query, say_and_close(kHeadBegun), 1)},
       .ending = recovers()},
      {.name = "QueryHeadStallsOnce",
       .misdeeds = {at(query, say_and_hang(kHeadBegun), 1)},
       .ending = recovers(),
       .settings = hasty},
      {.name = "QueryResetForEver", .simulator = {"query:reset"}, .ending = kept(kRead), .settings = brief},
      {.name = "QueryHangsForEver", .simulator = {"query:hang"}, .ending = kept(kRead), .settings = brief},
      {.name = "QueryCutForEver", .simulator = {"query:cut=20"}, .ending = kept(kRead), .settings = brief},
      {.name = "QueryAnswersGarbage",
       .misdeeds = {at(query, say_and_close(kGarbage))},
       .ending = kept(kOpenRead, "that is not HTTP"),
       .settings = brief},
      {.name = "QueryHeadTooLarge",
       .misdeeds = {at(query, say_and_hang(endless_header()))},
       .ending = kept(kRead),
       .settings = brief},
      {.name = "QueryInDropsPastTheDeadline",
       .misdeeds = {at(query, drip(answer(200, R"({"id":"t-1","status":"queued"})"), 100ms))},
       .ending = kept(kRead),
       .settings = {{"timeout", "1"}, {"retries", "0"}, {"http-timeout", "1"}}},

      // ---- The clip: resumed.
      {.name = "MediaResetOnce", .simulator = {"media#1:reset"}, .ending = recovers()},
      {.name = "MediaHangsOnce", .simulator = {"media#1:hang"}, .ending = recovers(), .settings = hasty},
      {.name = "MediaResetForEver", .simulator = {"media:reset"}, .ending = kept(kRead), .settings = once},
      {.name = "MediaHangsForEver", .simulator = {"media:hang"}, .ending = kept(kRead), .settings = once},
      {.name = "MediaAnswersGarbageOnce",
       .misdeeds = {at(media, say_and_close(kGarbage), 1)},
       .ending = recovers()},
      {.name = "MediaAnswersGarbage",
       .misdeeds = {at(media, say_and_close(kGarbage))},
       .ending = kept(kOpenRead, "that is not HTTP"),
       .settings = once},
      {.name = "MediaConnectionResetOnce",
       .misdeeds = {at(media_connection, reset(), 1)},
       .ending = recovers()},
      {.name = "MediaHeadCutOnce", .misdeeds = {at(media, cut(20), 1)}, .ending = recovers()},
      {.name = "MediaHeadStallsOnce",
       .misdeeds = {at(media, say_and_hang("HTTP/1.1 200 OK\r\nContent-"), 1)},
       .ending = recovers(),
       .settings = hasty},
      {.name = "MediaHeadInDrops",
       .misdeeds = {at(media, drip("HTTP/1.1 200 OK\r\nX-Slow: " + std::string(40, 'x'), 100ms))},
       .ending = kept(kRead),
       .settings = {{"retries", "0"}, {"http-timeout", "1"}}},
      {.name = "MediaBodyStallsOnce",
       .misdeeds = {at(media,
                       edit([](const Occasion &occasion) { return occasion.proper.substr(0, 40'000); }), 1)},
       .ending = recovers(),
       .settings = hasty},
      {.name = "MediaHeadTooLarge",
       .misdeeds = {at(media, say_and_hang(endless_header()))},
       .ending = kept(kRead),
       .settings = once},
      {.name = "MediaThrottled", .simulator = {"media:throttle=600000"}, .ending = recovers()},
      {.name = "EverythingResetOnceButTheSubmit",
       .simulator = {"query#1:reset", "media#1:reset"},
       .ending = recovers()},
  };
}

FAULT_TABLE(TransportFault, transport_cases);

}  // namespace
}  // namespace genclip::test
