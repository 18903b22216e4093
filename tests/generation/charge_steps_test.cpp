// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/charge_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "event task status", for comparison.
std::vector<std::string> texts(const std::vector<LedgerEntry> &entries) {
  std::vector<std::string> all;
  for (const LedgerEntry &entry : entries) {
    std::string text = to_word(entry.event);
    for (const std::string &part : {entry.task_id, entry.status})
      if (!part.empty()) text += " " + part;
    if (entry.amount) text += " $" + std::to_string(static_cast<int>(*entry.amount));
    if (entry.imported) text += " imported";
    if (entry.attached) text += " attached";
    all.push_back(text);
  }
  return all;
}

UtcTime at(int64_t ms) { return UtcTime(std::chrono::milliseconds(ms)); }

Charge charge_of(ChargeState state, const std::string &task_id = "") {
  Charge charge;
  charge.key = "clip";
  charge.at = at(1234);
  charge.state = state;
  charge.task_id = task_id;
  return charge;
}

ClipRecord record_of(ClipState state, const std::string &task_id = "", UtcTime reserved_at = at(1234)) {
  ClipRecord record;
  record.identity.request = Json::Object{{"model", "m"}, {"prompt", "p"}};
  record.state = state;
  record.task_id = task_id;
  record.reserved_at = utc_text(reserved_at);
  record.amount = 3;
  record.submitted_at = 1767225600;
  return record;
}

ClipRun run_at(ClipStep step) {
  ClipRun run;
  run.step = step;
  run.asked = "asked";
  run.record.task_id = "own";
  return run;
}

TEST(ChargeStep, IsDueForEachEventThatTellsOfATask) {
  const ClipRun submits = run_at(ClipStep::submit), follows = run_at(ClipStep::follow);
  const ClipRun asks = run_at(ClipStep::ask), looks = run_at(ClipStep::look);
  const auto due = [](const ClipRun &run, const ClipEvent &event) { return charge_step(run, event).value(); };

  EXPECT_EQ(due(submits, SubmitAccepted{"T"}), (ChargeStep{.event = LedgerEvent::submitted, .task_id = "T"}));
  EXPECT_EQ(due(submits, SubmitRefused{"no", 400}).event, LedgerEvent::release);
  EXPECT_EQ(due(submits, SubmitRefused{"no", 400}).why, "the service refused it with HTTP 400");
  EXPECT_EQ(due(submits, SubmitRefused{"no", 0}).why, "it was not sent");
  EXPECT_EQ(due(submits, SubmitUnanswered{}), (ChargeStep{.event = LedgerEvent::unknown}));
  for (const ClipRun *run : {&asks, &looks}) {
    EXPECT_EQ(due(*run, TaskFailed{}),
              (ChargeStep{.event = LedgerEvent::settle, .task_id = "asked", .status = "failed"}));
    EXPECT_EQ(due(*run, TaskUnknown{}), (ChargeStep{.event = LedgerEvent::unknown, .task_id = "asked"}));
  }
  EXPECT_EQ(due(follows, TaskFailed{}),
            (ChargeStep{.event = LedgerEvent::settle, .task_id = "own", .status = "failed"}));
  EXPECT_EQ(due(follows, TaskUnknown{}), (ChargeStep{.event = LedgerEvent::unknown, .task_id = "own"}));
  EXPECT_EQ(due(follows, TaskKnown{true}),
            (ChargeStep{.event = LedgerEvent::settle, .task_id = "own", .status = "completed"}));
}

TEST(ChargeStep, IsNotDueForWhatTellsNothing) {
  EXPECT_FALSE(charge_step(run_at(ClipStep::follow), TaskKnown{false}));
  EXPECT_FALSE(charge_step(run_at(ClipStep::look), TaskKnown{true})) << "it is followed next";
  EXPECT_FALSE(charge_step(run_at(ClipStep::follow), TaskUnreachable{}));
  EXPECT_FALSE(charge_step(run_at(ClipStep::follow), ClipFetched{}));
  EXPECT_FALSE(charge_step(run_at(ClipStep::end), TurnBegins{}));
  ClipRun mistyped = run_at(ClipStep::follow);
  mistyped.is_unheard_of = true;
  EXPECT_FALSE(charge_step(mistyped, TaskUnknown{})) << "a task ID that was mistyped is no task";
}

TEST(AfterDeath, TheJournalSaysWhatBecameOfAReservation) {
  const Charge reserved = charge_of(ChargeState::reserved);
  const auto after = [&](const ClipRecord &record) { return texts(entries_after_death(reserved, record)); };
  EXPECT_THAT(after(record_of(ClipState::intent)), ElementsAre("unknown"));
  EXPECT_THAT(after(record_of(ClipState::ambiguous)), ElementsAre("unknown"));
  EXPECT_THAT(after(record_of(ClipState::refused)), ElementsAre("release"));
  EXPECT_THAT(after(record_of(ClipState::submitted, "T")), ElementsAre("submitted T"));
  EXPECT_THAT(after(record_of(ClipState::lost, "T")), ElementsAre("submitted T", "unknown T"));
  EXPECT_THAT(after(record_of(ClipState::failed, "T")), ElementsAre("submitted T", "settle T failed $3"));
  EXPECT_THAT(after(record_of(ClipState::complete, "T")),
              ElementsAre("submitted T", "settle T completed $3"));
}

TEST(AfterDeath, AJournalOfAnotherReservationMeansThatNothingWasSent) {
  const Charge reserved = charge_of(ChargeState::reserved);
  for (const ClipState state : {ClipState::intent, ClipState::submitted, ClipState::complete})
    EXPECT_THAT(texts(entries_after_death(reserved, record_of(state, "T", at(99)))), ElementsAre("release"));
}

// A journal that was removed, or damaged and set aside, may have named a task.
TEST(AfterDeath, WithoutAJournalTheOutcomeIsUnknown) {
  EXPECT_THAT(texts(entries_after_death(charge_of(ChargeState::reserved), std::nullopt)),
              ElementsAre("unknown"));
  EXPECT_THAT(texts(entries_after_death(charge_of(ChargeState::submitted, "T"), std::nullopt)),
              ElementsAre("unknown T"));
}

TEST(AfterDeath, ARunningTaskStaysUnderWayUnlessSomebodyWaitsForItsPrice) {
  const ClipRecord running = record_of(ClipState::submitted, "T");
  const Charge submitted = charge_of(ChargeState::submitted, "T");
  EXPECT_THAT(texts(entries_after_death(submitted, running)), IsEmpty());
  EXPECT_THAT(texts(entries_after_death(submitted, running, true)), ElementsAre("unknown T"));
  EXPECT_THAT(texts(entries_after_death(charge_of(ChargeState::reserved), running, true)),
              ElementsAre("submitted T", "unknown T"));
}

TEST(AfterDeath, ATaskIsRecognisedByItsId) {
  const Charge submitted = charge_of(ChargeState::submitted, "T");
  const auto after = [&](const ClipRecord &record) { return texts(entries_after_death(submitted, record)); };
  EXPECT_THAT(after(record_of(ClipState::lost, "T", at(99))), ElementsAre("unknown T"));
  EXPECT_THAT(after(record_of(ClipState::complete, "T", at(99))), ElementsAre("settle T completed $3"));
  EXPECT_THAT(after(record_of(ClipState::complete, "other")), ElementsAre("unknown T"));
  ClipRecord successor = record_of(ClipState::submitted, "other");
  successor.replaced = std::make_shared<const ClipRecord>(record_of(ClipState::complete, "T"));
  EXPECT_THAT(after(successor), ElementsAre("settle T completed $3"));
}

TEST(Import, KnowsWhatARecordHolds) {
  const auto imported = [](const ClipRecord &record) { return texts(imported_entries({}, record)); };
  EXPECT_THAT(imported(record_of(ClipState::complete, "T")), ElementsAre("settle T completed $3 imported"));
  EXPECT_THAT(imported(record_of(ClipState::failed, "T")), ElementsAre("settle T failed $3 imported"));
  EXPECT_THAT(imported(record_of(ClipState::submitted, "T")), ElementsAre("unknown T imported"));
  EXPECT_THAT(imported(record_of(ClipState::intent)), ElementsAre("unknown imported"));
  EXPECT_THAT(imported(record_of(ClipState::refused)), IsEmpty());

  ClipRecord rich = record_of(ClipState::submitted, "new");
  rich.replaced = std::make_shared<const ClipRecord>(record_of(ClipState::complete, "old"));
  rich.earlier_tasks = {"old", "earlier"};
  rich.unfetched_tasks = {"earlier", "unfetched"};
  rich.unanswered_submits = 2;
  EXPECT_THAT(imported(rich), ElementsAre("settle old completed $3 imported", "unknown new imported",
                                          "unknown earlier imported", "unknown unfetched imported",
                                          "unknown imported", "unknown imported"));
}

TEST(Import, CountsNoTaskThatWasOnlyAttachedTo) {
  ClipRecord record = record_of(ClipState::complete, "T");
  record.identity.request = Json::Object{{"task_id", "T"}};
  Account account;
  for (const LedgerEntry &entry : imported_entries({}, record)) EXPECT_TRUE(account.apply(entry));
  EXPECT_EQ(account.sums({}, 1).spent, 0);
  ASSERT_EQ(account.charges().size(), 1u);
  EXPECT_EQ(account.charges()[0].state, ChargeState::attached);
}

TEST(Import, IsDatedByTheSubmit) {
  const auto entries = imported_entries({}, record_of(ClipState::complete, "T"));
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(utc_text(entries[0].at), "2026-01-01T00:00:00.000Z");
}

TEST(Import, BoundsWhatADamagedRecordSays) {
  ClipRecord record = record_of(ClipState::ambiguous);
  record.unanswered_submits = uint64_t{1} << 60;
  EXPECT_EQ(imported_entries({}, record).size(), 100u);
}

}  // namespace
}  // namespace genclip::test
