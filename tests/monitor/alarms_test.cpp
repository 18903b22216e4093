// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/alarms.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/monitor/status_examples.h"

namespace genclip::test {
namespace {

using namespace std::chrono_literals;

// Looks once a second and notes what is told: "frozen+" when raised, "frozen-" when cleared.
class Alarms : public testing::Test {
 protected:
  void look(const Observation &seen, std::chrono::seconds count = 1s) {
    for (auto second = 0s; second < count; ++second) {
      now_ += 1s;
      auto [record, events] = next_alarms(std::move(record_), seen, Clock::Time(now_), kNow + now_);
      record_ = std::move(record);
      for (const AlarmEvent &event : events) {
        const std::string subject = event.name.subject.empty() ? "" : ":" + event.name.subject;
        told_.push_back(to_word(event.name.kind) + subject + (event.raised ? "+" : "-"));
        last_ = event;
      }
    }
  }
  std::vector<std::string> told() { return std::exchange(told_, {}); }

  std::chrono::seconds now_{1000};
  AlarmRecord record_;
  AlarmEvent last_;
  std::vector<std::string> told_;
};

using Told = std::vector<std::string>;

TEST_F(Alarms, SayNothingWhileAllIsWell) {
  Observation seen;
  seen.outputs = {{"www/"}};
  look(seen, 100s);
  EXPECT_EQ(told(), Told{});
}

TEST_F(Alarms, AreToldOnceAndTheirEndOnce) {
  Observation seen;
  seen.budget = {true, "The budget of 100 credits is spent."};
  look(seen, 100s);
  EXPECT_EQ(told(), Told{"budget+"});
  EXPECT_EQ(last_.text, "The budget of 100 credits is spent.");
  look({}, 100s);
  EXPECT_EQ(told(), Told{"budget-"});
  EXPECT_EQ(last_.text, "The budget of 100 credits is spent.");
  look(seen);
  EXPECT_EQ(told(), Told{"budget+"}) << "it is another one";
}

TEST_F(Alarms, OfAFallbackComeAfterAMinute) {
  Observation seen;
  seen.fallback = {true, "The budget is spent."};
  look(seen, 60s);
  EXPECT_EQ(told(), Told{});
  look(seen);
  EXPECT_EQ(told(), Told{"fallback+"});
  EXPECT_EQ(last_.text, "A fallback has been on the air for 60 s. The budget is spent.");
  EXPECT_EQ(last_.at - last_.since, 60s);
}

TEST_F(Alarms, CountAFallbackAnewAfterEachItem) {
  Observation seen;
  seen.fallback.holds = true;
  for (int times = 0; times < 3; ++times) {
    look(seen, 59s);
    look({});
  }
  EXPECT_EQ(told(), Told{});
}

TEST_F(Alarms, OfOutputsAreOnesOwn) {
  Observation seen;
  seen.outputs = {{"a", false, "Connection refused."}, {"b", true}};
  look(seen, 5s);
  seen.outputs[1].runs = false;
  look(seen, 6s);
  EXPECT_EQ(told(), Told{"output:a+"});
  EXPECT_EQ(last_.text, "The output a does not run. Connection refused.");
  look(seen, 10s);
  EXPECT_EQ(told(), Told{"output:b+"});
  seen.outputs[0].runs = true;
  look(seen);
  EXPECT_EQ(told(), Told{"output:a-"});
  ASSERT_EQ(active_alarms(record_).size(), 1u);
  EXPECT_EQ(active_alarms(record_).front().subject, "b");
}

TEST_F(Alarms, OfOutputsEndWhenTheOutputIsGone) {
  Observation seen;
  seen.outputs = {{"a", false}};
  look(seen, 11s);
  look({});
  EXPECT_EQ(told(), (Told{"output:a+", "output:a-"}));
}

TEST_F(Alarms, OfStillnessComeAfterTenSeconds) {
  Observation seen;
  for (auto second = 1s; second <= 9s; ++second) {
    seen.still_for = seen.silent_for = second;
    look(seen);
  }
  EXPECT_EQ(told(), Told{});
  seen.still_for = seen.silent_for = 10s;
  look(seen);
  EXPECT_EQ(told(), (Told{"silence+", "frozen+"}));
  look({});
  EXPECT_EQ(told(), (Told{"silence-", "frozen-"}));
}

TEST_F(Alarms, LetAStillStand) {
  Observation seen;
  seen.may_be_still = seen.may_be_silent = true;
  seen.still_for = seen.silent_for = 100s;
  look(seen, 30s);
  EXPECT_EQ(told(), Told{});
  seen.may_be_still = false;  // A clip begins, and its first frame has not left.
  look(seen, 3s);
  EXPECT_EQ(told(), Told{}) << "what stood still before was meant to";
  look(seen, 7s);
  EXPECT_EQ(told(), Told{"frozen+"});
}

TEST_F(Alarms, AreNotMisledByLooksAtABadMoment) {
  Observation seen;
  seen.still_for = 1500ms;  // It changes every two seconds.
  look(seen, 60s);
  EXPECT_EQ(told(), Told{});
}

TEST_F(Alarms, OfAStopComeWhenNoFrameLeaves) {
  Observation seen;
  for (seen.frames = 0; *seen.frames < 60; ++*seen.frames) look(seen);
  EXPECT_EQ(told(), Told{});
  look(seen, 11s);
  EXPECT_EQ(told(), Told{});
  look(seen);
  EXPECT_EQ(told(), Told{"stopped+"});
  ++*seen.frames;
  look(seen);
  EXPECT_EQ(told(), Told{"stopped-"});
}

TEST_F(Alarms, OfAnEncoderThatIsTooSlowEndAMinuteAfterItsLastSkip) {
  Observation seen;
  for (const uint64_t skipped : {1u, 9u, 10u}) {
    seen.skipped = skipped;
    look(seen, 59s);
  }
  EXPECT_EQ(told(), Told{"overload+"});
  look(seen, 10s);
  EXPECT_EQ(told(), Told{"overload-"});
}

TEST_F(Alarms, HaveATextEach) {
  Observation seen;
  seen.frames = 5;
  seen.fallback.holds = seen.budget.holds = seen.key.holds = seen.disk.holds = seen.rundown.holds = true;
  seen.asrun.holds = seen.state.holds = seen.lock.holds = true;
  seen.outputs = {{"a", false}};
  seen.still_for = seen.silent_for = 100s;
  look(seen, 61s);
  ++seen.skipped;
  look(seen);
  const auto active = active_alarms(record_);
  EXPECT_EQ(active.size(), std::size(kWords<AlarmKind>));
  for (const ActiveAlarm &alarm : active) EXPECT_TRUE(alarm.text.ends_with('.')) << alarm.kind;
}

TEST_F(Alarms, SpeakJson) {
  AlarmEvent event{{AlarmKind::output, "srt\n"}, true, "Gone.\x1b[2J", kNow - 10s, kNow};
  EXPECT_EQ(alarm_json(event, "Dunes", "r-7").to_text(),
            R"({"alarm":"output","subject":"srt ","state":"raised","text":"Gone. [2J","channel":"Dunes",)"
            R"("run":"r-7","since":"2026-11-22T20:29:50.000Z","at":"2026-11-22T20:30:00.000Z"})");
  event.name = {AlarmKind::key, ""};
  event.raised = false;
  EXPECT_TRUE(alarm_json(event, "", "").find("subject")->is_null());
  EXPECT_EQ(*alarm_json(event, "", "").find("state")->string(), "cleared");
}

}  // namespace
}  // namespace genclip::test
