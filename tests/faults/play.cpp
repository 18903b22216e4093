// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Holds for every row: it ends as expected, costs what it must, the clip can be fetched afterwards, and
// nothing leaks.
#include "tests/faults/play.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/faults/log_watch.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

// It only ends a hang: the longest wait of a row is much shorter.
constexpr auto kLimit = kHang;

constexpr size_t kShown = 5;

bool says(const std::vector<std::string> &texts, const std::string &part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string &text) { return text.find(part) != text.npos; });
}

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (size_t i = 0; i < std::min(lines.size(), kShown); ++i) text += "\n  " + lines[i].substr(0, 500);
  if (lines.size() > kShown) text += "\n  and " + std::to_string(lines.size() - kShown) + " more";
  return text.empty() ? " nothing" : text;
}

Aftermath look_at(Scene &scene) {
  return {scene.service().charges(), scene.service().requests(), scene.service().media_with_key(),
          scene.leaking_files()};
}

void expect_no_leak(const FaultRun &run, const Aftermath &after) {
  EXPECT_TRUE(run.leaks.empty()) << "on the bus or in the graph:" << joined(run.leaks);
  EXPECT_TRUE(after.leaking_files.empty()) << "in the store:" << joined(after.leaking_files);
  EXPECT_EQ(after.media_with_key, 0u);
}

void expect_whole(const FaultRun &run, const std::string &clip) {
  EXPECT_LT(run.time, kLimit);
  EXPECT_FALSE(run.error) << run.error->text << " / " << run.error->debug;
  EXPECT_TRUE(run.bytes == clip) << run.bytes.size() << " bytes instead of the clip's " << clip.size();
  EXPECT_EQ(run.status, "completed");
}

void expect_error(const Ending &ending, const FaultRun &run, const std::string &clip) {
  EXPECT_LT(run.time, kLimit);
  ASSERT_TRUE(run.error) << "it ended well";
  const std::string said = run.error->text + " / " + run.error->debug;
  EXPECT_EQ(run.error->domain, ending.of_stream ? GST_STREAM_ERROR : GST_RESOURCE_ERROR) << said;
  EXPECT_EQ(run.error->code, ending.of_stream ? GST_STREAM_ERROR_WRONG_TYPE : static_cast<int>(ending.code))
      << said;
  EXPECT_NE(run.error->text.find(ending.text), std::string::npos) << '"' << ending.text << "\" in: " << said;
  // The data that went downstream before was correct.
  EXPECT_TRUE(clip.starts_with(run.bytes)) << run.bytes.size() << " bytes, not all right";
  EXPECT_EQ(run.status, ending.status);
}

void expect_end(const Ending &ending, const FaultRun &run, const std::string &clip) {
  if (ending.whole)
    expect_whole(run, clip);
  else
    expect_error(ending, run, clip);
}

// The misdeed that makes the service call `scene`, which is made after it.
Misdeed misdeed_of(const Interlude &interlude, const std::shared_ptr<std::atomic<Scene *>> &scene) {
  const auto act = [interlude, scene](ServedConnection &peer, const Occasion &occasion) {
    const size_t head = interlude.place == Place::media
                            ? head_of(occasion.proper).size() + body_of(occasion.proper).size() / 2
                            : 0;
    if (head > 0 && !peer.send(occasion.proper.substr(0, head))) return false;
    interlude.act(*scene->load());
    return peer.send(occasion.proper.substr(head));
  };
  return at(interlude.place, act, 1);
}

std::unique_ptr<FaultService> service_of(const FaultCase &one,
                                         const std::shared_ptr<std::atomic<Scene *>> &scene) {
  if (!one.simulator.empty()) return simulated_service(one.simulator);
  std::vector<Misdeed> misdeeds = one.misdeeds;
  if (one.interlude) misdeeds.insert(misdeeds.begin(), misdeed_of(*one.interlude, scene));
  // No answer before all elements request the clip.
  if (one.guests > 0)
    misdeeds.push_back(at(
        Place::api_connection,
        [scene](ServedConnection &, const Occasion &) { return scene->load()->gather(); }, 1));
  return faulty_service(misdeeds, one.media_certificate);
}

}  // namespace

Play play_fault_case(const FaultCase &one) {
  const auto there = std::make_shared<std::atomic<Scene *>>(nullptr);
  Scene scene(service_of(one, there));
  there->store(&scene);
  Play play;
  play.clip = scene.service().clip();
  if (one.stored_before) play.before = scene.run();
  if (one.break_it) one.break_it(scene);
  play.obstacle = scene.obstacle;
  if (!play.obstacle.empty()) return play;
  scene.expect(one.guests + 1);
  for (unsigned i = 0; i < one.guests; ++i) scene.invite();
  play.broken = scene.run(one.settings);
  play.guests = scene.see_guests_off();
  play.after_broken = look_at(scene);
  if (one.stays) return play;
  scene.service().heal();
  if (one.mend) one.mend(scene);
  play.healed = scene.run();
  play.after_healed = look_at(scene);
  return play;
}

void expect_play(const FaultCase &one, const Play &play) {
  const Ending &ending = one.ending;
  if (!play.obstacle.empty()) GTEST_SKIP() << play.obstacle;
  if (one.stored_before) expect_whole(play.before, play.clip);
  expect_end(ending, play.broken, play.clip);
  for (const FaultRun &guest : play.guests) {
    SCOPED_TRACE("a guest");
    expect_end(ending, guest, play.clip);
    expect_no_leak(guest, {});
  }
  EXPECT_TRUE(!ending.whole || ending.text.empty() || says(play.broken.warnings, ending.text))
      << '"' << ending.text << "\" in the warnings:" << joined(play.broken.warnings);
  EXPECT_EQ(play.after_broken.charges, ending.charges);
  expect_no_leak(play.broken, play.after_broken);
  const auto lines = LogWatch::get().take_findings();
  EXPECT_TRUE(lines.empty()) << "in the log:" << joined(lines);
  if (one.stays) return;

  SCOPED_TRACE("the run without the fault");
  expect_whole(play.healed, play.clip);
  EXPECT_EQ(play.after_healed.charges, ending.charges_in_all);
  EXPECT_EQ(says(play.healed.warnings, "charged twice"), ending.in_doubt)
      << "warned:" << joined(play.healed.warnings);
  EXPECT_TRUE(!ending.whole || play.after_healed.requests == play.after_broken.requests)
      << "a stored clip needs no network";
  expect_no_leak(play.healed, play.after_healed);
}

Playhouse::Playhouse(std::vector<FaultCase> cases, unsigned stages) : cases_(std::move(cases)) {
  LogWatch::get();
  const auto *suite = testing::UnitTest::GetInstance()->current_test_suite();
  for (int i = 0; i < suite->total_test_count(); ++i) {
    const std::string name = suite->GetTestInfo(i)->name();
    if (suite->GetTestInfo(i)->should_run()) plays_[name.substr(name.rfind('/') + 1)];
  }
  const auto work = [this] {
    for (size_t i = next_++; i < cases_.size(); i = next_++) {
      const auto wanted = plays_.find(cases_[i].name);
      if (wanted != plays_.end()) wanted->second.set_value(play_fault_case(cases_[i]));
    }
  };
  for (unsigned i = 0; i < stages; ++i) stages_.emplace_back(work);
}

Playhouse::~Playhouse() {
  for (std::thread &stage : stages_) stage.join();
}

Play Playhouse::play(const FaultCase &one) { return plays_.at(one.name).get_future().get(); }

}  // namespace genclip::test
