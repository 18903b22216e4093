// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The run's side is react(), react_chain(), decide() and what the ledger and journals tell each other; what
// ClipWork, ChainWork and ClipAccount do between these is written here without its I/O, and the promises from
// the contract.
#include "tests/generation/chain_money_world.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>

#include "plugin/account/decision.h"
#include "plugin/core/clip_charges.h"
#include "plugin/generation/chain_plan.h"
#include "plugin/generation/paid_amount.h"

namespace genclip::test {
namespace {

constexpr char kBefore[] = "before";

ChargeFacts facts_of(const std::string &key) {
  ChargeFacts facts;
  facts.key = key;
  facts.model = "m";
  facts.api = "tasks";
  facts.base_url = "https://api.example";
  return facts;
}

std::string key_of(size_t clip) { return "clip" + std::to_string(clip); }

void accuse(ChainMoneyWorld &world, const std::string &violation) {
  if (world.violation.empty() && !world.is_dead) world.violation = violation;
}

template <typename Tasks>
bool has(const Tasks &tasks, const std::string &id) {
  return std::ranges::any_of(tasks, [&](const auto &task) {
    if constexpr (requires { task.id; })
      return task.id == id;
    else
      return task == id;
  });
}

ChainTask *find(ChainMoneyWorld &world, const std::string &id) {
  const auto found = std::ranges::find(world.tasks, id, &ChainTask::id);
  return found == world.tasks.end() ? nullptr : &*found;
}

// A clip that the store's requests paid for and that nobody has, as far as the service goes.
bool is_owed(const ChainTask &task) { return !task.has_failed && !task.is_fetched && !task.is_settled; }

ChainLevel &top_of(ChainMoneyWorld &world) { return world.levels.back(); }
ChainFolder &folder_of(ChainMoneyWorld &world, const ChainLevel &level) { return world.clips[level.clip()]; }

// ---- What can fail.

// Before each write: false when the process has died.
bool is_alive_to_write(ChainMoneyWorld &world) {
  if (world.is_dead) return false;
  world.is_dead = world.dies_before == world.writes++;
  return !world.is_dead;
}

bool works(ChainMoneyWorld &world) { return world.fails_at != world.trials++; }

void write_journal(ChainMoneyWorld &world, ChainFolder &folder, const ClipRecord &record) {
  if (!is_alive_to_write(world)) return;
  folder.disk = record;
  folder.unsent.clear();
}

// The lines of one step are appended at once.
void write_ledger(ChainMoneyWorld &world, size_t clip, const std::vector<LedgerEntry> &entries) {
  if (entries.empty() || !is_alive_to_write(world)) return;
  for (LedgerEntry entry : entries) {
    const UtcTime at = entry.at;
    static_cast<ChargeFacts &>(entry) = facts_of(key_of(clip));
    entry.at = at;
    if (!world.account.apply(entry)) accuse(world, "the account did not take a line");
  }
}

// ---- The ledger.

// What became of the charges of runs that have died. The count of lines.
size_t bury(ChainMoneyWorld &world, size_t clip, const std::optional<ClipRecord> &record, bool is_under_way,
            bool is_waited_for = false, const std::string &unsent = {}) {
  std::vector<LedgerEntry> entries;
  for (const Charge &charge : world.account.charges())
    if (charge.key == key_of(clip) && (is_under_way ? charge.is_under_way() : charge.is_open()))
      for (LedgerEntry &entry : entries_after_death(charge, record, is_waited_for, unsent))
        entries.push_back(std::move(entry));
  write_ledger(world, clip, entries);
  return entries.size();
}

size_t bury_by_folder(ChainMoneyWorld &world, size_t clip, bool is_waited_for) {
  const ChainFolder &folder = world.clips[clip];
  return bury(world, clip, folder.disk, false, is_waited_for, folder.disk ? "" : folder.unsent);
}

// Of all clips at which no run is at work.
size_t reconcile(ChainMoneyWorld &world, const std::vector<std::string> &waited_for = {}) {
  size_t written = 0;
  for (size_t clip = 0; clip < world.clips.size(); ++clip) {
    const bool is_at_work =
        std::ranges::any_of(world.levels, [&](const ChainLevel &level) { return level.clip() == clip; });
    const bool is_any = std::ranges::any_of(world.account.charges(), [&](const Charge &charge) {
      return charge.key == key_of(clip) && charge.is_under_way();
    });
    if (!is_at_work && is_any)
      written += bury_by_folder(world, clip, std::ranges::count(waited_for, key_of(clip)) > 0);
  }
  return written;
}

std::optional<Estimate> estimate_of(const ChainMoneyWorld &world, size_t clip) {
  return estimate_price(world.account.prices(), facts_of(key_of(clip)));
}

// The earliest moment that names no other charge of the clip.
UtcTime free_moment(const ChainMoneyWorld &world, const ChainLevel &level) {
  std::set<std::string> used;
  for (const auto &record : {world.clips[level.clip()].disk, level.run.found})
    for (const ClipRecord *one = record ? &*record : nullptr; one; one = one->replaced.get())
      used.insert(one->reserved_at);
  for (const Charge &charge : world.account.charges())
    if (charge.key == key_of(level.clip()) && charge.state != ChargeState::released)
      used.insert(utc_text(charge.at));
  UtcTime at = {};
  while (used.contains(utc_text(at))) at += std::chrono::milliseconds(1);
  return at;
}

// The latest of that moment: those of charges that were released are used again.
const Charge *charge_of(const ChainMoneyWorld &world, size_t clip, const std::string &reserved_at) {
  const auto &charges = world.account.charges();
  const auto found = std::find_if(charges.rbegin(), charges.rend(), [&](const Charge &charge) {
    return charge.key == key_of(clip) && utc_text(charge.at) == reserved_at;
  });
  return found == charges.rend() ? nullptr : &*found;
}

double counted(const ChainMoneyWorld &world, const Charge &charge) {
  return charge.spent() + charge.reserved(world.rules->budget.assumed_price);
}

// What it has cost beyond what it was thought to.
double excess(const ChainMoneyWorld &world, const Charge &charge) {
  if (charge.key == kBefore || !charge.amount) return 0;
  const double thought = charge.estimate ? charge.estimate->high : world.rules->budget.assumed_price;
  return std::max(0.0, *charge.amount - thought);
}

// ---- How a run ends.

// Empty, if a run that ends in that state lists its tasks as the ledger has them.
std::string wrong_list(const ChainMoneyWorld &world, const GenerationState &state, bool goes_on) {
  std::map<std::string, double> due, said;  // Credits by task; below 0: not told.
  std::set<std::string> goes_on_due, goes_on_said;
  for (const auto &[clip, reserved_at] : world.reserved) {
    const Charge *charge = charge_of(world, clip, reserved_at);
    if (!charge || charge->state == ChargeState::released || charge->task_id.empty()) continue;
    if (charge->amount || charge->status == "completed")
      due[charge->task_id] = charge->amount.value_or(-1);
    else if (charge->is_under_way())
      goes_on_due.insert(charge->task_id);
  }
  double sum = 0;
  for (const PaidTask &task : paid_tasks(state)) {
    if (task.is_under_way)
      goes_on_said.insert(task.id);
    else
      sum += std::max(said[task.id] = task.amount, 0.0);
  }
  const auto text_of = [](const std::map<std::string, double> &tasks) {
    std::string text;
    for (const auto &[id, amount] : tasks) text += " " + id + ":" + amount_text(amount);
    return text;
  };
  if (said != due) return "the ending lists the paid tasks" + text_of(said) + ", not" + text_of(due);
  if (sum != paid_amount(state)) return "the ending says that it has paid " + amount_text(paid_amount(state));
  if (goes_on && goes_on_said != goes_on_due) return "the ending lists other tasks that go on";
  return "";
}

// Submits of the world = charges of the ledger = what the ending says.
void check_end(ChainMoneyWorld &world, const GenerationState &state, const std::optional<Error> &error) {
  unsigned charges = 0;
  double paid = 0, limited = 0;
  bool is_any_sure = false, is_any_open = false;
  for (const auto &[clip, reserved_at] : world.reserved) {
    const Charge *charge = charge_of(world, clip, reserved_at);
    if (!charge) return accuse(world, "a submit without a charge");
    if (charge->state == ChargeState::released) continue;
    ++charges;
    limited += counted(world, *charge) - excess(world, *charge);
    if (charge->is_under_way() && charge->task_id.empty())
      accuse(world, "a charge stays reserved after its run");
    if (!charge->task_id.empty()) paid += charge->spent();
    const bool is_free = charge->status == "failed" && charge->spent() <= 0;
    const bool is_sure = !charge->task_id.empty() && charge->state != ChargeState::unknown && !is_free;
    is_any_sure = is_any_sure || is_sure;
    is_any_open = is_any_open || charge->state == ChargeState::unknown ||
                  (charge->status == "failed" && !charge->amount);
  }
  if (charges != world.sent)
    accuse(world, std::to_string(world.sent) + " requests may have been accepted, the ledger has " +
                      std::to_string(charges));
  const double limit = world.rules->max_amount;
  if (limit > 0 && !fits(limited, limit)) accuse(world, "the run has paid more than max-amount");

  double said = paid_amount(state);
  Charged charged = state.charged ? Charged::yes : Charged::no;
  bool goes_on = false;
  if (error) {
    said = 0;
    for (const ErrorDetail &detail : error->details) {
      if (const auto *amount = std::get_if<double>(&detail.value); amount && detail.name == "amount")
        said = *amount;
      if (const auto *word = std::get_if<std::string>(&detail.value); word && detail.name == "outcome")
        goes_on = *word == to_word(Outcome::running);
    }
    charged = charged_of(*error);
  }
  if (said != paid)
    accuse(world,
           "the ending says that it has paid " + amount_text(said) + ", the ledger " + amount_text(paid));
  if (const std::string wrong = wrong_list(world, state, goes_on); !wrong.empty()) accuse(world, wrong);
  if (is_any_sure && charged != Charged::yes)
    accuse(world,
           std::string("the ending says that it is charged: ") + to_word(charged) + ", a task is paid");
  if (is_any_open && charged == Charged::no) accuse(world, "the ending says that nothing can be charged");
}

void let_go(ChainMoneyWorld &world) {
  for (ChainFolder &folder : world.clips) folder.is_held = false;
}

void end_process(ChainMoneyWorld &world) {
  world.levels.clear();
  world.reserved.clear();
  world.sent = 0;
  let_go(world);
}

// As make_link() has it.
LinkPaid paid_for(const GenerationState &state) {
  const bool lacks_amount = state.charged && !state.reused && state.amount < 0;
  return {paid_amount(state), !lacks_amount, state.charged, paid_tasks(state)};
}

void learn(ChainLevel &level, const ChainEvent &event) {
  level.chain = react_chain(std::move(*level.chain), event);
  if (level.plan.size() == 1) return;
  const ChainView view = view_of(*level.chain);
  level.state.links_amount = view.amount;
  level.state.link_tasks = view.tasks;
  if (view.charged != level.state.links_charged)
    level.state.charged = level.state.links_charged = view.charged;
}

// The runs that wait for the innermost one see what it has paid.
void show(ChainMoneyWorld &world) {
  for (size_t i = world.levels.size(); i-- > 1;) {
    if (world.levels[i].state.status == ClipStatus::idle) continue;
    learn(world.levels[i - 1], paid_for(world.levels[i].state));
    world.levels[i - 1].state.status = ClipStatus::preparing;
  }
}

LinkState hold(ChainMoneyWorld &world, size_t clip) {
  ChainFolder &folder = world.clips[clip];
  if (!folder.disk || !whole_clip_of(*folder.disk)) return LinkState::absent;
  folder.is_held = true;
  return LinkState::stored;
}

void fail(ChainMoneyWorld &world, Error error) {
  while (!world.levels.empty()) {
    ChainLevel &level = top_of(world);
    error = with_ending(std::move(error), ending_of(level.run, error));
    if (level.state.links_charged) error = with_charge(std::move(error));
    level.state.status = ClipStatus::failed;
    show(world);
    const GenerationState state = level.state;
    world.levels.pop_back();
    if (world.levels.empty()) {
      check_end(world, state, with_paid(error, state));
      return end_process(world);
    }
    learn(top_of(world), LinkFailed{charged_of(error)});
  }
}

void succeed(ChainMoneyWorld &world, bool is_removed_at_once = false) {
  ChainLevel &level = top_of(world);
  level.state.status = ClipStatus::completed;
  show(world);
  const GenerationState state = level.state;
  const size_t clip = level.clip();
  world.levels.pop_back();
  if (world.levels.empty()) {
    check_end(world, state, std::nullopt);
    return end_process(world);
  }
  if (is_removed_at_once) world.clips[clip] = {.phantoms = world.clips[clip].phantoms};
  hold(world, clip);
  learn(top_of(world), LinkMade{});
}

// ---- What a run does.

void note_warnings(ChainMoneyWorld &world, const Reaction &reaction) {
  ChainLevel &level = top_of(world);
  const auto tell = [&](const std::string &id) {
    if (ChainTask *task = find(world, id)) task->is_failure_told = true;
  };
  for (const ClipWarning warning : reaction.warnings) {
    if (warning == ClipWarning::unknown_tasks) std::ranges::for_each(level.run.unknown, tell);
    if (warning == ClipWarning::failed_tasks)
      for (const FailedTask &task : level.run.failed) tell(task.id);
    const bool is_of_doubt = warning == ClipWarning::unanswered_submits ||
                             warning == ClipWarning::unknown_tasks ||
                             (warning == ClipWarning::failed_tasks &&
                              std::ranges::any_of(level.run.failed, &FailedTask::was_completed));
    if (!is_of_doubt) continue;
    level.has_warned = true;
    if (world.rules->may_submit != MaySubmit::even_in_doubt)
      accuse(world, "submitted in doubt by a run that must not");
  }
}

// As ClipWork::learn() does it.
void apply(ChainMoneyWorld &world, const ClipEvent &event) {
  ChainLevel &level = top_of(world);
  const ClipStep before = level.run.step;
  Reaction reaction = react(std::move(level.run), event);
  level.run = std::move(reaction.run);
  const bool has_ended =
      std::holds_alternative<TaskFailed>(event) || std::holds_alternative<TaskUnknown>(event);
  if (has_ended && before == ClipStep::follow)
    if (ChainTask *task = find(world, level.run.record.task_id)) task->is_failure_told = true;
  if (reaction.tells_first) write_ledger(world, level.clip(), std::exchange(reaction.ledger, {}));
  if (reaction.write) write_journal(world, folder_of(world, level), level.run.record);
  for (const LedgerEntry &entry : reaction.ledger)
    if (entry.task_id.empty() || entry.event == LedgerEvent::submitted) level.reserved_at.clear();
  write_ledger(world, level.clip(), reaction.ledger);
  if (reaction.view) {
    static_cast<ClipView &>(level.state) = *reaction.view;
    level.state.charged = reaction.view->charged || level.state.links_charged;
    show(world);
  }
  note_warnings(world, reaction);
}

// Likewise; a run that goes no further ends.
void answer(ChainMoneyWorld &world, const ClipEvent &event) {
  apply(world, event);
  if (top_of(world).run.step == ClipStep::end) fail(world, {ErrorKind::read});
}

void plan(const ChainMoneyRules &rules, size_t clip, std::vector<size_t> &planned) {
  for (const size_t before : rules.needs[clip])
    if (std::ranges::find(planned, before) == planned.end()) plan(rules, before, planned);
  planned.push_back(clip);
}

void start(ChainMoneyWorld &world, size_t clip, double paid_before) {
  ChainLevel level;
  plan(*world.rules, clip, level.plan);
  level.paid_before = paid_before;
  level.run.wish.may_submit = world.rules->may_submit;
  world.levels.push_back(std::move(level));
  const ChainFolder &folder = world.clips[clip];
  TurnBegins turn;
  turn.found = folder.disk;
  if (turn.found && !turn.found->reserved_at.empty()) bury(world, clip, turn.found, false);
  if (!turn.found && !folder.unsent.empty()) bury(world, clip, std::nullopt, false, false, folder.unsent);
  if (!turn.found)
    turn.open = open_charges(world.account, key_of(clip));
  else if (!unfetched_tasks_of(*turn.found).empty())
    turn.open = completed_charges(world.account, key_of(clip));
  apply(world, turn);
  if (top_of(world).run.is_of_ledger) bury(world, clip, top_of(world).run.found, false);
}

// As ChainWork::look() does it.
void look(ChainMoneyWorld &world) {
  ChainLevel &level = top_of(world);
  LinksSeen seen;
  seen.links.resize(level.plan.size());
  if (level.plan.size() > 1 || level.paid_before > 0) {
    if (world.rules->budget.limits_many()) reconcile(world);
    for (size_t i = 0; i < level.plan.size(); ++i) {
      const size_t clip = level.plan[i];
      const auto &disk = world.clips[clip].disk;
      if (i + 1 < level.plan.size())
        seen.links[i] = disk ? link_of(disk) : link_of(open_charges(world.account, key_of(clip)));
      seen.links[i].needs = level.chain->links[i].needs;
      seen.links[i].estimate = estimate_of(world, level.plan[i]);
    }
    seen.budget = world.rules->budget;
    seen.account = world.account;
    for (const Charge &charge : world.account.charges())
      if (charge.state == ChargeState::reserved &&
          std::ranges::any_of(level.plan, [&](size_t clip) { return key_of(clip) == charge.key; }))
        static_cast<void>(seen.account.apply(LedgerEntry(LedgerEvent::release, charge)));
    for (const size_t link : links_to_hold(seen.links))
      if (seen.links[link].state == LinkState::stored) seen.links[link].state = hold(world, level.plan[link]);
  }
  learn(level, seen);
}

void begin(ChainMoneyWorld &world, ChainLevel &level) {
  std::vector<std::vector<size_t>> needs;
  for (const size_t clip : level.plan) {
    needs.emplace_back();
    for (const size_t before : world.rules->needs[clip])
      needs.back().push_back(static_cast<size_t>(std::ranges::find(level.plan, before) - level.plan.begin()));
    std::ranges::sort(needs.back());
  }
  level.chain = begin_chain({world.rules->max_amount, level.paid_before, world.rules->may_submit}, needs);
}

// As ClipAccount::reserve() does it. False: the run has ended.
bool reserve(ChainMoneyWorld &world) {
  ChainLevel &level = top_of(world);
  const ChainMoneyRules &rules = *world.rules;
  for (bool has_reconciled = false;;) {
    bury(world, level.clip(), level.run.is_of_ledger ? std::nullopt : level.run.found, true);
    const auto estimate = estimate_of(world, level.clip());
    const Decision decision =
        decide(world.account, rules.budget, clip_spending(rules.budget, rules.max_amount, estimate), {});
    if (decision.verdict != Verdict::allow) {
      const bool waits = decision.verdict == Verdict::wait;
      if (world.is_dead) return false;
      if ((!std::exchange(has_reconciled, true) || waits) && reconcile(world, decision.waits_for) > 0)
        continue;
      if (waits) accuse(world, "a run waits for a price that nobody will tell");
      fail(world, refusal_error(decision));
      return false;
    }
    LedgerEntry entry;
    entry.event = LedgerEvent::reserve;
    entry.at = free_moment(world, level);
    entry.estimate = estimate;
    level.reserved_at = utc_text(entry.at);
    ChainFolder &folder = folder_of(world, level);
    if (!folder.disk && is_alive_to_write(world)) folder.unsent = level.reserved_at;
    write_ledger(world, level.clip(), {entry});
    if (const std::pair own(level.clip(), level.reserved_at);
        std::ranges::find(world.reserved, own) == world.reserved.end())
      world.reserved.push_back(own);
    return true;
  }
}

// A judgement, or publishing, that works or ends the run.
void attempt(ChainMoneyWorld &world, const ChainEvent &event) {
  works(world) ? learn(top_of(world), event) : fail(world, {ErrorKind::settings});
}

void take_chain_step(ChainMoneyWorld &world) {
  ChainLevel &level = top_of(world);
  if (!level.chain) begin(world, level);
  switch (level.chain->step) {
    case ChainStep::look: return look(world);
    case ChainStep::judge:
      if (level.chain->to_judge.empty()) return learn(level, RequestsJudged{});
      return attempt(world, RequestsJudged{});
    case ChainStep::try_publishing: return attempt(world, PublishingTried{});
    case ChainStep::publish: return attempt(world, MediaPublished{});
    case ChainStep::make: {
      const ChainRun &chain = *level.chain;
      return start(world, level.plan[chain.link], chain.wish.paid_before + chain.paid + chain.untold);
    }
    case ChainStep::refuse: return fail(world, refusal_error(*level.chain->refusal));
    case ChainStep::stay_in_doubt:
      return fail(world, with_ending(unknown_submit(0), {Outcome::unknown, Charged::maybe, false}));
    case ChainStep::miss:
    case ChainStep::end: return fail(world, {ErrorKind::not_found});
    case ChainStep::submit:
      for (const size_t before : world.rules->needs[level.clip()])
        if (!world.clips[before].is_held) accuse(world, "a request is sent whose link is not held");
      if (reserve(world)) apply(world, SubmitBegins{0, top_of(world).reserved_at, {}});
  }
}

// False: the service is to answer.
bool take_step(ChainMoneyWorld &world) {
  ChainLevel &level = top_of(world);
  switch (level.run.step) {
    case ClipStep::submit:
      if (level.run.is_submitting) return false;
      take_chain_step(world);
      return true;
    case ClipStep::follow:
    case ClipStep::ask: return false;
    case ClipStep::serve:
      static_cast<ClipView &>(level.state) = {.status = ClipStatus::completed, .reused = true};
      succeed(world);
      return true;
    case ClipStep::stay_in_doubt: fail(world, {ErrorKind::read}); return true;
    default: accuse(world, "a step that no run beside another one takes"); return false;
  }
}

void go_on(ChainMoneyWorld &world) {
  while (!world.is_dead && world.violation.empty() && !world.levels.empty() && take_step(world)) {
  }
}

// ---- What a submit costs.

ChainTask &pay(ChainMoneyWorld &world) {
  ChainLevel &level = top_of(world);
  if (!world.clips[level.clip()].file.empty()) accuse(world, "paid though a whole clip was to be served");
  size_t number = 0;
  for (ChainTask &task : world.tasks) {
    if (task.clip != level.clip()) continue;
    ++number;
    const bool is_free = task.is_price_told && task.price <= 0;
    if (task.is_told && task.has_failed && !is_free && !task.is_failure_told)
      accuse(world, "paid again, and did not tell that " + task.id + " failed");
    if (!is_owed(task)) continue;
    if (!level.has_warned) accuse(world, "paid again without a warning while " + task.id + " was paid");
    if (world.rules->may_submit != MaySubmit::even_in_doubt)
      accuse(world, "paid again in doubt while " + task.id + " was paid");
    if (task.is_told && !has(level.run.unknown, task.id) && !has(level.run.failed, task.id))
      accuse(world, "paid anew while " + task.id + " was to be had");
    task.is_warned_of = true;
  }
  ++world.sent;
  ChainTask task;
  task.clip = level.clip();
  task.id = std::to_string(level.clip()) + "." + std::to_string(number);
  return world.tasks.emplace_back(std::move(task));
}

// ---- Events.

class ChainMoneySteps {
 public:
  explicit ChainMoneySteps(const ChainMoneyWorld &world) : world_(world) {}

  std::vector<ChainMoneyStep> take() {
    add_removals();
    if (world_.levels.empty()) {
      if (world_.clips.back().file.empty())
        add(false, "run", [](ChainMoneyWorld &world) { start(world, world.clips.size() - 1, 0); });
      return std::move(steps_);
    }
    const ChainLevel &top = world_.levels.back();
    name_ = std::to_string(top.clip()) + " ";
    if (top.run.step == ClipStep::submit)
      add_answers_to_submit();
    else if (top.downloads)
      add_downloads();
    else
      add_answers_to_query();
    return std::move(steps_);
  }

 private:
  using Change = std::function<void(ChainMoneyWorld &)>;

  const ChainMoneyRules &rules() const { return *world_.rules; }

  ChainMoneyWorld after(bool is_setback, const Change &change, std::optional<unsigned> dies_before,
                        std::optional<unsigned> fails_at) const {
    ChainMoneyWorld world = world_;
    world.dies_before = dies_before;
    world.fails_at = fails_at;
    if (is_setback && rules().most_setbacks != kAnySetbacks) ++world.setbacks;
    change(world);
    go_on(world);
    if (world.is_dead) end_process(world);
    return world;
  }

  void add(const std::string &event, ChainMoneyWorld world) {
    world.writes = world.trials = 0;
    world.dies_before.reset();
    world.fails_at.reset();
    world.is_dead = false;
    steps_.push_back({name_ + event, std::move(world)});
  }

  // The same with a death before each write, and with each failure of what it leads to.
  void add(bool is_setback, const std::string &event, const Change &change) {
    const unsigned left = rules().most_setbacks - world_.setbacks;
    if (is_setback && left == 0) return;
    ChainMoneyWorld world = after(is_setback, change, {}, {});
    const unsigned writes = world.writes, trials = world.trials;
    add(event, std::move(world));
    if (left == 0) return;
    for (unsigned i = 0; i < writes; ++i)
      add(event + ", and is killed before write " + std::to_string(i), after(true, change, i, {}));
    for (unsigned i = 0; i < trials; ++i)
      add(event + ", and judging or publishing fails, " + std::to_string(i), after(true, change, {}, i));
  }

  // Whoever removes a folder takes with it what only that knew.
  static void vanish(ChainMoneyWorld &world, size_t clip) {
    world.clips[clip] = {.phantoms = world.clips[clip].phantoms};
    const bool has_unanswered = open_charges(world.account, key_of(clip)).unanswered > 0;
    for (ChainTask &task : world.tasks) {
      if (task.clip != clip) continue;
      if (!task.is_told && !has_unanswered) task.is_settled = true;
      const Charge *charge = world.account.find(task.id);
      if (!charge) task.is_told = false;
      if (!charge || !charge->amount) task.is_price_kept = false;
      task.is_failure_told |= charge && charge->status == "failed";
    }
    for (const Charge &charge : world.account.charges())
      if (charge.key == key_of(clip) && charge.state == ChargeState::reserved) ++world.clips[clip].phantoms;
  }

  void add_removals() {
    for (size_t clip = 0; clip + 1 < world_.clips.size(); ++clip) {
      const ChainFolder &folder = world_.clips[clip];
      const bool is_at_work =
          std::ranges::any_of(world_.levels, [&](const ChainLevel &level) { return level.clip() == clip; });
      const bool is_there = rules().can_vanish ? folder.disk || !folder.unsent.empty() : !folder.file.empty();
      if (is_there && !folder.is_held && !is_at_work)
        add(true, "the folder of " + std::to_string(clip) + " is removed",
            [clip](ChainMoneyWorld &world) { vanish(world, clip); });
    }
  }

  void add_answers_to_submit() {
    const size_t clip = world_.levels.back().clip();
    add(true, "is killed, and was not accepted", [clip](ChainMoneyWorld &world) {
      ++world.clips[clip].phantoms;
      world.is_dead = true;
    });
    const auto refused = [clip](const SubmitRefused &refusal) {
      return [=](ChainMoneyWorld &world) {
        ++world.clips[clip].phantoms;
        const std::string reserved_at = top_of(world).reserved_at;
        answer(world, refusal);
        // Whoever finds the intent does not know it.
        const auto &disk = world.clips[clip].disk;
        const bool is_intent = disk && disk->state == ClipState::intent && disk->reserved_at == reserved_at;
        if (!world.is_dead || !is_intent) --world.clips[clip].phantoms;
      };
    };
    add(true, "is refused", refused({"refused", 400}));
    add(true, "is not sent", refused({"not sent", 0}));
    add(true, "is refused for now", refused({"later", 429, true}));
    add(true, "gets no answer, and was not accepted", [clip](ChainMoneyWorld &world) {
      ++world.clips[clip].phantoms;
      ++world.sent;
      answer(world, SubmitUnanswered{"cut", 0});
    });
    const auto tasks = std::ranges::count(world_.tasks, clip, &ChainTask::clip);
    if (static_cast<unsigned>(tasks) >= rules().most_tasks) return;
    add(false, "is accepted", [clip](ChainMoneyWorld &world) {
      ChainTask &task = pay(world);
      answer(world, SubmitAccepted{task.id});
      task.is_told = world.clips[clip].disk && world.clips[clip].disk->task_id == task.id;
      // Its links are needed no more.
      if (!world.is_dead && world.levels.size() == 1) let_go(world);
    });
    add(true, "gets no answer, but was accepted", [](ChainMoneyWorld &world) {
      pay(world);
      answer(world, SubmitUnanswered{"cut", 0});
    });
    add(true, "is killed when it was accepted", [](ChainMoneyWorld &world) {
      pay(world);
      world.is_dead = true;
    });
  }

  static ChainTask &asked_task(ChainMoneyWorld &world) {
    const ClipRun &run = top_of(world).run;
    return *find(world, run.step == ClipStep::follow ? run.record.task_id : run.asked);
  }

  // The service may tell of the cost what it has told before, until that is kept for sure.
  static std::vector<double> prices(const ChainTask &task, std::initializer_list<double> possible) {
    if (task.is_price_kept) return {};
    return task.is_price_told ? std::vector{task.price} : std::vector<double>(possible);
  }

  static TaskNews told(ChainTask &task, std::optional<double> amount) {
    if (!amount) return {};
    task.is_price_told = true;
    task.price = *amount;
    return {.amount = *amount};
  }

  static void note_kept(ChainMoneyWorld &world, const std::string &id) {
    if (ChainTask *task = find(world, id); task && !world.is_dead) task->is_price_kept = true;
  }

  void add_answer(bool is_setback, const std::string &event, std::optional<double> amount,
                  const std::function<void(ChainMoneyWorld &, ChainTask &, const TaskNews &)> &hear) {
    add(is_setback, event + (amount ? ", and costs " + amount_text(*amount) : ""),
        [=](ChainMoneyWorld &world) {
          ChainTask &task = asked_task(world);
          const std::string id = task.id;
          hear(world, task, told(task, amount));
          if (amount) note_kept(world, id);
        });
  }

  void add_failures(const ChainTask &task) {
    const auto fail_task = [](ChainMoneyWorld &world, ChainTask &failed, const TaskNews &news) {
      failed.has_failed = !failed.is_completed;
      if (news.amount < 0 && !failed.is_completed) failed.price = failed.is_price_told ? failed.price : 0;
      answer(world, TaskFailed{"failed", news});
    };
    add_answer(true, "hears that it failed", {}, fail_task);
    for (const double price : prices(task, {0, kPrice}))
      if (price > 0 || !task.is_completed) add_answer(true, "hears that it failed", price, fail_task);
  }

  void add_unknown() {
    add_answer(true, "hears that it is unknown", {},
               [](ChainMoneyWorld &world, ChainTask &task, const TaskNews &) {
                 task.is_forgotten = true;
                 answer(world, TaskUnknown{"unknown", 404});
               });
  }

  void add_answers_to_query() {
    const bool follows = world_.levels.back().run.step == ClipStep::follow;
    ChainMoneyWorld copy = world_;
    const ChainTask &task = asked_task(copy);
    add(true, "is killed", [](ChainMoneyWorld &world) { world.is_dead = true; });
    add(true, "gives up waiting", [follows](ChainMoneyWorld &world) {
      follows ? fail(world, {ErrorKind::timed_out}) : answer(world, TaskUnreachable{});
    });
    add_unknown();
    if (task.is_forgotten) return;
    if (!task.is_completed || task.has_failed) add_failures(task);
    if (task.has_failed) return;
    for (const double price : prices(task, {kPrice})) {
      if (!task.is_completed)
        add_answer(true, "hears that it runs", price, [](ChainMoneyWorld &world, ChainTask &, TaskNews news) {
          news.status = ClipStatus::processing;
          answer(world, TaskKnown{news, false});
        });
      add_answer(
          true, "hears of an answer without a status", price,
          [](ChainMoneyWorld &world, ChainTask &, const TaskNews &news) { apply(world, CostTold{news}); });
    }
    const auto complete = [follows](ChainMoneyWorld &world, ChainTask &done, TaskNews news) {
      done.is_completed = true;
      news.status = ClipStatus::completed;
      answer(world, TaskKnown{news, true});
      if (!follows) return;
      top_of(world).downloads = true;
      apply(world, FetchBegins{});
    };
    add_answer(false, "hears that it is completed", {}, complete);
    for (const double price : prices(task, {kPrice, kDear}))
      if (rules().are_some_dear || price != kDear)
        add_answer(price == kDear, "hears that it is completed", price, complete);
  }

  static void fetch(ChainMoneyWorld &world, bool is_removed_at_once) {
    ChainLevel &level = top_of(world);
    ChainFolder &folder = folder_of(world, level);
    const std::string id = level.run.record.task_id;
    apply(world, ClipFetched{});
    ClipRecord record = level.run.record;
    record.clip_name = "clip.mp4";
    record.clip_size = 1;
    record.media_type = "video/mp4";
    // What announces the clip, the rename and the journal after it are one write here: journal_world has
    // them.
    write_journal(world, folder, completed(record));
    if (world.is_dead) return;
    folder.file = id;
    for (ChainTask &task : world.tasks) {
      if (task.id == id) task.is_fetched = true;
      if (task.clip == level.clip() && task.is_warned_of) task.is_settled = true;
    }
    level.run.record = record;
    apply(world, ClipStored{});
    if (!world.is_dead) succeed(world, is_removed_at_once);
  }

  void add_downloads() {
    add(false, "has all", [](ChainMoneyWorld &world) { fetch(world, false); });
    if (rules().can_vanish && world_.levels.size() > 1)
      add(true, "has all, and a person removes it at once",
          [](ChainMoneyWorld &world) { fetch(world, true); });
    add(true, "is killed", [](ChainMoneyWorld &world) { world.is_dead = true; });
    add(true, "cannot download it", [](ChainMoneyWorld &world) { fail(world, {ErrorKind::read}); });
    add_failures(*find(const_cast<ChainMoneyWorld &>(world_), world_.levels.back().run.record.task_id));
    add_unknown();
  }

  const ChainMoneyWorld &world_;
  std::string name_;
  std::vector<ChainMoneyStep> steps_;
};

// ---- The text.

void add_number(std::string &text, double number) {
  text += std::to_string(static_cast<int>(number * 2)) + ",";
}

void add_record(std::string &text, const ClipRecord &record) {
  text += std::to_string(static_cast<int>(record.state)) + record.task_id + "@" +
          (record.reserved_at.empty() ? "" : record.reserved_at.substr(20)) + record.status.substr(0, 1);
  add_number(text, record.amount);
  add_number(text, static_cast<double>(record.unanswered_submits));
  add_number(text, static_cast<double>(record.warned_submits));
  for (const auto *tasks : {&record.unfetched_tasks, &record.completed_tasks, &record.earlier_tasks}) {
    for (const std::string &id : *tasks) text += id + " ";
    text += ";";
  }
  if (record.http_status > 0) text += "h" + std::to_string(record.http_status);
  if (record.replaced) add_record(text += "<", *record.replaced);
}

void add_run(std::string &text, const ClipRun &run) {
  add_number(text, static_cast<int>(run.step));
  add_number(text, static_cast<int>(run.outcome));
  add_number(text, run.amount);
  text += std::string(run.is_of_ledger ? "l" : "") + (run.is_submitting ? "i" : "") +
          (run.has_paid ? "p" : "") + (run.has_warned ? "w" : "") + run.asked + ",";
  for (const std::string &id : run.to_ask) text += id + " ";
  text += ",";
  for (const std::string &id : run.unknown) text += id + " ";
  for (const FailedTask &task : run.failed)
    add_number(text += "!" + task.id + (task.was_completed ? "c" : ""), task.amount);
  for (const OpenTask &task : run.open)
    add_number(text += "?" + task.id + (task.was_completed ? "c" : ""), task.amount);
  add_record(text += "r", run.record);
  if (run.found) add_record(text += "f", *run.found);
  if (run.step == ClipStep::submit) add_record(text += "a", run.attempt);
  if (run.settled) text += run.settled->status + (run.settled->amount ? "$" : "");
}

void add_chain(std::string &text, const ChainRun &chain) {
  text += "|c";
  add_number(text, static_cast<int>(chain.step));
  add_number(text, static_cast<double>(chain.link));
  for (const ChainLink &link : chain.links) {
    add_number(text, static_cast<int>(link.state));
    add_number(text, link.estimate ? link.estimate->high : -1);
  }
  for (const int known : chain.judged_with) add_number(text, known);
  for (const bool made : chain.made) text += made ? "m" : "-";
  for (const double amount : {chain.paid, chain.untold, chain.current.amount}) add_number(text, amount);
  text += std::string(chain.charged ? "c" : "") + (chain.current.charged ? "C" : "") +
          (chain.current.is_told ? "T" : "") + (chain.has_tried_publishing ? "t" : "") +
          (chain.has_published_files ? "f" : "") + (chain.has_published ? "p" : "");
}

void add_state(std::string &text, const GenerationState &state) {
  text += "|s" + state.task_id + (state.reused ? "r" : "") + (state.charged ? "c" : "") +
          (state.links_charged ? "C" : "") + (state.completed ? "d" : "");
  add_number(text, static_cast<int>(state.status));
  add_number(text, state.amount);
  add_number(text, state.links_amount);
  for (const PaidTask &task : state.link_tasks)
    add_number(text += task.id + (task.is_under_way ? "~" : ":"), task.amount);
}

}  // namespace

ChainMoneyWorld chain_money_world(const ChainMoneyRules &rules) {
  ChainMoneyWorld world;
  world.rules = &rules;
  world.clips.resize(rules.needs.size());
  if (!rules.is_priced) return world;
  LedgerEntry entry(LedgerEvent::settle, facts_of(kBefore));
  entry.imported = true;
  entry.task_id = kBefore;
  entry.status = "completed";
  entry.amount = kPrice;
  if (!world.account.apply(entry)) accuse(world, "no history of prices");
  return world;
}

std::string ChainMoneyWorld::text() const {
  std::string text = violation;
  for (const ChainFolder &folder : clips) {
    text += "|" + folder.file + (folder.unsent.empty() ? "" : "U" + folder.unsent.substr(20)) +
            (folder.is_held ? "h" : "") + std::to_string(folder.phantoms);
    if (folder.disk) add_record(text, *folder.disk);
  }
  for (const ChainTask &task : tasks) {
    text += "|" + task.id + (task.is_told ? "t" : "") + (task.is_price_told ? "$" : "") +
            (task.is_price_kept ? "k" : "") + (task.is_completed ? "d" : "") + (task.has_failed ? "f" : "") +
            (task.is_forgotten ? "g" : "") + (task.is_failure_told ? "F" : "") +
            (task.is_fetched ? "h" : "") + (task.is_warned_of ? "w" : "") + (task.is_settled ? "s" : "");
    add_number(text, task.price);
  }
  for (const Charge &charge : account.charges()) {
    if (charge.state == ChargeState::released) continue;
    text += "|" + charge.key + std::to_string(static_cast<int>(charge.state)) + charge.status.substr(0, 1) +
            charge.task_id + utc_text(charge.at).substr(20) + (account.is_unfetched(charge) ? "u" : "");
    add_number(text, charge.amount.value_or(-1));
    add_number(text, charge.estimate ? charge.estimate->high : -1);
  }
  for (const auto &[clip, reserved_at] : reserved)
    text += "/" + std::to_string(clip) + reserved_at.substr(20);
  text += "/" + std::to_string(sent) + "," + std::to_string(setbacks);
  for (const ChainLevel &level : levels) {
    text += "|L" + std::to_string(level.clip()) + (level.downloads ? "d" : "") +
            (level.has_warned ? "!" : "") +
            (level.reserved_at.empty() ? "" : "$" + level.reserved_at.substr(20));
    add_number(text, level.paid_before);
    add_run(text, level.run);
    if (level.chain) add_chain(text, *level.chain);
    add_state(text, level.state);
  }
  return text;
}

std::vector<ChainMoneyStep> steps_of(const ChainMoneyWorld &world) {
  return world.violation.empty() ? ChainMoneySteps(world).take() : std::vector<ChainMoneyStep>();
}

std::string broken_promise(const ChainMoneyWorld &world) {
  if (!world.violation.empty()) return world.violation;
  // Ctrl-C ends it here.
  if (!world.levels.empty())
    if (std::string wrong = wrong_list(world, world.levels.front().state, true); !wrong.empty()) return wrong;
  const Budget &budget = world.rules->budget;
  const bool is_known = world.rules->is_priced || budget.assumed_price > 0;

  // Everything stops here, and somebody looks.
  ChainMoneyWorld looked = world;
  if (!looked.levels.empty() && top_of(looked).run.is_submitting)
    ++folder_of(looked, top_of(looked)).phantoms;
  end_process(looked);
  for (size_t clip = 0; clip < looked.clips.size(); ++clip) bury_by_folder(looked, clip, false);

  const double most = world.rules->are_some_dear || !world.rules->is_priced ? kDear : kPrice;
  double paid = 0, at_most = 0, kept = 0, told = 0;
  size_t tasks = looked.tasks.size(), phantoms = 0;
  for (const ChainTask &task : looked.tasks) {
    // Nobody knows what only a process has heard that died before it wrote it down.
    paid += task.is_price_kept ? task.price : task.has_failed ? 0 : std::min(task.price, kPrice);
    at_most += task.is_price_kept ? task.price : most;
    if (task.is_price_kept) kept += task.price;
    if (task.is_price_told) told += task.price;
  }
  for (const ChainFolder &folder : looked.clips) phantoms += folder.phantoms;
  at_most += static_cast<double>(phantoms) * most;

  for (const ChainMoneyWorld *at : {&world, static_cast<const ChainMoneyWorld *>(&looked)}) {
    double used = 0, beyond = 0;
    for (const Charge &charge : at->account.charges()) {
      used += counted(*at, charge);
      beyond += excess(*at, charge);
    }
    if (budget.total > 0 && is_known && !fits(used - beyond, budget.total))
      return "spent and reserved, " + amount_text(used) +
             ", are above the budget by more than what cost more "
             "than its estimate";
  }
  double counted_now = 0, known = 0;
  size_t charges = 0;
  for (const Charge &charge : looked.account.charges()) {
    if (charge.key == kBefore) continue;
    counted_now += counted(looked, charge);
    known += charge.spent();
    if (charge.is_task()) ++charges;
    if (charge.state == ChargeState::reserved) return "a charge stays reserved though everything has stopped";
  }
  if (charges < tasks || charges > tasks + phantoms)
    return "the service has " + std::to_string(tasks) + " tasks, the ledger " + std::to_string(charges);
  if (is_known && !fits(paid, counted_now))
    return "the service charges " + amount_text(paid) + ", the ledger has " + amount_text(counted_now);
  if (is_known && !fits(counted_now, at_most))
    return "the ledger has " + amount_text(counted_now) + ", though no more than " + amount_text(at_most) +
           " can have been charged";
  if (known < kept || known > told)
    return "the service told the prices of " + amount_text(kept) + ", the ledger knows " + amount_text(known);
  return "";
}

}  // namespace genclip::test
