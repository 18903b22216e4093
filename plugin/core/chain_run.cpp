// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/core/chain_run.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

namespace genclip {
namespace {

bool is_unpaid(const ChainLink &link) {
  return link.state != LinkState::under_way && link.state != LinkState::stored;
}

// The links that stand before an unpaid request of which this run needs the clip, and that request.
// `through`: whether a link in that state is made by a request which this run would send.
template <typename Through>
std::vector<bool> needed(const std::vector<ChainLink> &links, Through through) {
  std::vector<bool> needed(links.size(), false);
  needed.back() = true;
  for (size_t i = links.size(); i-- > 0;) {
    const bool is_request = i + 1 == links.size();
    if (!needed[i] || !(is_request || through(links[i]))) continue;
    for (const size_t before : links[i].needs) needed[before] = true;
  }
  return needed;
}

// The link to be made next; the request itself, if all that it needs is there.
size_t next_of(const ChainRun &run) {
  // What stands before an unfetched one may not be needed: its own run makes it, if it finds no task.
  const auto is_sent = [](const ChainLink &link) {
    return is_unpaid(link) && link.state != LinkState::unfetched;
  };
  const std::vector<bool> is_needed = needed(run.links, is_sent);
  const auto first_of = [&](auto is_wanted) {
    size_t first = 0;
    while (first + 1 < run.links.size() && !(is_needed[first] && is_wanted(run.links[first]))) ++first;
    return first;
  };
  // To ask for a task costs nothing unless it has failed, and its answer may put the link in doubt.
  if (run.wish.may_submit != MaySubmit::even_in_doubt) {
    const size_t asked = first_of([](const ChainLink &link) { return link.state == LinkState::unfetched; });
    if (asked + 1 < run.links.size()) return asked;
  }
  return first_of([](const ChainLink &link) { return link.state != LinkState::stored; });
}

bool is_request_itself(const ChainRun &run, size_t link) { return link + 1 == run.links.size(); }

int stored_before(const ChainRun &run, size_t link) {
  const auto &needs = run.links[link].needs;
  return static_cast<int>(std::count_if(needs.begin(), needs.end(), [&](size_t before) {
    return run.links[before].state == LinkState::stored;
  }));
}

std::vector<std::optional<Estimate>> prices_of(const ChainRun &run) {
  std::vector<std::optional<Estimate>> prices;
  for (const size_t request : requests_of(run)) prices.push_back(run.links[request].estimate);
  return prices;
}

double spent(const ChainRun &run) { return run.wish.paid_before + run.paid + run.untold; }

// The next step, where all that could be known has been judged.
void go_on(ChainRun &run) {
  run.link = next_of(run);
  const bool makes = !is_request_itself(run, run.link);
  if (makes && !run.has_tried_publishing)
    run.step = ChainStep::try_publishing;
  else if (makes ? !run.has_published_files : !run.has_published)
    run.step = ChainStep::publish;
  else
    run.step = makes ? ChainStep::make : ChainStep::submit;
}

void learn(ChainRun &run, const LinksSeen &seen) {
  assert(run.step == ChainStep::look && seen.links.size() == run.links.size());
  for (size_t i = 0; i < run.links.size(); ++i) {
    run.links[i].state = seen.links[i].state;
    run.links[i].estimate = seen.links[i].estimate;
    run.links[i].submitted_at = seen.links[i].submitted_at;
  }
  run.budget = seen.budget;
  // A request alone, of which no other run pays a part, is asked for right before it is sent.
  if (run.links.size() > 1 || spent(run) > 0)
    run.refusal =
        chain_refusal(prices_of(run), run.wish.max_amount, seen.account, run.budget, spent(run), seen.now);
  const std::vector<bool> is_needed = needed(run.links, is_unpaid);
  for (run.link = 0; !is_request_itself(run, run.link); ++run.link) {
    const LinkState state = run.links[run.link].state;
    if (!is_needed[run.link] || state == LinkState::stored) continue;
    if (run.made[run.link]) return void(run.step = ChainStep::miss);
    if (state == LinkState::in_doubt && run.wish.may_submit != MaySubmit::even_in_doubt)
      return void(run.step = ChainStep::stay_in_doubt);
  }
  run.link = next_of(run);
  run.to_judge.clear();
  for (const size_t request : requests_of(run)) {
    // The run that makes a link judges it with the clips that it is made of, before it pays.
    const bool judges_itself = request == run.link && !is_request_itself(run, request);
    const int known = run.judged_with[request];
    if (known < 0 || (stored_before(run, request) > known && !judges_itself)) run.to_judge.push_back(request);
  }
  run.step = ChainStep::judge;
}

void learn(ChainRun &run, const RequestsJudged &) {
  assert(run.step == ChainStep::judge);
  for (const size_t request : run.to_judge) run.judged_with[request] = stored_before(run, request);
  if (run.refusal) return void(run.step = ChainStep::refuse);
  go_on(run);
}

void learn(ChainRun &run, const PublishingTried &) {
  assert(run.step == ChainStep::try_publishing);
  run.has_tried_publishing = true;
  go_on(run);
}

void learn(ChainRun &run, const MediaPublished &) {
  assert(run.step == ChainStep::publish);
  run.has_published_files = true;
  run.has_published = is_request_itself(run, run.link);
  go_on(run);
}

void learn(ChainRun &run, const LinkPaid &paid) {
  assert(run.step == ChainStep::make);
  run.current = paid;
}

void count_current(ChainRun &run) {
  const LinkPaid paid = std::exchange(run.current, LinkPaid());
  run.paid += paid.amount;
  run.tasks.insert(run.tasks.end(), paid.tasks.begin(), paid.tasks.end());
  run.charged = run.charged || paid.charged;
  if (!paid.charged || paid.is_told) return;
  const auto &estimate = run.links[run.link].estimate;
  run.untold += estimate ? estimate->high : run.budget.assumed_price;
}

void learn(ChainRun &run, const LinkMade &) {
  assert(run.step == ChainStep::make);
  run.made[run.link] = true;
  count_current(run);
  run.step = ChainStep::look;
}

void learn(ChainRun &run, const LinkFailed &failed) {
  assert(run.step == ChainStep::make);
  // Its task may have cost nothing, though there was one.
  run.current.charged = failed.charged == Charged::yes;
  count_current(run);
  run.step = ChainStep::end;
}

}  // namespace

ChainRun begin_chain(const ChainWish &wish, std::vector<std::vector<size_t>> needs) {
  ChainRun run;
  run.wish = wish;
  for (std::vector<size_t> &before : needs) run.links.push_back({std::move(before)});
  run.made.assign(needs.size(), false);
  run.judged_with.assign(needs.size(), -1);
  return run;
}

ChainRun react_chain(ChainRun run, const ChainEvent &event) {
  std::visit([&](const auto &what) { learn(run, what); }, event);
  return run;
}

std::vector<size_t> requests_of(const ChainRun &run) {
  const std::vector<bool> is_needed = needed(run.links, is_unpaid);
  std::vector<size_t> requests;
  for (size_t i = 0; i + 1 < run.links.size(); ++i)
    if (is_needed[i] && is_unpaid(run.links[i])) requests.push_back(i);
  requests.push_back(run.links.size() - 1);
  return requests;
}

ChainView view_of(const ChainRun &run) {
  ChainView view;
  const bool makes = run.step == ChainStep::make || run.step == ChainStep::end;
  view.link = makes ? run.link + 1 : 0;
  view.links = run.links.size();
  view.amount = run.paid + run.current.amount;
  view.charged = run.charged || run.current.charged;
  view.tasks = run.tasks;
  view.tasks.insert(view.tasks.end(), run.current.tasks.begin(), run.current.tasks.end());
  if (const auto total = total_of(prices_of(run))) view.estimate = total->likely;
  return view;
}

std::vector<size_t> links_to_hold(const std::vector<ChainLink> &links) {
  const std::vector<bool> is_needed =
      needed(links, [](const ChainLink &link) { return link.state != LinkState::stored; });
  std::vector<size_t> held;
  for (size_t i = 0; i + 1 < links.size(); ++i)
    if (is_needed[i]) held.push_back(i);
  return held;
}

std::optional<Decision> chain_refusal(const std::vector<std::optional<Estimate>> &to_pay,
                                      const ClipLimit &max_amount, const Account &account,
                                      const Budget &budget, double spent, UtcTime now) {
  const bool is_chain = to_pay.size() > 1 || spent > 0;
  Account reserved = account;
  for (size_t i = 0; i < to_pay.size(); ++i) {
    Decision decision =
        decide(reserved, budget, clip_spending(budget, is_chain ? ClipLimit() : max_amount, to_pay[i]), now);
    if (decision.verdict == Verdict::refuse) {
      if (i > 0) decision.text += " This counts the clips of the chain that are to be paid before it.";
      return decision;
    }
    LedgerEntry reserve;
    reserve.event = LedgerEvent::reserve;
    reserve.at = now;
    reserve.key = std::to_string(i);
    reserve.estimate = to_pay[i];
    static_cast<void>(reserved.apply(reserve));
  }
  if (!is_chain) return std::nullopt;
  auto total = total_of(to_pay, budget.assumed_price);
  if (total) total->high += spent;
  Decision decision = decide(Account(), Budget(), clip_spending(Budget(), max_amount, total), now);
  if (decision.verdict != Verdict::refuse) return std::nullopt;
  decision.spent = spent;
  decision.text += " This is the cost of the whole chain: of its clips that are not stored";
  decision.text += spent > 0 ? ", and of those that this run has paid for." : ".";
  return decision;
}

}  // namespace genclip
