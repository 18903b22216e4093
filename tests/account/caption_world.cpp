// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A run's first answer takes the most tokens, later ones as many or fewer: of that alone the limit of tokens
// speaks.
#include "tests/account/caption_world.h"

#include <functional>

#include "plugin/account/caption_decision.h"
#include "tests/account/sample_entries.h"

namespace genclip::test {
namespace {

using Step = CaptionRun::Step;

constexpr uint64_t kMost = 2;
constexpr uint64_t kMostUnanswered = 2;

UtcTime noon_of(int day) { return at(day == 0 ? "2026-11-30T12:00:00.000Z" : "2026-12-01T12:00:00.000Z"); }

LedgerEntry line_of(const std::string &key, int day) {
  LedgerEntry entry;
  entry.event = LedgerEvent::captions;
  entry.at = noon_of(day);
  entry.key = key;
  entry.model = "m";
  return entry;
}

void accuse(CaptionWorld &world, const std::string &violation) {
  if (world.violation.empty()) world.violation = violation;
}

// As Ledger::lease_captions() does it. `is_told`: the process lives to hear of it.
void lease(CaptionWorld &world, size_t process, uint64_t wanted, bool is_told) {
  CaptionProcess &one = world.processes[process];
  const CaptionRun::Report report = one.run.begin_report(wanted);
  LedgerEntry entry = line_of(one.key, world.day);
  static_cast<CaptionUse &>(entry.captions) = report.use;
  CaptionAccount before = world.account;
  before.apply(entry);
  CaptionAsk ask = report.ask;
  ask.most_of_model = kMost;
  CaptionDecision decision;
  if (wanted > 0)
    decision = decide_captions(before.of_day(day_of(entry.at)), world.budget, ask, entry.at);
  else
    decision.held_tokens = ask.unanswered * kMost;
  if (decision.verdict == Verdict::wait && ask.unanswered == 0) accuse(world, "waits for nothing");
  if (wanted > 0 && decision.verdict == Verdict::allow &&
      (decision.held_requests == 0 || decision.held_requests > wanted))
    accuse(world, "grants another number of requests");
  static_cast<CaptionHold &>(entry.captions) = decision;
  world.account.apply(entry);
  if (!is_told) {
    world.begin_run(process);
    return;
  }
  one.run.allowed(decision, day_of(entry.at), kMost);
  one.left = decision.held_requests;
  one.is_refused = decision.verdict == Verdict::refuse;
  if (one.is_refused) {
    const CaptionCounts day = before.of_day(day_of(entry.at));
    const auto holds = [](uint64_t used, double limit) {
      return limit > 0 && used >= static_cast<uint64_t>(limit);
    };
    if (!holds(day.requests + day.held_requests, world.budget.requests_per_day) &&
        !holds(day.tokens() + day.held_tokens + kMost - 1, world.budget.tokens_per_day))
      accuse(world, "refuses where there is room");
  }
}

void end(CaptionWorld &world, size_t process, uint64_t tokens, bool is_told) {
  world.taken += tokens;
  CaptionProcess &one = world.processes[process];
  one.run.ended({is_told, tokens, 0, tokens});
  if (is_told && tokens > 0) one.is_answered = true;
}

}  // namespace

CaptionWorld caption_world(const Budget &budget, size_t processes, uint64_t max_tokens) {
  CaptionWorld world;
  world.budget = budget;
  world.max_tokens = max_tokens;
  world.processes.resize(processes);
  for (size_t process = 0; process < processes; ++process) world.begin_run(process);
  return world;
}

void CaptionWorld::begin_run(size_t process) {
  // What was not answered may have been taken all the same.
  taken += processes[process].run.unanswered() * kMost;
  processes[process] = {};
  processes[process].run = CaptionRun(max_tokens);
  processes[process].key = "run" + std::to_string(runs++);
}

std::string CaptionWorld::text() const {
  std::string all = std::to_string(day) + violation;
  const auto add = [&all](uint64_t number) { all += "," + std::to_string(number); };
  for (const uint64_t number : {sent[0], sent[1], taken}) add(number);
  for (const CaptionProcess &process : processes) {
    CaptionRun run = process.run;
    add(run.used_tokens());
    add(static_cast<uint64_t>(run.next(day_of(noon_of(day)))));
    add(process.sent_on);
    CaptionRun ahead = process.run;
    for (uint64_t i = 0; i <= wanted; ++i) {
      add(ahead.next(day_of(noon_of(day))) == Step::send);
      ahead.began();
      add(CaptionRun(ahead).begin_report(0).use.requests);
    }
    const CaptionRun::Report report = run.begin_report(0);
    all += "|" + process.key + (process.is_refused ? "r" : "") + (account.holds(process.key) ? "h" : "");
    for (const uint64_t number : {process.left, report.ask.unanswered, report.ask.most_of_run,
                                  report.use.requests, report.use.tokens(), report.use.untold})
      add(number);
  }
  for (const LedgerEntry &hold : account.holds()) all += ledger_line(hold);
  for (const auto &[of, use] : account.used()) {
    all += "|" + day_text(of.day);
    add(use.requests);
    add(use.tokens());
  }
  return all;
}

std::vector<CaptionStep> steps_of(const CaptionWorld &world) {
  std::vector<CaptionStep> steps;
  const auto add = [&](const std::string &event, const std::function<void(CaptionWorld &)> &change) {
    CaptionWorld next = world;
    change(next);
    steps.push_back({event, std::move(next)});
  };
  const UtcDay today = day_of(noon_of(world.day));
  for (size_t process = 0; process < world.processes.size(); ++process) {
    const CaptionProcess &one = world.processes[process];
    const std::string who = one.key + " ";
    const Step step = one.run.next(today);
    if (step == Step::wait && one.run.unanswered() == 0)
      add(who + "hangs", [](CaptionWorld &next) { accuse(next, "waits for ever"); });
    if (step == Step::ask && !one.is_refused) {
      add(who + "asks", [&](CaptionWorld &next) { lease(next, process, next.wanted, true); });
      add(who + "dies when it has asked",
          [&](CaptionWorld &next) { lease(next, process, next.wanted, false); });
      add(who + "cannot write", [&](CaptionWorld &next) {
        static_cast<void>(next.processes[process].run.begin_report(next.wanted));
        next.processes[process].run.not_reported();
      });
    }
    if (step == Step::send && one.run.unanswered() < kMostUnanswered)
      add(who + "sends", [&](CaptionWorld &next) {
        CaptionProcess &sender = next.processes[process];
        if (sender.left == 0) accuse(next, "sends what it was not granted");
        sender.run.began();
        --sender.left;
        sender.sent_on = next.day;
        ++next.sent[next.day];
      });
    if (one.run.unanswered() > 0) {
      add(who + "gets all", [&](CaptionWorld &next) { end(next, process, kMost, true); });
      add(who + "is refused by the gateway", [&](CaptionWorld &next) { end(next, process, 0, true); });
      // Of several that have no answer yet all are of one day.
      add(who + "does not reach the gateway", [&](CaptionWorld &next) {
        CaptionProcess &sender = next.processes[process];
        --next.sent[sender.sent_on];
        ++sender.left;
        sender.run.ended({true, 0, 0, 0, false});
      });
      add(who + "hears nothing", [&](CaptionWorld &next) { end(next, process, kMost, false); });
      if (one.is_answered) add(who + "gets less", [&](CaptionWorld &next) { end(next, process, 1, true); });
    } else if (one.run.has_anything_to_report()) {
      add(who + "stops", [&](CaptionWorld &next) {
        lease(next, process, 0, true);
        if (next.account.holds(next.processes[process].key)) accuse(next, "holds something after its end");
        next.begin_run(process);
      });
    }
    add(who + "dies", [&](CaptionWorld &next) { next.begin_run(process); });
  }
  if (world.day == 0)
    add("a new day", [](CaptionWorld &next) {
      ++next.day;
      for (CaptionProcess &one : next.processes) one.is_refused = false;
    });
  return steps;
}

std::string broken_promise(const CaptionWorld &world) {
  if (!world.violation.empty()) return world.violation;
  uint64_t tokens = 0;
  for (int day = 0; day < 2; ++day) {
    const CaptionCounts counts = world.account.of_day(day_of(noon_of(day)));
    const std::string which = " of day " + std::to_string(day);
    tokens += counts.tokens() + counts.held_tokens;
    const uint64_t requests = counts.requests + counts.held_requests;
    if (world.sent[day] > requests) return "the ledger knows fewer requests than were sent" + which;
    const auto exceeds = [](uint64_t number, double limit) {
      return limit > 0 && static_cast<double>(number) > limit;
    };
    if (exceeds(requests, world.budget.requests_per_day)) return "more requests than the limit" + which;
    if (exceeds(counts.tokens() + counts.held_tokens, world.budget.tokens_per_day))
      return "more tokens than the limit" + which;
  }
  if (world.taken > tokens) return "the ledger knows fewer tokens than were taken";
  for (const CaptionProcess &process : world.processes)
    if (world.max_tokens > 0 && process.run.used_tokens() > world.max_tokens)
      return "more tokens than max-tokens in a run";
  return {};
}

}  // namespace genclip::test
