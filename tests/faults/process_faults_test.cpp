// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Another process works on the clip, and dies, hangs, fails or leaves at some moment.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/faults/play.h"

namespace genclip::test {
namespace {

using enum Place;

// Sends half of the clip, then nothing.
Act stall() {
  return [](ServedConnection &peer, const Occasion &occasion) {
    const size_t half = head_of(occasion.proper).size() + body_of(occasion.proper).size() / 2;
    peer.send(occasion.proper.substr(0, half));
    peer.hang();
    return false;
  };
}

// The step of the other process when it happens: the service blocks it there.
struct Moment {
  const char *name;
  Misdeed stuck;
  bool (*is_there)(Scene &);
  bool has_id;  // The task's ID is in the journal by then.
};

const Moment kMoments[] = {
    {"AmidThePost", at(submit, hang(), 1), [](Scene &scene) { return scene.service().charges() == 1; },
     false},
    {"AmidAQuery", at(query, hang(), 1),
     [](Scene &scene) {
       return scene.service().requests() >= 2 && scene.record().find("\"t-1\"") != std::string::npos;
     },
     true},
    {"AmidTheClip", at(media, stall(), 1), [](Scene &scene) { return scene.part_size() >= 40'000; }, true},
};

void bring(Scene &scene, const Moment &moment, const Settings &settings = {}) {
  scene.call_in(settings);
  EXPECT_TRUE(scene.wait_for([&] { return moment.is_there(scene); })) << moment.name;
}

Ending after(const Moment &moment) { return moment.has_id ? recovers() : warns("charged twice", 2); }

// The next run finds the intent of a dead process.
Ending busy_in_doubt() {
  Ending ending = kept(GST_RESOURCE_ERROR_BUSY, "Another process");
  ending.charges_in_all = 2;
  ending.in_doubt = true;
  return ending;
}

void add_deaths(std::vector<FaultCase> &cases) {
  for (const Moment &moment : kMoments) {
    for (const auto &[name, number] :
         {std::pair("Kill", SIGKILL), std::pair("Abort", SIGABRT), std::pair("Segv", SIGSEGV)})
      cases.push_back({.name = std::string("OtherDiesBy") + name + moment.name,
                       .misdeeds = {moment.stuck},
                       .ending = after(moment),
                       .break_it = [moment, number = number](Scene &scene) {
                         bring(scene, moment);
                         scene.visitor(0).signal(number);
                         scene.visitor(0).end();
                       }});
    // This run follows the other process until that is killed.
    cases.push_back({.name = std::string("OtherIsKilledWhileThisOneFollows") + moment.name,
                     .misdeeds = {moment.stuck},
                     .ending = after(moment),
                     .break_it = [moment](Scene &scene) {
                       bring(scene, moment);
                       scene.later(std::chrono::milliseconds(400), [&scene] { scene.visitor(0).kill(); });
                     }});
    cases.push_back(
        {.name = std::string("OtherHangs") + moment.name,
         .misdeeds = {moment.stuck},
         .ending = moment.has_id ? kept(GST_RESOURCE_ERROR_BUSY, "Another process") : busy_in_doubt(),
         .settings = {{"timeout", "1"}},
         .break_it =
             [moment](Scene &scene) {
               bring(scene, moment);
               scene.visitor(0).signal(SIGSTOP);
             },
         .mend = [](Scene &scene) { scene.visitor(0).kill(); }});
    // When stopped, it goes to NULL: the task continues at the service.
    cases.push_back({.name = std::string("OtherLeavesWhileThisOneFollows") + moment.name,
                     .misdeeds = {moment.stuck},
                     .ending = after(moment),
                     .break_it = [moment](Scene &scene) {
                       bring(scene, moment);
                       scene.later(std::chrono::milliseconds(400),
                                   [&scene] { scene.visitor(0).signal(SIGTERM); });
                     }});
    cases.push_back({.name = std::string("OtherHasLeft") + moment.name,
                     .misdeeds = {moment.stuck},
                     .ending = after(moment),
                     .break_it = [moment](Scene &scene) {
                       bring(scene, moment);
                       scene.visitor(0).signal(SIGTERM);
                       EXPECT_EQ(scene.visitor(0).end(), 3);
                     }});
  }
}

// The other process ends while this run waits: this run ends in the same way, at no further charge.
void add_fates(std::vector<FaultCase> &cases) {
  const auto pause = [](Act then) {
    return [then](ServedConnection &peer, const Occasion &occasion) {
      peer.pause(std::chrono::milliseconds(1500));
      return then(peer, occasion);
    };
  };
  const struct {
    const char *name;
    Misdeed misdeed;
    Ending ending;
  } kRows[] = {
      {"Succeeds", at(query, pause(edit([](const Occasion &occasion) { return occasion.proper; })), 1),
       recovers()},
      {"IsRefused", refusing(at(submit, pause(say(answer(400, R"({"error":"no"})"))), 1)),
       refused(GST_RESOURCE_ERROR_SETTINGS)},
      {"LosesItsSubmit", at(submit, pause(reset()), 1), doubtful(GST_RESOURCE_ERROR_READ)},
      {"GetsNoId", at(submit, pause(body("{}")), 1), doubtful(GST_RESOURCE_ERROR_READ)},
      {"SeesItsTaskFail",
       at(query, pause(body(R"({"id":"t-1","status":"failed","error":"no such luck"})")), 1),
       failed("no such luck")},
      {"IsCutAmidTheClip",
       at(
           media,
           [](ServedConnection &peer, const Occasion &occasion) {
             peer.send(occasion.proper.substr(0, 50'000));
             peer.pause(std::chrono::milliseconds(600));
             return false;
           },
           1),
       recovers()},
  };
  for (const auto &row : kRows)
    cases.push_back({.name = std::string("Other") + row.name + "WhileThisOneWaits",
                     .misdeeds = {row.misdeed},
                     .ending = row.ending,
                     .break_it = [](Scene &scene) {
                       scene.call_in();
                       EXPECT_TRUE(scene.wait_for([&] { return scene.service().requests() > 0; }));
                     }});
}

// Each process dies where the previous one stopped, and this run completes the work.
void add_chains(std::vector<FaultCase> &cases) {
  cases.push_back({.name = "ThreeDieOneAfterAnother",
                   .misdeeds = {at(query, hang(), 1), at(media, stall(), 1), at(media, stall(), 1)},
                   .ending = recovers(),
                   .break_it = [](Scene &scene) {
                     for (const Moment *moment : {&kMoments[1], &kMoments[2], &kMoments[2]}) {
                       const size_t before = scene.service().requests();
                       scene.call_in();
                       EXPECT_TRUE(scene.wait_for(
                           [&] { return scene.service().requests() > before && moment->is_there(scene); }));
                       g_usleep(100'000);
                       scene.end_visitors();
                     }
                   }});
  // It continues when resumed, with the stored data: its own clip is correct and costs nothing.
  cases.push_back({.name = "OtherSleepsAmidTheClipAndWakesWhenItIsThere",
                   .misdeeds = {at(media, stall(), 1)},
                   .ending = kept(GST_RESOURCE_ERROR_BUSY, "Another process"),
                   .settings = {{"timeout", "1"}},
                   .break_it =
                       [](Scene &scene) {
                         bring(scene, kMoments[2], {{"http-timeout", "2"}});
                         scene.visitor(0).signal(SIGSTOP);
                       },
                   .mend =
                       [](Scene &scene) {
                         scene.visitor(0).signal(SIGCONT);
                         EXPECT_EQ(scene.visitor(0).end(), 0);
                         EXPECT_TRUE(scene.visitor(0).bytes() == scene.service().clip());
                       }});
}

std::vector<FaultCase> process_cases() {
  std::vector<FaultCase> cases;
  add_deaths(cases);
  add_fates(cases);
  add_chains(cases);
  return cases;
}

FAULT_TABLE(ProcessFault, process_cases);

}  // namespace
}  // namespace genclip::test
