// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Several elements of one process request the same clip during a fault, or while one of them leaves.
#include <gtest/gtest.h>

#include "tests/faults/play.h"

namespace genclip::test {
namespace {

using enum Place;

std::string plural(unsigned guests) { return "For" + std::to_string(guests + 1); }

// All of them end as a single one would.
void add_shared_ends(std::vector<FaultCase> &cases) {
  const struct {
    const char *name;
    std::vector<Misdeed> misdeeds;
    Ending ending;
  } kRows[] = {
      {"BusyOnceAtTheSubmit", {status(submit, 503, "{}", "Retry-After: 0\r\n", 1)}, recovers()},
      {"TooManyRequestsOnce", {status(submit, 429, "{}", "Retry-After: 0\r\n", 1)}, recovers()},
      {"BadRequest", {status(submit, 400, R"({"error":"no"})")}, refused(GST_RESOURCE_ERROR_SETTINGS)},
      {"NotAuthorized", {status(submit, 401)}, refused(GST_RESOURCE_ERROR_NOT_AUTHORIZED)},
      {"SubmitLost", {at(submit, reset())}, doubtful(GST_RESOURCE_ERROR_READ)},
      {"ServerErrorAtTheSubmit", {status(submit, 500)}, doubtful(GST_RESOURCE_ERROR_OPEN_READ)},
      {"NoIdInTheAnswer", {at(submit, body("{}"))}, doubtful(GST_RESOURCE_ERROR_READ)},
      {"QueryFailsTwice", {status(query, 500, "{}", "", 2)}, recovers()},
      {"TaskFails",
       {at(query, body(R"({"id":"t-1","status":"failed","error":"no such luck"})"), 1)},
       failed("no such luck")},
      {"UrlExpiredOnce", {status(media, 403, "", "", 1)}, recovers()},
      {"UrlExpiredForEver", {status(media, 403)}, kept(GST_RESOURCE_ERROR_NOT_AUTHORIZED)},
      {"ClipCut", {at(media, cut_body(50'000), 1)}, recovers()},
      {"ClipReset", {at(media, cut_and_reset(50'000), 1)}, recovers()},
      {"ClipIsAPage",
       {at(media, body("<html></html>", "Content-Type: text/html\r\n"))},
       kept_as_wrong_type()},
      {"ClipFails", {status(media, 400)}, kept(GST_RESOURCE_ERROR_OPEN_READ)},
  };
  for (const auto &row : kRows)
    for (const unsigned guests : {1u, 3u})
      cases.push_back({.name = row.name + plural(guests),
                       .misdeeds = row.misdeeds,
                       .ending = row.ending,
                       .guests = guests});
}

// The first element leaves in the middle; the others get the clip, from the same task.
void add_leavers(std::vector<FaultCase> &cases) {
  const struct {
    const char *name;
    Place place;
  } kMoments[] = {{"AmidTheSubmit", submit}, {"AmidAQuery", query}, {"AmidTheClip", media}};
  const struct {
    const char *name;
    std::vector<Misdeed> misdeeds;
  } kFaults[] = {
      {"", {}},
      {"AndTheClipIsCut", {at(media, cut_body(70'000), 1)}},
      {"AndTheUrlHasExpired", {status(media, 403, "", "", 1)}},
      {"AndAQueryFails", {status(query, 502, "{}", "", 1)}},
  };
  for (const auto &moment : kMoments)
    for (const auto &fault : kFaults) {
      cases.push_back({.name = std::string("TheFirstLeaves") + moment.name + fault.name,
                       .misdeeds = fault.misdeeds,
                       .ending = recovers(),
                       .interlude = Interlude{moment.place, [](Scene &scene) { scene.guest(0).leave(); }},
                       .guests = 1});
      cases.push_back({.name = std::string("TwoOfFourLeave") + moment.name + fault.name,
                       .misdeeds = fault.misdeeds,
                       .ending = recovers(),
                       .interlude = Interlude{moment.place,
                                              [](Scene &scene) {
                                                scene.guest(2).leave();
                                                scene.guest(0).leave();
                                              }},
                       .guests = 3});
    }
}

std::vector<FaultCase> sharing_cases() {
  std::vector<FaultCase> cases;
  add_shared_ends(cases);
  add_leavers(cases);
  return cases;
}

FAULT_TABLE(SharingFault, sharing_cases);

}  // namespace
}  // namespace genclip::test
