// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All that follows of one event: record, lines of the ledger, ending, and what observers see. The exploration
// (journal_exploration_test) asks whether they agree; this says what they are.
#include "plugin/core/clip_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/core/clip_turn.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ClipRun run_at(ClipStep step) {
  ClipRun run;
  run.step = step;
  run.asked = "asked";
  run.record.task_id = "own";
  run.record.state = ClipState::submitted;
  run.record.reserved_at = "2026-01-01T00:00:00.000Z";
  run.found = run.record;
  run.attempt.state = ClipState::intent;
  return run;
}

// "event task status $amount", for comparison.
std::vector<std::string> lines(const Reaction &reaction) {
  std::vector<std::string> all;
  for (const LedgerEntry &entry : reaction.ledger) {
    std::string text = to_word(entry.event);
    for (const std::string &part : {entry.task_id, entry.status, entry.why})
      if (!part.empty()) text += " " + part;
    if (entry.amount) text += " $" + std::to_string(static_cast<int>(*entry.amount));
    if (entry.attached) text += " attached";
    all.push_back(text);
  }
  return all;
}

std::string ending(const Reaction &reaction) {
  const RunEnding end = ending_of(reaction.run, Error{ErrorKind::read});
  return std::string(to_word(end.outcome)) + " " + to_word(end.charged);
}

constexpr ClipStatus kDone = ClipStatus::completed;

// Without reuse, whoever has paid for a clip is served it, whoever has fetched it.
TEST(ServedWithoutTurn, IsTheClipOfOnesOwnTask) {
  ClipRecord record;
  record.state = ClipState::complete;
  record.task_id = "task-1";
  record.clip_name = "clip.mp4";
  RunWish wish;
  wish.reuse = false;
  EXPECT_FALSE(served_without_turn(record, wish, false, "task-1"));
  wish.own_task = "task-0";
  EXPECT_FALSE(served_without_turn(record, wish, false, "task-1"));
  wish.own_task = "task-1";
  EXPECT_TRUE(served_without_turn(record, wish, false, "task-1"));
}

TEST(React, TellsTheLedgerWhatBecameOfASubmit) {
  const ClipRun submits =
      react(run_at(ClipStep::submit), SubmitBegins{.reserved_at = "2026-01-01T00:00:00.000Z"}).run;
  Reaction reaction = react(submits, SubmitAccepted{"T"});
  EXPECT_THAT(lines(reaction), ElementsAre("submitted T"));
  EXPECT_EQ(ending(reaction), "running yes");
  reaction = react(submits, SubmitRefused{"no", 400});
  EXPECT_THAT(lines(reaction), ElementsAre("release the service refused it with HTTP 400"));
  EXPECT_EQ(ending(reaction), "refused no");
  reaction = react(submits, SubmitRefused{"no", 0});
  EXPECT_THAT(lines(reaction), ElementsAre("release it was not sent"));
  EXPECT_EQ(ending(reaction), "not-submitted no");
  reaction = react(submits, SubmitUnanswered{});
  EXPECT_THAT(lines(reaction), ElementsAre("unknown"));
  EXPECT_EQ(ending(reaction), "unknown maybe");
}

// The task is counted, so a condensed account, which may have let go of it, is not told of a new one.
TEST(React, TellsTheLedgerOfNoNewTaskWhereASubmitIsAnsweredWithAnEarlierOne) {
  ClipRun run = run_at(ClipStep::submit);
  ClipRecord whole;
  whole.task_id = "whole";
  run.attempt.replaced = std::make_shared<const ClipRecord>(whole);
  run.attempt.earlier_tasks = {"earlier"};
  run.attempt.unfetched_tasks = {"unfetched"};
  run = react(run, SubmitBegins{.reserved_at = "2026-01-01T00:00:00.000Z"}).run;
  for (const char *id : {"whole", "earlier", "unfetched"}) {
    const Reaction reaction = react(run, SubmitAccepted{id});
    EXPECT_THAT(lines(reaction), ElementsAre("release the service answered with an earlier task"));
    EXPECT_EQ(reaction.run.record.task_id, id);
    EXPECT_EQ(ending(reaction), "running yes");
  }
}

TEST(React, TellsTheLedgerWhatBecameOfATask) {
  for (const ClipStep step : {ClipStep::ask, ClipStep::look}) {
    EXPECT_THAT(lines(react(run_at(step), TaskFailed{})), ElementsAre("settle asked failed"));
    EXPECT_THAT(lines(react(run_at(step), TaskUnknown{})), ElementsAre("unknown asked"));
    EXPECT_THAT(lines(react(run_at(step), TaskUnreachable{})), IsEmpty());
  }
  const ClipRun follows = run_at(ClipStep::follow);
  EXPECT_THAT(lines(react(follows, TaskFailed{})), ElementsAre("settle own failed"));
  EXPECT_THAT(lines(react(follows, TaskUnknown{})), ElementsAre("unknown own"));
  EXPECT_THAT(lines(react(follows, TaskKnown{})), IsEmpty());
  const Reaction completed = react(follows, TaskKnown{{.status = kDone}});
  EXPECT_THAT(lines(completed), ElementsAre("unfetched own", "settle own completed"))
      << "the ledger alone names the task if the folder is removed now";
  const ClipRun fetches = react(completed.run, FetchBegins{}).run;
  EXPECT_THAT(lines(react(fetches, ClipFetched{})), IsEmpty());
  const Reaction stored = react(fetches, ClipStored{});
  EXPECT_THAT(lines(stored), ElementsAre("stored own"));
  EXPECT_EQ(ending(stored), "stored yes");
}

// Finding M2: four clips of 9 credits passed a limit of 10, because later answers had left the amount out.
TEST(React, NeverForgetsAnAmountThatAnyAnswerTold) {
  const ClipRun submits =
      react(run_at(ClipStep::submit), SubmitBegins{.reserved_at = "2026-01-01T00:00:00.000Z"}).run;
  Reaction reaction = react(submits, SubmitAccepted{"T", {.amount = 9}});
  EXPECT_THAT(lines(reaction), ElementsAre("submitted T $9"));
  const ClipRun told_at_submit = reaction.run;
  EXPECT_EQ(told_at_submit.record.amount, 9);
  EXPECT_EQ(reaction.view->amount, 9);

  reaction = react(told_at_submit, TaskKnown{{.status = kDone}});
  EXPECT_EQ(reaction.view->amount, 9);
  EXPECT_THAT(lines(react(told_at_submit, TaskKnown{{.status = kDone}})),
              ElementsAre("unfetched T", "settle T completed $9"));
  for (const ClipEvent &last : {ClipEvent(TaskFailed{"moderated"}), ClipEvent(TaskUnknown{"gone"})}) {
    const Reaction ended = react(told_at_submit, last);
    ASSERT_EQ(ended.ledger.size(), 1u);
    EXPECT_EQ(ended.ledger[0].amount, 9) << to_word(ended.ledger[0].event);
  }
  EXPECT_EQ(ending(react(told_at_submit, TaskFailed{"moderated"})), "failed yes");

  reaction = react(run_at(ClipStep::follow), TaskKnown{{.status = ClipStatus::processing, .amount = 9}});
  EXPECT_THAT(lines(reaction), ElementsAre("submitted own $9")) << "it counts from now on";
  EXPECT_TRUE(reaction.write);
  EXPECT_THAT(lines(react(reaction.run, TaskKnown{{.status = ClipStatus::processing, .amount = 9}})),
              IsEmpty())
      << "it is no news";
  EXPECT_THAT(lines(react(reaction.run, TaskKnown{{.status = kDone}})),
              ElementsAre("unfetched own", "settle own completed $9"));
}

TEST(React, KeepsTheAmountOfAnAnswerThatIsNoTask) {
  const ClipRun submits =
      react(run_at(ClipStep::submit), SubmitBegins{.reserved_at = "2026-01-01T00:00:00.000Z"}).run;
  Reaction reaction = react(submits, SubmitUnanswered{"no id", 200, {.amount = 9}});
  EXPECT_THAT(lines(reaction), ElementsAre("unknown $9"));
  EXPECT_EQ(reaction.run.record.amount, 9) << "the run may die before the ledger is told";

  reaction = react(run_at(ClipStep::follow), CostTold{{.amount = 9}});
  EXPECT_THAT(lines(reaction), ElementsAre("submitted own $9"));
  EXPECT_EQ(reaction.run.step, ClipStep::follow);
  EXPECT_TRUE(reaction.write);
  EXPECT_THAT(lines(react(reaction.run, CostTold{{.amount = 9}})), IsEmpty());
  EXPECT_THAT(lines(react(reaction.run, TaskUnknown{"gone"})), ElementsAre("unknown own $9"));
  for (const ClipStep step : {ClipStep::ask, ClipStep::look}) {
    reaction = react(run_at(step), CostTold{{.amount = 9}});
    EXPECT_THAT(lines(reaction), ElementsAre("submitted asked $9"));
    EXPECT_EQ(reaction.run.step, step);
    EXPECT_THAT(lines(react(reaction.run, TaskFailed{"moderated"})), ElementsAre("settle asked failed $9"));
  }
  ClipRun completed = run_at(ClipStep::follow);
  completed.record.completed_tasks = {"own"};
  EXPECT_THAT(lines(react(completed, CostTold{{.amount = 9}})), ElementsAre("settle own completed $9"));
  ClipRun mistyped = run_at(ClipStep::follow);
  mistyped.wish.task_id = "own";
  mistyped.is_unheard_of = true;
  reaction = react(mistyped, CostTold{{.amount = 9}});
  EXPECT_THAT(lines(reaction), IsEmpty());
  EXPECT_FALSE(reaction.write);
}

TEST(React, TakesTheLastAmountThatWasTold) {
  Reaction reaction = react(run_at(ClipStep::follow), TaskKnown{{.amount = 9}});
  EXPECT_THAT(lines(react(reaction.run, TaskKnown{{.status = kDone, .amount = 4}})),
              ElementsAre("unfetched own", "settle own completed $4"));
}

TEST(React, SettlesATaskOnceThoughItIsAskedForAgain) {
  Reaction reaction = react(run_at(ClipStep::follow), TaskKnown{{.status = kDone}});
  EXPECT_THAT(lines(reaction), ElementsAre("unfetched own", "settle own completed"));
  EXPECT_THAT(lines(react(reaction.run, TaskKnown{{.status = kDone}})), IsEmpty());
  EXPECT_THAT(lines(react(reaction.run, TaskKnown{{.status = kDone, .amount = 2}})),
              ElementsAre("settle own completed $2"));
}

TEST(React, BelievesThatACompletedTaskIsPaidWhateverComesLater) {
  const ClipRun completed = react(run_at(ClipStep::follow), TaskKnown{{.status = kDone}}).run;
  for (const ClipEvent &event : {ClipEvent(TaskKnown{{.status = ClipStatus::processing}}),
                                 ClipEvent(TaskFailed{"moderated"}), ClipEvent(TaskUnknown{"gone"})})
    EXPECT_EQ(ending(react(completed, event)), "paid-unfetched yes");
  EXPECT_THAT(lines(react(completed, TaskUnknown{"gone"})), ElementsAre("unknown own"));
  const Reaction failed = react(completed, TaskFailed{"moderated"});
  EXPECT_THAT(lines(failed), IsEmpty());
  EXPECT_TRUE(failed.write);
  EXPECT_EQ(failed.run.record.state, ClipState::lost) << "a later run asks for it";
  EXPECT_THAT(failed.run.record.completed_tasks, ElementsAre("own"));
  EXPECT_THAT(lines(react(completed, TaskFailed{"moderated", {.amount = 2}})),
              ElementsAre("settle own completed $2"));
  const ClipRun told = react(run_at(ClipStep::follow), TaskKnown{{.status = kDone, .amount = 9}}).run;
  for (const double amount : {0.0, 2.0})
    EXPECT_THAT(lines(react(told, TaskFailed{"refunded", {.amount = amount}})), IsEmpty());
}

TEST(React, KeepsInTheJournalThatATaskWasCompleted) {
  for (const ClipStep step : {ClipStep::follow, ClipStep::ask, ClipStep::look})
    for (const bool has_clip : {true, false}) {
      ClipRun run = run_at(step);
      run.asked = "own";
      const Reaction completed = react(run, TaskKnown{{.status = kDone}, has_clip});
      EXPECT_TRUE(completed.write);
      EXPECT_THAT(completed.run.record.completed_tasks, ElementsAre("own"));
      EXPECT_THAT(lines(completed), ElementsAre("unfetched own", "settle own completed"));
    }
  ClipRun stored = run_at(ClipStep::follow);
  stored.record.completed_tasks = {"other", "own"};
  stored.record.clip_name = "clip.mp4";
  EXPECT_THAT(react(stored, ClipStored{}).run.record.completed_tasks, ElementsAre("other"));
}

// As one that the service does not know any more.
TEST(React, PaysAgainForACompletedTaskThatFailsWithAWarningOrNotAtAll) {
  ClipRun run = run_at(ClipStep::ask);
  run.asked = "own";
  run.found->state = ClipState::lost;
  run.found->completed_tasks = {"own"};
  Reaction reaction = react(run, TaskFailed{"moderated"});
  EXPECT_EQ(reaction.run.step, ClipStep::submit);
  EXPECT_THAT(lines(reaction), IsEmpty());
  reaction = react(reaction.run, SubmitBegins{});
  EXPECT_THAT(reaction.warnings, ElementsAre(ClipWarning::failed_tasks));
  EXPECT_THAT(reaction.run.record.unfetched_tasks, ElementsAre("own"));
  EXPECT_THAT(reaction.run.record.completed_tasks, ElementsAre("own"));
  reaction = react(reaction.run, SubmitAccepted{"new"});
  reaction = react(reaction.run, ClipFetched{});
  EXPECT_THAT(reaction.run.record.unfetched_tasks, IsEmpty());
  EXPECT_THAT(reaction.run.record.completed_tasks, IsEmpty());

  run.wish.may_submit = MaySubmit::unless_in_doubt;
  reaction = react(run, TaskFailed{"moderated"});
  EXPECT_EQ(reaction.run.step, ClipStep::stay_in_doubt);
  EXPECT_EQ(ending(reaction), "paid-unfetched yes");
  run.is_news = true;
  reaction = react(run, TaskFailed{"moderated"});
  EXPECT_EQ(reaction.run.step, ClipStep::end) << "that is reported before anything is paid";
  EXPECT_EQ(ending(reaction), "paid-unfetched yes");
}

TEST(React, PutsAClipBackAndKeepsInMindThatItsSuccessorIsPaid) {
  ClipRecord whole;
  whole.state = ClipState::complete;
  whole.task_id = "old";
  ClipRun run = run_at(ClipStep::look);
  run.asked = "own";
  run.whole = std::make_shared<const ClipRecord>(whole);
  run.found->replaced = run.whole;
  run.found->completed_tasks = {"own"};
  const Reaction reaction = react(run, TaskFailed{"moderated"});
  EXPECT_EQ(reaction.run.step, ClipStep::serve);
  EXPECT_THAT(reaction.warnings, ElementsAre(ClipWarning::successor_failed));
  EXPECT_EQ(reaction.run.record.task_id, "old");
  EXPECT_THAT(reaction.run.record.unfetched_tasks, ElementsAre("own"));
  EXPECT_THAT(reaction.run.record.completed_tasks, ElementsAre("own"));
}

TEST(React, TellsWhatATaskThatFailedHasCostBeforeItPaysAgain) {
  const auto warnings = [](double amount) {
    ClipRun run = run_at(ClipStep::ask);
    run.open = {{.id = "asked", .amount = amount}};
    const Reaction failed = react(run, TaskFailed{"moderated"});
    EXPECT_THAT(lines(failed), ElementsAre("settle asked failed" + std::string(amount == 9   ? " $9"
                                                                               : amount == 0 ? " $0"
                                                                                             : "")));
    return react(failed.run, SubmitBegins{}).warnings;
  };
  EXPECT_THAT(warnings(9), ElementsAre(ClipWarning::failed_tasks));
  EXPECT_THAT(warnings(-1), ElementsAre(ClipWarning::failed_tasks)) << "it may have been charged";
  EXPECT_THAT(warnings(0), IsEmpty());
}

// The run that met the failure has told of it, and has paid nothing after it.
TEST(React, TellsWhatATaskThatFailedInAnEarlierRunHasCostBeforeItPaysAgain) {
  const auto warnings = [](double amount) {
    TurnBegins turn;
    turn.found = run_at(ClipStep::follow).record;
    turn.found->state = ClipState::failed;
    turn.found->error = "moderation";
    turn.found->amount = amount;
    const Reaction begun = react(ClipRun{}, turn);
    EXPECT_EQ(begun.run.step, ClipStep::submit);
    Reaction reaction = react(begun.run, SubmitBegins{});
    if (amount > 0) {
      EXPECT_THAT(failed_tasks_text(reaction.run.failed),
                  testing::AllOf(HasSubstr("The task own"), HasSubstr("has cost 9 credits"),
                                 HasSubstr("moderation")));
    }
    // Sent again, it is the same run.
    EXPECT_THAT(react(reaction.run, SubmitBegins{}).warnings, IsEmpty());
    return reaction.warnings;
  };
  EXPECT_THAT(warnings(9), ElementsAre(ClipWarning::failed_tasks));
  EXPECT_THAT(warnings(0), IsEmpty());
  EXPECT_THAT(warnings(-1), IsEmpty()) << "most services charge nothing for a failure";
}

// The run that warned has paid nothing, so the run that pays warns, too.
TEST(React, TellsWhatATaskThatFailedHasCostAlsoBehindASubmitThatWasRefused) {
  const auto pays = [](const std::optional<ClipRecord> &found) {
    TurnBegins turn;
    turn.found = found;
    Reaction reaction = react(ClipRun{}, turn);
    if (reaction.run.step == ClipStep::ask)
      reaction = react(reaction.run, TaskFailed{"moderation", {.amount = 9}});
    EXPECT_EQ(reaction.run.step, ClipStep::submit);
    return react(reaction.run, SubmitBegins{});
  };
  for (const ClipState state : {ClipState::failed, ClipState::lost, ClipState::refused})
    for (const unsigned status : {0u, 400u, 401u}) {
      ClipRecord found = run_at(ClipStep::follow).record;
      found.state = state;
      if (state == ClipState::failed) found.amount = 9;
      if (state == ClipState::refused) {  // What the ledger knew of a removed folder.
        found.unfetched_tasks = {"own"};
        found.task_id.clear();
      }
      Reaction reaction = pays(found);
      EXPECT_THAT(reaction.warnings, ElementsAre(ClipWarning::failed_tasks));
      EXPECT_THAT(reaction.run.record.unfetched_tasks, IsEmpty());
      for (int times = 0; times < 2; ++times) {
        const ClipRecord refused = react(reaction.run, SubmitRefused{"no", status}).run.record;
        EXPECT_EQ(refused.state, state == ClipState::failed ? ClipState::refused : state);
        reaction = pays(refused);
        EXPECT_THAT(reaction.warnings, ElementsAre(ClipWarning::failed_tasks)) << status;
        EXPECT_THAT(failed_tasks_text(reaction.run.failed),
                    testing::AllOf(HasSubstr("The task own"), HasSubstr("has cost 9 credits")));
      }
      EXPECT_THAT(failed_tasks_text(reaction.run.failed), testing::Not(HasSubstr("It says: no")));
      // Who has paid has told it.
      reaction =
          react(react(reaction.run, SubmitAccepted{"new"}).run, TaskFailed{"moderation", {.amount = 0}});
      EXPECT_THAT(pays(reaction.run.record).warnings, IsEmpty());
    }
}

TEST(React, SaysWhichTaskIsLeftForOneThatAPersonHasNamed) {
  ClipRun run;
  run.wish.task_id = "named";
  TurnBegins turn;
  turn.found = run_at(ClipStep::follow).record;
  turn.found->unfetched_tasks = {"denied", "paid"};
  turn.found->completed_tasks = {"paid"};
  const Reaction begun = react(run, turn);
  EXPECT_EQ(begun.run.step, ClipStep::follow);
  EXPECT_FALSE(begun.write);
  for (const bool is_done : {false, true}) {
    const Reaction known = react(begun.run, TaskKnown{{.status = is_done ? kDone : ClipStatus::queued}});
    EXPECT_TRUE(known.write);
    EXPECT_THAT(known.warnings, ElementsAre(ClipWarning::tasks_displaced));
    EXPECT_THAT(displaced_tasks(known.run), ElementsAre("paid", "own"));
    EXPECT_THAT(known.run.record.unfetched_tasks, ElementsAre("denied", "paid", "own"));
    EXPECT_THAT(react(known.run, TaskKnown{}).warnings, IsEmpty()) << "once";
  }
  // The journal stays as it was.
  EXPECT_THAT(react(begun.run, TaskUnknown{}).warnings, IsEmpty());
  EXPECT_THAT(react(begun.run, TaskFailed{}).warnings, IsEmpty());

  // Nothing is left behind.
  turn.found->unfetched_tasks.clear();
  for (const ClipState state : {ClipState::failed, ClipState::lost}) {
    turn.found->state = state;
    EXPECT_THAT(react(react(run, turn).run, TaskKnown{}).warnings, IsEmpty()) << to_word(state);
  }
  turn.found->state = ClipState::submitted;
  turn.found->task_id = "named";
  EXPECT_THAT(react(react(run, turn).run, TaskKnown{}).warnings, IsEmpty());

  // The ledger alone names a task whose folder was removed.
  const Reaction removed =
      react(react(run, TurnBegins{.open = {.tasks = {{.id = "open"}}}}).run, TaskKnown{});
  EXPECT_THAT(removed.warnings, ElementsAre(ClipWarning::tasks_displaced));
  EXPECT_THAT(displaced_tasks(removed.run), ElementsAre("open"));
}

TEST(React, EndsAsPaidWhereTheServiceDoesNotKnowACompletedTaskAnyMore) {
  ClipRun run = run_at(ClipStep::ask);
  run.found->state = ClipState::lost;
  run.found->completed_tasks = {"asked"};
  run.wish.may_submit = MaySubmit::unless_in_doubt;
  Reaction reaction = react(run, TaskUnknown{"gone"});
  EXPECT_EQ(reaction.run.step, ClipStep::stay_in_doubt);
  EXPECT_EQ(ending(reaction), "paid-unfetched yes");
  // Whatever is asked for after it.
  run.to_ask = {"earlier"};
  reaction = react(run, TaskUnknown{"gone"});
  EXPECT_EQ(ending(reaction), "not-submitted no");
  EXPECT_EQ(ending(react(reaction.run, TaskUnknown{"gone"})), "paid-unfetched yes");
  run.is_news = true;
  EXPECT_EQ(ending(react(run, TaskUnknown{"gone"})), "paid-unfetched yes");
  run.found->completed_tasks.clear();
  EXPECT_EQ(ending(react(run, TaskUnknown{"gone"})), "unknown maybe");
  run.is_news = false;
  run.to_ask.clear();
  EXPECT_EQ(ending(react(run, TaskUnknown{"gone"})), "unknown maybe");
}

TEST(React, TellsTheLedgerThatTheFileOfAStoredClipIsGone) {
  ClipRun run = run_at(ClipStep::serve);
  run.found->state = ClipState::complete;
  run.whole = std::make_shared<const ClipRecord>(*run.found);
  const Reaction missing = react(run, WholeClipMissing{});
  EXPECT_EQ(missing.run.step, ClipStep::follow);
  EXPECT_THAT(lines(missing), ElementsAre("unfetched own"));
  EXPECT_TRUE(missing.write && missing.tells_first) << "the folder may vanish in between";
  EXPECT_EQ(ending(missing), "paid-unfetched yes");
  run.wish.has_key = false;
  EXPECT_THAT(lines(react(run, WholeClipMissing{})), IsEmpty()) << "else one for each look";
}

// A later submit is in doubt, so the run may end without a new task.
TEST(React, JournalsThatTheFileOfAReplacedClipIsGoneBeforeItAsksForItsTask) {
  ClipRun run = run_at(ClipStep::serve);
  ClipRecord whole;
  whole.state = ClipState::complete;
  whole.task_id = "whole";
  run.found->state = ClipState::ambiguous;
  run.found->task_id.clear();
  run.found->replaced = run.whole = std::make_shared<const ClipRecord>(whole);
  const Reaction missing = react(run, WholeClipMissing{});
  EXPECT_EQ(missing.run.step, ClipStep::ask);
  EXPECT_EQ(missing.run.asked, "whole");
  EXPECT_TRUE(missing.write);
  EXPECT_FALSE(missing.run.record.replaced) << "else it counts as paid for ever";
  EXPECT_EQ(missing.run.record.state, ClipState::ambiguous);
  EXPECT_THAT(unfetched_tasks_of(missing.run.record), ElementsAre("whole"));
  run.wish.has_key = false;
  EXPECT_FALSE(react(run, WholeClipMissing{}).write);
}

TEST(React, FollowsTheNamedTaskWhereTheFileOfAReplacedClipIsGone) {
  ClipRun run = run_at(ClipStep::serve);
  ClipRecord whole;
  whole.state = ClipState::complete;
  whole.task_id = "whole";
  run.found->state = ClipState::submitted;
  run.found->task_id = "successor";
  run.found->replaced = run.whole = std::make_shared<const ClipRecord>(whole);
  run.wish.task_id = "whole";
  const Reaction missing = react(run, WholeClipMissing{});
  EXPECT_EQ(missing.run.step, ClipStep::follow);
  EXPECT_EQ(missing.run.record.task_id, "whole");
  EXPECT_FALSE(missing.write) << "once the service knows it";
}

TEST(React, FollowsACompletedTaskWhoseFolderIsGone) {
  const OpenTask done{
      .id = "T", .reserved_at = "2026-01-01T00:00:00.000Z", .amount = 9, .was_completed = true};
  Reaction reaction = react(ClipRun(), TurnBegins{.open = {.tasks = {{.id = "old"}, done}}});
  EXPECT_EQ(reaction.run.step, ClipStep::follow);
  EXPECT_TRUE(reaction.write);
  EXPECT_EQ(reaction.run.record.amount, 9);
  EXPECT_EQ(ending(reaction), "paid-unfetched yes");
  EXPECT_THAT(reaction.run.record.unfetched_tasks, ElementsAre("old"));
  EXPECT_EQ(ending(react(reaction.run, TaskFailed{"moderated"})), "paid-unfetched yes");
  // A submit without an answer must stay in mind.
  reaction = react(ClipRun(), TurnBegins{.open = {.tasks = {done}, .unanswered = 1}});
  EXPECT_EQ(reaction.run.step, ClipStep::ask);
  EXPECT_EQ(unanswered_submits_of(reaction.run.record), 1u);
}

TEST(React, CountsNoTaskThatOnlyAPersonHasHeardOf) {
  ClipRun mistyped = run_at(ClipStep::follow);
  mistyped.wish.task_id = "own";
  mistyped.is_unheard_of = true;
  const Reaction unknown = react(mistyped, TaskUnknown{});
  EXPECT_THAT(lines(unknown), IsEmpty());
  EXPECT_EQ(ending(unknown), "not-submitted no");
  EXPECT_EQ(ending(react(mistyped, TaskUnknown{.known = {genclip::Outcome::paid_unfetched}})),
            "paid-unfetched yes")
      << "another clip's";
  ClipRun known = mistyped;
  known.record.completed_tasks = {"own"};
  EXPECT_EQ(ending(react(known, TaskUnknown{})), "paid-unfetched yes");
  EXPECT_THAT(lines(react(mistyped, TaskKnown{{.status = kDone, .amount = 2}})),
              ElementsAre("unfetched own attached", "settle own completed $2 attached"));
  EXPECT_THAT(lines(react(mistyped, TaskKnown{{.amount = 2}})), IsEmpty());
}

// A record without a reservation is one of a task that a person had named in an earlier run.
TEST(React, CountsNoTaskThatAPersonHasNamedBefore) {
  ClipRun run = run_at(ClipStep::follow);
  run.record.reserved_at.clear();
  EXPECT_THAT(lines(react(run, TaskUnknown{})), ElementsAre("unknown own attached"));
}

// Finding M6: a folder that vanished while its task ran was paid again silently.
TEST(React, AsksForTheTasksOfTheLedgerWhereTheFolderIsGone) {
  ClipRun fresh;
  Reaction reaction =
      react(fresh, TurnBegins{.open = {.tasks = {{.id = "old"}, {.id = "new"}}, .unanswered = 1}});
  EXPECT_EQ(reaction.run.step, ClipStep::ask);
  EXPECT_EQ(reaction.run.asked, "new");
  const Reaction known = react(reaction.run, TaskKnown{});
  EXPECT_EQ(known.run.step, ClipStep::follow);
  EXPECT_EQ(known.run.record.task_id, "new");
  EXPECT_THAT(known.run.record.unfetched_tasks, ElementsAre("old"));

  reaction = react(reaction.run, TaskUnknown{});
  EXPECT_EQ(reaction.run.asked, "old");
  reaction = react(reaction.run, TaskUnknown{});
  EXPECT_EQ(reaction.run.step, ClipStep::submit);
  reaction = react(reaction.run, SubmitBegins{});
  EXPECT_THAT(reaction.warnings, ElementsAre(ClipWarning::unanswered_submits, ClipWarning::unknown_tasks));
  EXPECT_THAT(reaction.run.record.unfetched_tasks, ElementsAre("old", "new"));
}

// Its journal may be lost, with the folder or out of it. (What was never sent is released before the turn.)
TEST(React, IsInDoubtOfAReservationWithoutAJournal) {
  const TurnBegins turn{.open = {.unanswered = 1, .reserved_at = "2026-01-01T00:00:00.000Z"}};
  ClipRun careful;
  careful.wish.may_submit = MaySubmit::unless_in_doubt;
  const Reaction reaction = react(careful, turn);
  EXPECT_EQ(reaction.run.step, ClipStep::stay_in_doubt);
  EXPECT_THAT(lines(reaction), IsEmpty());
  EXPECT_TRUE(reaction.write);
  EXPECT_EQ(reaction.run.record.reserved_at, turn.open.reserved_at);
}

TEST(React, WarnsOfAClipThatHasLeftTheStoreBeforeItIsPaidAgain) {
  const TurnBegins turn{.open = {.stored = OpenTask{.id = "old", .amount = 2}}};
  const auto warnings = [&](const ClipRun &run, const TurnBegins &begins) {
    const Reaction begun = react(run, begins);
    EXPECT_EQ(begun.run.step, ClipStep::submit);
    EXPECT_FALSE(begun.write) << "there is nothing to journal";
    return react(begun.run, SubmitBegins{}).warnings;
  };
  EXPECT_THAT(warnings({}, turn), ElementsAre(ClipWarning::paid_before));
  ClipRun anew;
  anew.wish.reuse = false;
  EXPECT_THAT(warnings(anew, turn), IsEmpty()) << "a new one is wanted";
  TurnBegins refused = turn;
  refused.found = ClipRecord{};
  refused.found->state = ClipState::refused;
  EXPECT_THAT(warnings({}, refused), ElementsAre(ClipWarning::paid_before)) << "the run that pays says so";
}

TEST(React, WarnsOnceOfWhatIsSubmittedTwice) {
  ClipRun fresh;
  Reaction reaction = react(fresh, TurnBegins{.open = {.unanswered = 1}});
  reaction = react(reaction.run, SubmitBegins{});
  EXPECT_THAT(reaction.warnings, ElementsAre(ClipWarning::unanswered_submits));
  reaction = react(reaction.run, SubmitRefused{"later", 429, true, 5});
  EXPECT_EQ(reaction.run.step, ClipStep::submit);
  EXPECT_THAT(react(reaction.run, SubmitBegins{}).warnings, IsEmpty());
}

TEST(React, WarnsOfASubmitWithoutAnAnswerUntilAClipIsStored) {
  ClipRecord found;
  found.state = ClipState::ambiguous;
  Reaction reaction = react(ClipRun{}, TurnBegins{.found = found});
  reaction = react(reaction.run, SubmitBegins{});
  EXPECT_THAT(reaction.warnings, ElementsAre(ClipWarning::unanswered_submits));
  reaction = react(reaction.run, SubmitAccepted{"T"});
  reaction = react(reaction.run, TaskKnown{{.status = kDone}});
  reaction = react(reaction.run, ClipFetched{});
  ClipRun anew;
  anew.wish.reuse = false;
  reaction = react(anew, TurnBegins{.found = completed(reaction.run.record)});
  ASSERT_EQ(reaction.run.step, ClipStep::submit);
  EXPECT_THAT(react(reaction.run, SubmitBegins{}).warnings, IsEmpty());
}

// The task that was on its way is the one that the next run follows.
TEST(React, GoesBackToWhatTheJournalSaidWhereANamedTaskFails) {
  ClipRecord found;
  found.state = ClipState::submitted;
  found.task_id = "own";
  found.reserved_at = "2026-01-01T00:00:00.000Z";
  ClipRun run;
  run.wish.task_id = "named";
  Reaction reaction = react(run, TurnBegins{.found = found});
  reaction = react(reaction.run, TaskKnown{{.status = ClipStatus::processing}});
  ASSERT_EQ(reaction.run.record.task_id, "named");
  reaction = react(reaction.run, TaskFailed{"moderated"});
  EXPECT_TRUE(reaction.write);
  EXPECT_EQ(reaction.run.record.task_id, "own");
  EXPECT_EQ(reaction.run.record.state, ClipState::submitted);
  EXPECT_THAT(reaction.run.record.earlier_tasks, ElementsAre("named"));
}

// They may bring a clip yet, unless this run has paid for it again, with a warning about them.
TEST(React, ForgetsUnknownTasksOnlyWhereItHasPaidAnew) {
  ClipRun run = run_at(ClipStep::follow);
  run.unknown = {"old"};
  run.record.unfetched_tasks = {"old", "other"};
  EXPECT_THAT(react(run, ClipFetched{}).run.record.unfetched_tasks, ElementsAre("old", "other"));
  run.has_paid = true;
  EXPECT_THAT(react(run, ClipFetched{}).run.record.unfetched_tasks, ElementsAre("other"));
}

TEST(React, KeepsSubmittingWhileTheRequestIsSentAgain) {
  const auto on_its_way = [](const ClipView &view) {
    GenerationState state;
    static_cast<ClipView &>(state) = view;
    return state.is_submitting();
  };
  Reaction reaction = react(run_at(ClipStep::submit), SubmitBegins{});
  EXPECT_TRUE(on_its_way(*reaction.view));
  reaction = react(reaction.run, SubmitRefused{"later", 429, true, 5});
  EXPECT_EQ(reaction.view->status, ClipStatus::submitting);
  EXPECT_EQ(reaction.view->sent_again_in, 5);
  EXPECT_FALSE(on_its_way(*reaction.view)) << "who stops now is charged nothing";
  reaction = react(reaction.run, SubmitBegins{});
  EXPECT_TRUE(on_its_way(*reaction.view));
}

TEST(React, ShowsWhatTheRecordKnows) {
  const ClipRun submits =
      react(run_at(ClipStep::submit), SubmitBegins{.reserved_at = "2026-01-01T00:00:00.000Z"}).run;
  EXPECT_EQ(react(run_at(ClipStep::submit), SubmitBegins{}).view->status, ClipStatus::submitting);
  Reaction reaction = react(submits, SubmitAccepted{"T"});
  EXPECT_EQ(reaction.view->status, ClipStatus::queued);
  EXPECT_EQ(reaction.view->task_id, "T");
  EXPECT_TRUE(reaction.view->charged);
  EXPECT_FALSE(reaction.view->reused);
  EXPECT_FALSE(reaction.view->completed);
  reaction = react(reaction.run, TaskKnown{{.status = kDone, .progress = 100}});
  EXPECT_TRUE(reaction.view->completed);
  EXPECT_EQ(reaction.view->status, ClipStatus::processing) << "it was, though nobody saw it";
  reaction = react(reaction.run, FetchBegins{});
  EXPECT_EQ(reaction.view->status, ClipStatus::downloading);
  EXPECT_EQ(reaction.run.record.status, "downloading");
  reaction = react(reaction.run, TaskFailed{"No.", {.amount = 2}});
  EXPECT_EQ(reaction.view->amount, 2) << "told at last, of what was completed";
  EXPECT_TRUE(reaction.view->completed);
}

}  // namespace
}  // namespace genclip::test
