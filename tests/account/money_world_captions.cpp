// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The runs of captions. A run's first answer takes the most tokens, later ones as many or fewer: of that
// alone the limit of tokens speaks.
#include <functional>

#include "plugin/account/decision.h"
#include "tests/account/money_world.h"
#include "tests/account/sample_entries.h"

namespace genclip::test {
namespace {

using Step = CaptionRun::Step;

constexpr uint64_t kMost = 2;
constexpr uint64_t kMostUnanswered = 2;

LedgerEntry line_of(const std::string &key, int day) {
  LedgerEntry entry;
  entry.event = LedgerEvent::captions;
  entry.at = noon_of(day);
  entry.key = key;
  entry.model = "m";
  return entry;
}

Decision decide_on(const Account &account, const MoneyWorld &world, const CaptionAsk &ask) {
  return decide(account, world.rules.budget, caption_spending(ask), noon_of(world.day));
}

bool is_used_up(const MoneyWorld &world) {
  const UtcDay today = day_of(noon_of(world.day));
  const Sums sums = world.account.sums({today, today + std::chrono::days(1)}, 0);
  const auto reaches = [](double used, double limit) { return limit > 0 && used >= limit; };
  const Budget &budget = world.rules.budget;
  return reaches(sums.spent.requests + sums.reserved.requests, budget.requests_per_day) ||
         reaches(sums.spent.tokens + sums.reserved.tokens + kMost - 1, budget.tokens_per_day);
}

// As Ledger::lease_captions() does it. `is_told`: the process lives to hear of it.
void lease(MoneyWorld &world, size_t index, uint64_t wanted, bool is_told) {
  Captioner &one = world.captioners[index];
  const CaptionRun::Report report = one.run.begin_report(wanted);
  LedgerEntry entry = line_of(one.key, world.day);
  static_cast<CaptionUse &>(entry.captions) = report.use;
  write(world, entry);
  CaptionAsk ask = report.ask;
  ask.most_of_model = kMost;
  Decision decision;
  decision.reserves = caption_spending(ask).unanswered;
  if (wanted > 0) {
    decision = decide_on(world.account, world, ask);
    const Decision again = decide_on(world.condensed, world, ask);
    if (again.verdict != decision.verdict || again.reserves != decision.reserves)
      accuse(world, "another verdict with the summary: " + again.text);
  }
  const CaptionHold hold = hold_of(decision);
  if (decision.verdict == Verdict::wait && ask.unanswered == 0) accuse(world, "waits for nothing");
  if (wanted > 0 && decision.verdict == Verdict::allow &&
      (hold.held_requests == 0 || hold.held_requests > wanted))
    accuse(world, "grants another number of requests");
  if (decision.verdict == Verdict::refuse && !is_used_up(world)) accuse(world, "refuses where there is room");
  LedgerEntry held = line_of(one.key, world.day);
  static_cast<CaptionHold &>(held.captions) = hold;
  write(world, held);
  if (!is_told) return begin_run(world, index);
  one.run.allowed(hold, day_of(entry.at), kMost);
  one.left = hold.held_requests;
  one.is_refused = decision.verdict == Verdict::refuse;
}

void end(MoneyWorld &world, size_t index, uint64_t tokens, bool is_told) {
  world.taken += tokens;
  Captioner &one = world.captioners[index];
  one.run.ended({is_told, tokens, 0, tokens});
  if (is_told && tokens > 0) one.is_answered = true;
}

}  // namespace

void begin_run(MoneyWorld &world, size_t index) {
  Captioner &one = world.captioners[index];
  // What was not answered may have been taken all the same.
  world.taken += one.run.unanswered() * kMost;
  one = {};
  one.run = CaptionRun(world.rules.most_tokens);
  one.key = "run" + std::to_string(world.runs++);
}

std::string caption_text(const MoneyWorld &world) {
  std::string all;
  const auto add = [&all](uint64_t number) { all += "," + std::to_string(number); };
  for (const uint64_t number : {world.sent[0], world.sent[1], world.taken}) add(number);
  const UtcDay today = day_of(noon_of(world.day));
  for (const Captioner &one : world.captioners) {
    CaptionRun run = one.run;
    add(run.used_tokens());
    add(static_cast<uint64_t>(run.next(today)));
    add(one.sent_on);
    CaptionRun ahead = one.run;
    for (uint64_t i = 0; i <= world.rules.wanted_requests; ++i) {
      add(ahead.next(today) == Step::send);
      ahead.began();
      add(CaptionRun(ahead).begin_report(0).use.requests);
    }
    const CaptionRun::Report report = run.begin_report(0);
    all += "|" + one.key + (one.is_refused ? "r" : "");
    for (const uint64_t number : {one.left, report.ask.unanswered, report.ask.most_of_run,
                                  report.use.requests, report.use.tokens(), report.use.untold})
      add(number);
  }
  for (const auto &[run, block] : world.account.caption_blocks()) {
    all += "|" + run + day_text(block.of.day);
    add(block.held_requests);
    add(block.held_tokens);
  }
  for (const auto &[of, use] : world.account.captions_used()) {
    all += "|" + day_text(of.day);
    add(use.requests);
    add(use.tokens());
  }
  return all;
}

void add_caption_steps(const MoneyWorld &world, std::vector<MoneyStep> &steps) {
  const auto add = [&](const std::string &event, const std::function<void(MoneyWorld &)> &change) {
    MoneyWorld next = world;
    change(next);
    steps.push_back({event, std::move(next)});
  };
  const UtcDay today = day_of(noon_of(world.day));
  for (size_t index = 0; index < world.captioners.size(); ++index) {
    const Captioner &one = world.captioners[index];
    const std::string who = one.key + " ";
    const Step step = one.run.next(today);
    if (step == Step::wait && one.run.unanswered() == 0)
      add(who + "hangs", [](MoneyWorld &next) { accuse(next, "waits for ever"); });
    if (step == Step::ask && !one.is_refused) {
      add(who + "asks", [&](MoneyWorld &next) { lease(next, index, next.rules.wanted_requests, true); });
      add(who + "dies when it has asked",
          [&](MoneyWorld &next) { lease(next, index, next.rules.wanted_requests, false); });
      add(who + "cannot write", [&](MoneyWorld &next) {
        static_cast<void>(next.captioners[index].run.begin_report(next.rules.wanted_requests));
        next.captioners[index].run.not_reported();
      });
    }
    if (step == Step::send && one.run.unanswered() < kMostUnanswered)
      add(who + "sends", [&](MoneyWorld &next) {
        Captioner &sender = next.captioners[index];
        if (sender.left == 0) accuse(next, "sends what it was not granted");
        sender.run.began();
        --sender.left;
        sender.sent_on = next.day;
        ++next.sent[next.day];
      });
    if (one.run.unanswered() > 0) {
      add(who + "gets all", [&](MoneyWorld &next) { end(next, index, kMost, true); });
      add(who + "is refused by the gateway", [&](MoneyWorld &next) { end(next, index, 0, true); });
      // Of several that have no answer yet all are of one day.
      add(who + "does not reach the gateway", [&](MoneyWorld &next) {
        Captioner &sender = next.captioners[index];
        --next.sent[sender.sent_on];
        ++sender.left;
        sender.run.ended({true, 0, 0, 0, false});
      });
      add(who + "hears nothing", [&](MoneyWorld &next) { end(next, index, kMost, false); });
      if (one.is_answered) add(who + "gets less", [&](MoneyWorld &next) { end(next, index, 1, true); });
    } else if (one.run.has_anything_to_report()) {
      add(who + "stops", [&](MoneyWorld &next) {
        lease(next, index, 0, true);
        if (next.account.caption_blocks().contains(next.captioners[index].key))
          accuse(next, "holds something after its end");
        begin_run(next, index);
      });
    }
    add(who + "dies", [&](MoneyWorld &next) { begin_run(next, index); });
  }
}

std::string broken_caption_promise(const MoneyWorld &world) {
  double tokens = 0;
  for (int day = 0; day < 2; ++day) {
    const UtcDay begin = day_of(noon_of(day));
    const Sums sums = world.account.sums({begin, begin + std::chrono::days(1)}, 0);
    const Sums same = world.condensed.sums({begin, begin + std::chrono::days(1)}, 0);
    const std::string which = " of day " + std::to_string(day);
    const double requests = sums.spent.requests + sums.reserved.requests;
    const double counted = sums.spent.tokens + sums.reserved.tokens;
    if (same.spent.requests + same.reserved.requests != requests ||
        same.spent.tokens + same.reserved.tokens != counted)
      return "other sums of captions with the summary" + which;
    tokens += counted;
    if (static_cast<double>(world.sent[day]) > requests)
      return "the ledger knows fewer requests than were sent" + which;
    const auto exceeds = [](double number, double limit) { return limit > 0 && number > limit; };
    if (exceeds(requests, world.rules.budget.requests_per_day)) return "more requests than the limit" + which;
    if (exceeds(counted, world.rules.budget.tokens_per_day)) return "more tokens than the limit" + which;
  }
  if (static_cast<double>(world.taken) > tokens) return "the ledger knows fewer tokens than were taken";
  for (const Captioner &one : world.captioners)
    if (world.rules.most_tokens > 0 && one.run.used_tokens() > world.rules.most_tokens)
      return "more tokens than max-tokens in a run";
  return {};
}

}  // namespace genclip::test
