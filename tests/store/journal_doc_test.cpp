// SPDX-License-Identifier: LGPL-2.1-or-later
//
// docs/store-format.md says what the journal's model does: its two tables are made here, from react().
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "plugin/core/clip_run.h"

namespace genclip {
namespace {

struct Found {
  const char *name;
  std::optional<ClipRecord> record;
};

std::shared_ptr<const ClipRecord> whole_clip() {
  ClipRecord whole;
  whole.state = ClipState::complete;
  whole.task_id = "old";
  return std::make_shared<const ClipRecord>(whole);
}

ClipRecord record_of(ClipState state, bool replaces = false) {
  ClipRecord record;
  record.state = state;
  if (state == ClipState::submitted || state == ClipState::failed || state == ClipState::lost ||
      state == ClipState::complete)
    record.task_id = "task";
  if (replaces) record.replaced = whole_clip();
  return record;
}

std::vector<Found> all_found() {
  return {{"no journal", std::nullopt},
          {"`refused`", record_of(ClipState::refused)},
          {"`intent` (a crash)", record_of(ClipState::intent)},
          {"`ambiguous`", record_of(ClipState::ambiguous)},
          {"`submitted`", record_of(ClipState::submitted)},
          {"`failed`", record_of(ClipState::failed)},
          {"`lost`", record_of(ClipState::lost)},
          {"`complete`", record_of(ClipState::complete)},
          {"`intent` or `ambiguous`, with `replaces`", record_of(ClipState::ambiguous, true)},
          {"`submitted`, with `replaces`", record_of(ClipState::submitted, true)}};
}

Reaction begin(const Found &found, bool reuse, bool has_key,
               MaySubmit may_submit = MaySubmit::even_in_doubt) {
  ClipRun run;
  run.wish = {reuse, "", has_key, may_submit};
  TurnBegins turn;
  turn.found = found.record;
  if (found.record)
    if (const auto whole = whole_clip_of(*found.record)) turn.first_whole = whole->task_id;
  return react(run, turn);
}

std::string words(const Reaction &reaction) {
  switch (reaction.run.step) {
    case ClipStep::serve: return "serves the clip";
    case ClipStep::look: return "asks once whether the task is done; serves the clip if not";
    case ClipStep::ask:
      return "asks for the task; if it is still unknown, " + words(react(reaction.run, TaskUnknown{}));
    case ClipStep::follow: return "attaches to the task";
    case ClipStep::submit:
      return react(reaction.run, SubmitBegins{}).warnings.empty() ? "submits" : "submits, with a warning";
    case ClipStep::need_key: return "error: no key";
    case ClipStep::stay_in_doubt: return "error: in doubt";
    default: return "?";
  }
}

std::string runs_table() {
  std::string table =
      "| The journal says | A run | A run without a key | A run with `reuse=false` | A run with "
      "`on-unknown=fail`, or of a channel |\n| --- | --- | --- | --- | --- |\n";
  for (const Found &found : all_found()) {
    table += std::string("| ") + found.name;
    table += " | " + words(begin(found, true, true));
    table += " | " + words(begin(found, true, false));
    table += " | " + words(begin(found, false, true));
    table += " | " + words(begin(found, true, true, MaySubmit::unless_in_doubt)) + " |\n";
  }
  return table;
}

std::string state_after(const Reaction &reaction) {
  const ClipRecord &record = reaction.run.record;
  std::string text = "`" + std::string(to_word(record.state)) + "`";
  if (record.replaced) text += " with `replaces`";
  const uint64_t unanswered = unanswered_submits_of(record);
  if (unanswered > 0) text += ", " + std::to_string(unanswered) + " unanswered";
  if (!record.unfetched_tasks.empty()) text += ", 1 unfetched";
  return text;
}

std::string outcomes_table() {
  std::string table =
      "| Found | Accepted | Refused | Unanswered | Accepted, then failed | Accepted, then unknown |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  for (const Found &found : all_found()) {
    Reaction begun = begin(found, false, true);
    if (begun.run.step == ClipStep::ask) begun = react(begun.run, TaskUnknown{});
    if (begun.run.step != ClipStep::submit) continue;
    begun = react(begun.run, SubmitBegins{});
    const Reaction accepted = react(begun.run, SubmitAccepted{"new"});
    table += std::string("| ") + found.name;
    table += " | " + state_after(accepted);
    table += " | " + state_after(react(begun.run, SubmitRefused{"no", 400}));
    table += " | " + state_after(react(begun.run, SubmitUnanswered{"cut"}));
    table += " | " + state_after(react(accepted.run, TaskFailed{"moderated"}));
    table += " | " + state_after(react(accepted.run, TaskUnknown{"gone"})) + " |\n";
  }
  return table;
}

std::string document() {
  std::ifstream file(std::string(GENCLIP_DOCS) + "/store-format.md");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(StoreFormatDocument, SaysWhatARunDoesWithWhatItFinds) {
  EXPECT_NE(document().find(runs_table()), std::string::npos) << "The table is to be:\n" << runs_table();
}

TEST(StoreFormatDocument, SaysWhatTheJournalSaysAfterASubmit) {
  EXPECT_NE(document().find(outcomes_table()), std::string::npos) << "The table is to be:\n"
                                                                  << outcomes_table();
}

}  // namespace
}  // namespace genclip
