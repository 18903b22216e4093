// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/core/clip_charges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "plugin/base/number.h"

namespace genclip::test {
namespace {

using testing::Contains;
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

TEST(AfterDeath, TheJournalSaysWhatBecameOfAReservation) {
  const Charge reserved = charge_of(ChargeState::reserved);
  const auto after = [&](const ClipRecord &record) { return texts(entries_after_death(reserved, record)); };
  EXPECT_THAT(after(record_of(ClipState::intent)), ElementsAre("unknown $3"));
  EXPECT_THAT(after(record_of(ClipState::ambiguous)), ElementsAre("unknown $3"));
  EXPECT_THAT(after(record_of(ClipState::refused)), ElementsAre("release"));
  EXPECT_THAT(after(record_of(ClipState::submitted, "T")), ElementsAre("submitted T $3"));
  EXPECT_THAT(after(record_of(ClipState::lost, "T")), ElementsAre("submitted T $3", "unknown T $3"));
  EXPECT_THAT(after(record_of(ClipState::failed, "T")), ElementsAre("submitted T $3", "settle T failed $3"));
  EXPECT_THAT(after(record_of(ClipState::complete, "T")),
              ElementsAre("submitted T $3", "settle T completed $3"));
}

TEST(AfterDeath, ASubmitThatWasAnsweredWithAnEarlierTaskHasCostNothing) {
  ClipRecord record = record_of(ClipState::submitted, "T");
  record.earlier_tasks = {"T"};
  const auto after = [&](ClipState state) {
    record.state = state;
    return texts(entries_after_death(charge_of(ChargeState::reserved), record));
  };
  EXPECT_THAT(after(ClipState::submitted), ElementsAre("release"));
  // What became of that task since is told all the same.
  EXPECT_THAT(after(ClipState::complete), ElementsAre("release", "settle T completed $3"));
  EXPECT_THAT(after(ClipState::failed), ElementsAre("release", "settle T failed $3"));
  EXPECT_THAT(after(ClipState::lost), ElementsAre("release", "unknown T $3"));
  record.completed_tasks = {"T"};
  EXPECT_THAT(after(ClipState::submitted), ElementsAre("release", "unfetched T", "settle T completed $3"));
}

// Else --on-unknown fail refuses the request for ever, and other runs warn that it may be charged twice.
TEST(WithoutSubmit, TheJournalCountsASubmitNoMoreThatHasCostNothing) {
  const Charge unknown = charge_of(ChargeState::unknown);
  for (const ClipState state : {ClipState::intent, ClipState::ambiguous}) {
    const auto settled = without_submit(record_of(state), unknown);
    ASSERT_TRUE(settled);
    EXPECT_EQ(settled->state, ClipState::refused);
    EXPECT_EQ(unanswered_submits_of(*settled), 0u);
    EXPECT_EQ(settled->reserved_at, utc_text(at(1234))) << "it tells the same charge";
    EXPECT_FALSE(without_submit(*settled, unknown)) << "entered twice";
  }
}

TEST(WithoutSubmit, OneOfSeveralSubmitsIsCountedNoMore) {
  const Charge unknown = charge_of(ChargeState::unknown);
  ClipRecord both = record_of(ClipState::ambiguous);
  both.unanswered_submits = 1;
  both.warned_submits = 1;
  EXPECT_EQ(unanswered_submits_of(*without_submit(both, unknown)), 1u);
  both.reserved_at = utc_text(at(5678));
  const auto earlier = without_submit(both, unknown);
  ASSERT_TRUE(earlier);
  EXPECT_EQ(earlier->state, ClipState::ambiguous);
  EXPECT_EQ(earlier->unanswered_submits, 0u);
  EXPECT_EQ(earlier->warned_submits, 0u);
}

TEST(WithoutSubmit, AnythingElseStays) {
  const Charge unknown = charge_of(ChargeState::unknown);
  EXPECT_FALSE(without_submit(record_of(ClipState::ambiguous, "", at(5678)), unknown));
  ClipRecord earlier = record_of(ClipState::ambiguous, "", at(5678));
  earlier.unanswered_submits = 1;
  EXPECT_FALSE(without_submit(earlier, charge_of(ChargeState::settled))) << "it was entered before";
  Charge corrected = charge_of(ChargeState::settled);
  corrected.amount = 5;
  EXPECT_TRUE(without_submit(earlier, corrected)) << "with another amount";
  EXPECT_FALSE(without_submit(record_of(ClipState::ambiguous), charge_of(ChargeState::unknown, "t-1")));
  for (const ClipState state : {ClipState::refused, ClipState::failed, ClipState::complete, ClipState::lost})
    EXPECT_FALSE(without_submit(record_of(state, "t-1"), unknown));
}

// Else no run with on-unknown=fail would ever submit the request again.
TEST(WithoutSubmit, ATaskThatTheServiceHasLostIsCountedNoMoreOnceItHasCostNothing) {
  const auto lost = without_submit(record_of(ClipState::lost, "t-1"), charge_of(ChargeState::unknown, "t-1"));
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->state, ClipState::failed);
  EXPECT_EQ(lost->amount, 0) << "no run warns of it";
  EXPECT_THAT(unfetched_tasks_of(*lost), IsEmpty());
  ClipRecord later = record_of(ClipState::ambiguous);
  later.unfetched_tasks = {"t-1", "t-2"};
  const auto one = without_submit(later, charge_of(ChargeState::unknown, "t-1"));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->state, ClipState::ambiguous) << "the later submit stays in doubt";
  EXPECT_THAT(one->unfetched_tasks, ElementsAre("t-2"));
  EXPECT_THAT(one->earlier_tasks, ElementsAre("t-1"));
}

TEST(WithoutSubmit, ATaskThatMayStillBringItsClipStays) {
  EXPECT_FALSE(
      without_submit(record_of(ClipState::submitted, "t-1"), charge_of(ChargeState::unknown, "t-1")));
  EXPECT_FALSE(without_submit(record_of(ClipState::lost, "t-2"), charge_of(ChargeState::unknown, "t-1")));
  ClipRecord later = record_of(ClipState::ambiguous);
  later.unfetched_tasks = {"t-1"};
  EXPECT_FALSE(without_submit(later, charge_of(ChargeState::submitted, "t-1")));
  later.completed_tasks = {"t-1"};
  EXPECT_FALSE(without_submit(later, charge_of(ChargeState::unknown, "t-1"))) << "its clip may be had free";
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
  const Charge reserved = charge_of(ChargeState::reserved);
  EXPECT_THAT(texts(entries_after_death(reserved, std::nullopt, false, utc_text(reserved.at))),
              ElementsAre("release"));
  EXPECT_THAT(texts(entries_after_death(reserved, std::nullopt, false, utc_text(at(99)))),
              ElementsAre("unknown"))
      << "another reservation was never sent";
  EXPECT_THAT(texts(entries_after_death(charge_of(ChargeState::submitted, "T"), std::nullopt)),
              ElementsAre("unknown T"));
}

TEST(AfterDeath, ARunningTaskStaysUnderWayUnlessSomebodyWaitsForItsPrice) {
  ClipRecord running = record_of(ClipState::submitted, "T");
  running.amount = -1;
  const Charge submitted = charge_of(ChargeState::submitted, "T");
  EXPECT_THAT(texts(entries_after_death(submitted, running)), IsEmpty());
  EXPECT_THAT(texts(entries_after_death(submitted, running, true)), ElementsAre("unknown T"));
  EXPECT_THAT(texts(entries_after_death(charge_of(ChargeState::reserved), running, true)),
              ElementsAre("submitted T", "unknown T"));
}

TEST(AfterDeath, ATaskIsRecognisedByItsId) {
  const Charge submitted = charge_of(ChargeState::submitted, "T");
  const auto after = [&](const ClipRecord &record) { return texts(entries_after_death(submitted, record)); };
  EXPECT_THAT(after(record_of(ClipState::lost, "T", at(99))), ElementsAre("unknown T $3"));
  EXPECT_THAT(after(record_of(ClipState::complete, "T", at(99))), ElementsAre("settle T completed $3"));
  EXPECT_THAT(after(record_of(ClipState::complete, "other")), ElementsAre("unknown T"));
  ClipRecord successor = record_of(ClipState::submitted, "other");
  successor.replaced = std::make_shared<const ClipRecord>(record_of(ClipState::complete, "T"));
  EXPECT_THAT(after(successor), ElementsAre("settle T completed $3"));
}

TEST(AfterDeath, ATaskThatWasCompletedIsPaidThoughItsClipDidNotCome) {
  for (const ClipState state : {ClipState::submitted, ClipState::lost}) {
    ClipRecord completed = record_of(state, "T");
    completed.completed_tasks = {"T"};
    for (const bool is_waited_for : {false, true})
      EXPECT_THAT(
          texts(entries_after_death(charge_of(ChargeState::submitted, "T"), completed, is_waited_for)),
          Contains("settle T completed $3"));
    EXPECT_THAT(texts(entries_after_death(charge_of(ChargeState::reserved), completed)),
                ElementsAre("submitted T $3", "unfetched T", "settle T completed $3"));
  }
}

// The last line may be torn, and the folder may vanish.
TEST(AfterDeath, NoPartOfTheLinesOfACompletedTaskSaysThatItsClipIsHere) {
  ClipRecord completed = record_of(ClipState::submitted, "T");
  completed.completed_tasks = {"T"};
  Account account;
  LedgerEntry reserve(LedgerEvent::reserve, charge_of(ChargeState::reserved));
  reserve.at = at(1234);
  ASSERT_TRUE(account.apply(reserve));
  const std::vector<LedgerEntry> lines = entries_after_death(account.charges().front(), completed);
  EXPECT_EQ(lines.size(), 3u);
  for (const LedgerEntry &line : lines) {
    ASSERT_TRUE(account.apply(line));
    EXPECT_FALSE(open_charges(account, "clip").is_empty()) << to_word(line.event);
  }
}

// Told in the same moment in which the run died.
TEST(AfterDeath, AnAmountThatOnlyTheJournalKnowsIsTold) {
  for (const ChargeState state : {ChargeState::submitted, ChargeState::unknown})
    EXPECT_THAT(texts(entries_after_death(charge_of(state, "T"), record_of(ClipState::submitted, "T"))),
                ElementsAre("submitted T $3"));
  Charge untold = charge_of(ChargeState::settled, "T");
  untold.status = "completed";
  EXPECT_THAT(texts(entries_after_death(untold, record_of(ClipState::complete, "T"))),
              ElementsAre("settle T completed $3"));
  untold.amount = 3;
  EXPECT_THAT(texts(entries_after_death(untold, record_of(ClipState::complete, "T"))), IsEmpty());
  EXPECT_THAT(texts(entries_after_death(charge_of(ChargeState::unknown, "T"),
                                        record_of(ClipState::submitted, "other"))),
              IsEmpty());
  Charge corrected = charge_of(ChargeState::settled, "T");
  corrected.amount = 5;
  corrected.corrected = true;
  EXPECT_THAT(texts(entries_after_death(corrected, record_of(ClipState::submitted, "T"))), IsEmpty())
      << "what a person says holds";
}

LedgerEntry entry_of(LedgerEvent event, const std::string &task_id = "", const std::string &status = "") {
  LedgerEntry entry;
  entry.event = event;
  entry.key = "clip";
  entry.task_id = task_id;
  entry.status = status;
  return entry;
}

std::string open_text(const std::vector<LedgerEntry> &entries, bool is_clip_lost = false) {
  Account account;
  for (const LedgerEntry &entry : entries) EXPECT_TRUE(account.apply(entry));
  const OpenCharges open = open_charges(account, "clip", is_clip_lost);
  EXPECT_EQ(is_clip_lost || account.has_open("clip") || open.is_empty(), true);
  EXPECT_TRUE(open_charges(account, "other").is_empty());
  std::string text = std::to_string(open.unanswered);
  for (const OpenTask &task : open.tasks) text += " " + task.id + (task.was_completed ? " completed" : "");
  return text;
}

std::string stored_text(const std::vector<LedgerEntry> &entries) {
  Account account;
  for (const LedgerEntry &entry : entries) EXPECT_TRUE(account.apply(entry));
  EXPECT_FALSE(open_charges(account, "other").stored);
  const auto stored = open_charges(account, "clip").stored;
  return stored ? stored->id + (stored->amount < 0 ? "" : " $" + rounded_text(stored->amount, 0)) : "";
}

TEST(OpenCharges, AreThoseOfWhichNoClipCame) {
  const LedgerEntry reserve = entry_of(LedgerEvent::reserve);
  const LedgerEntry submitted = entry_of(LedgerEvent::submitted, "T");
  const LedgerEntry settled = entry_of(LedgerEvent::settle, "T", "completed");
  const LedgerEntry unfetched = entry_of(LedgerEvent::unfetched, "T");
  const LedgerEntry stored = entry_of(LedgerEvent::stored, "T");
  EXPECT_EQ(open_text({}), "0");
  EXPECT_EQ(open_text({reserve}), "1") << "nobody knows whether it was sent";
  EXPECT_EQ(open_text({reserve, entry_of(LedgerEvent::release)}), "0");
  EXPECT_EQ(open_text({reserve, entry_of(LedgerEvent::unknown)}), "1");
  EXPECT_EQ(open_text({reserve, submitted}), "0 T");
  EXPECT_EQ(open_text({reserve, submitted, entry_of(LedgerEvent::unknown, "T")}), "0 T");
  EXPECT_EQ(open_text({reserve, submitted, settled}), "0");
  EXPECT_EQ(open_text({reserve, submitted, settled, unfetched}), "0 T completed");
  EXPECT_EQ(open_text({reserve, submitted, settled, unfetched, stored}), "0");
  EXPECT_EQ(open_text({reserve, submitted, settled, unfetched, stored}, true), "0 T completed");
  LedgerEntry corrected = entry_of(LedgerEvent::correct), of_task = entry_of(LedgerEvent::correct, "T");
  corrected.amount = of_task.amount = 5;
  EXPECT_EQ(open_text({reserve, submitted, of_task}), "0 T") << "nobody knows what became of it";
  EXPECT_EQ(open_text({reserve, entry_of(LedgerEvent::unknown), corrected}), "1");
  EXPECT_EQ(open_text({reserve, submitted, of_task, settled, unfetched, stored}), "0");
  corrected.amount = of_task.amount = 0;
  EXPECT_EQ(open_text({reserve, submitted, of_task}), "0");
  EXPECT_EQ(open_text({reserve, entry_of(LedgerEvent::unknown), corrected}), "0");
  const LedgerEntry failed = entry_of(LedgerEvent::settle, "T", "failed");
  EXPECT_EQ(open_text({reserve, submitted, failed}, true), "0");
  EXPECT_EQ(open_text({reserve, submitted, failed}), "0");
  EXPECT_EQ(open_text({reserve, submitted, settled, unfetched, failed}), "0 T completed") << "it is paid";
}

TEST(OpenCharges, WereToldByTheRunThatStoredAClipSince) {
  const std::vector<LedgerEntry> lost = {
      entry_of(LedgerEvent::reserve),         entry_of(LedgerEvent::submitted, "lost"),
      entry_of(LedgerEvent::unknown, "lost"), entry_of(LedgerEvent::reserve),
      entry_of(LedgerEvent::submitted, "T"),  entry_of(LedgerEvent::settle, "T", "completed"),
      entry_of(LedgerEvent::unfetched, "T")};
  EXPECT_EQ(open_text(lost), "0 lost T completed");
  std::vector<LedgerEntry> whole = lost;
  whole.push_back(entry_of(LedgerEvent::stored, "T"));
  EXPECT_EQ(open_text(whole), "0");
}

TEST(Import, KnowsWhatARecordHolds) {
  const auto imported = [](const ClipRecord &record) { return texts(imported_entries({}, record)); };
  EXPECT_THAT(imported(record_of(ClipState::complete, "T")), ElementsAre("settle T completed $3 imported"));
  EXPECT_THAT(imported(record_of(ClipState::failed, "T")), ElementsAre("settle T failed $3 imported"));
  EXPECT_THAT(imported(record_of(ClipState::submitted, "T")), ElementsAre("unknown T $3 imported"));
  EXPECT_THAT(imported(record_of(ClipState::intent)), ElementsAre("unknown $3 imported"));
  EXPECT_THAT(imported(record_of(ClipState::refused)), IsEmpty());

  ClipRecord rich = record_of(ClipState::submitted, "new");
  rich.replaced = std::make_shared<const ClipRecord>(record_of(ClipState::complete, "old"));
  rich.earlier_tasks = {"old", "earlier"};
  rich.unfetched_tasks = {"earlier", "unfetched"};
  rich.unanswered_submits = 2;
  EXPECT_THAT(imported(rich), ElementsAre("settle old completed $3 imported", "unknown new $3 imported",
                                          "unknown earlier imported", "unknown unfetched imported",
                                          "unknown imported", "unknown imported"));
}

TEST(Import, KnowsWhatWasCompletedAndWhatItHasCost) {
  const auto imported = [](const ClipRecord &record) { return texts(imported_entries({}, record)); };
  for (const ClipState state : {ClipState::submitted, ClipState::lost}) {
    ClipRecord record = record_of(state, "T");
    record.unfetched_tasks = {"earlier"};
    record.completed_tasks = {"earlier", "T"};
    EXPECT_THAT(imported(record),
                ElementsAre("settle T completed $3 imported", "unfetched T imported",
                            "settle earlier completed imported", "unfetched earlier imported"));
    Account account;
    for (const LedgerEntry &entry : imported_entries({}, record)) EXPECT_TRUE(account.apply(entry));
    EXPECT_EQ(account.sums({}, 0).spent.credits, 3);
    const OpenCharges open = open_charges(account, "");
    ASSERT_EQ(open.tasks.size(), 2u);
    for (const OpenTask &task : open.tasks) EXPECT_TRUE(task.was_completed) << task.id;
  }
  ClipRecord doubt = record_of(ClipState::ambiguous);
  doubt.unanswered_submits = 1;
  EXPECT_THAT(imported(doubt), ElementsAre("unknown $3 imported", "unknown imported"));
  Account account;
  for (const LedgerEntry &entry : imported_entries({}, doubt)) EXPECT_TRUE(account.apply(entry));
  EXPECT_EQ(account.sums({}, 0).spent.credits, 3);
}

TEST(OpenCharges, SayWhichClipWasStoredLast) {
  const LedgerEntry submitted = entry_of(LedgerEvent::submitted, "T"),
                    again = entry_of(LedgerEvent::submitted, "U");
  LedgerEntry stored = entry_of(LedgerEvent::settle, "T", "completed");
  const auto is_unfetched = entry_of(LedgerEvent::unfetched, "T");
  EXPECT_EQ(stored_text({submitted, stored}), "T");
  stored.amount = 2;
  EXPECT_EQ(stored_text({submitted, stored}), "T $2");
  EXPECT_EQ(stored_text({submitted, stored, again}), "T $2") << "whatever came later";
  EXPECT_EQ(stored_text({submitted, stored, is_unfetched}), "") << "it may still come";
  EXPECT_EQ(stored_text({submitted, entry_of(LedgerEvent::settle, "T", "failed")}), "");
  stored.amount = 0;
  EXPECT_EQ(stored_text({submitted, stored}), "") << "nothing was paid";
  LedgerEntry paid = entry_of(LedgerEvent::settle, "U", "completed");
  paid.amount = 3;
  EXPECT_EQ(stored_text({again, paid, submitted, stored}), "U $3") << "the one before was";
}

TEST(Import, CountsNoTaskThatWasOnlyAttachedTo) {
  ClipRecord record = record_of(ClipState::complete, "T");
  record.identity.request = Json::Object{{"task_id", "T"}};
  Account account;
  for (const LedgerEntry &entry : imported_entries({}, record)) EXPECT_TRUE(account.apply(entry));
  EXPECT_EQ(account.sums({}, 1).spent.credits, 0);
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

TEST(KnownTask, IsWhatTheLedgerKnowsOfItWhicheverClipItIsOf) {
  const auto after = [](const std::vector<LedgerEntry> &entries) {
    Account account;
    for (const LedgerEntry &entry : entries) EXPECT_TRUE(account.apply(entry));
    const KnownTask known = known_task(account, {}, "T");
    EXPECT_EQ(known.completed_for.empty(), entries.empty() || entries.back().status != "completed");
    return std::string(to_word(known.outcome)) + " " +
           std::string(to_word(ending_of(known.outcome, {}, known.amount).charged));
  };
  const LedgerEntry submitted = entry_of(LedgerEvent::submitted, "T");
  EXPECT_EQ(after({}), "not-submitted no");
  EXPECT_EQ(after({entry_of(LedgerEvent::submitted, "U")}), "not-submitted no");
  EXPECT_EQ(after({submitted}), "unknown maybe");
  EXPECT_EQ(after({submitted, entry_of(LedgerEvent::unknown, "T")}), "unknown maybe");
  EXPECT_EQ(after({submitted, entry_of(LedgerEvent::settle, "T", "completed")}), "paid-unfetched yes");
  LedgerEntry failed = entry_of(LedgerEvent::settle, "T", "failed");
  EXPECT_EQ(after({submitted, failed}), "failed no");
  failed.amount = 7;
  EXPECT_EQ(after({submitted, failed}), "failed yes");
  LedgerEntry corrected = entry_of(LedgerEvent::correct, "T");
  corrected.amount = 7;
  EXPECT_EQ(after({submitted, corrected}), "paid-unfetched yes");
  corrected.amount = 0;
  EXPECT_EQ(after({submitted, corrected}), "not-submitted no");
  LedgerEntry attached = entry_of(LedgerEvent::unknown, "T");
  attached.attached = true;
  EXPECT_EQ(after({attached}), "not-submitted no");
  attached = entry_of(LedgerEvent::settle, "T", "completed");
  attached.attached = true;
  EXPECT_EQ(after({attached}), "paid-unfetched yes");
}

// An earlier version took each spelling of the address for another service; and who names a task may name the
// wrong API.
TEST(KnownTask, IsKnownUnderEachAddressThatMeansTheSameAndUnderBothApis) {
  Account account;
  for (const auto &[key, base_url, api] : {std::array{"old", "https://api.example\n", "legacy"},
                                           std::array{"dot", "HTTPS://Api.Example.:443/", "tasks"},
                                           std::array{"elsewhere", "https://other.example", "tasks"}}) {
    LedgerEntry entry = entry_of(LedgerEvent::settle, std::string("task ") + key, "completed");
    entry.key = key;
    entry.base_url = base_url;
    entry.api = api;
    ASSERT_TRUE(account.apply(entry));
  }
  const auto known = [&](const std::string &task_id, const std::string &api = "tasks") {
    ChargeFacts facts;
    facts.base_url = "https://api.example";
    facts.api = api;
    return known_task(account, facts, task_id).completed_for;
  };
  EXPECT_EQ(known("task old"), "old");
  EXPECT_EQ(known("task dot"), "dot");
  EXPECT_EQ(known("task elsewhere"), "");
  // Of two tasks with one ID it is the one of this API.
  for (const char *api : {"tasks", "legacy"}) {
    LedgerEntry entry = entry_of(LedgerEvent::settle, "both", "completed");
    entry.key = std::string("of ") + api;
    entry.base_url = "https://api.example";
    entry.api = api;
    ASSERT_TRUE(account.apply(entry));
  }
  EXPECT_EQ(known("both"), "of tasks");
  EXPECT_EQ(known("both", "legacy"), "of legacy");
}

}  // namespace
}  // namespace genclip::test
