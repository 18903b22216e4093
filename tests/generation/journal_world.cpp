// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The processes' side is react(), entries_after_death() and open_charges(); everything else is written here
// from the contract. Every task costs 1 credit, or nothing when it fails.
#include "tests/generation/journal_world.h"

#include <algorithm>
#include <functional>
#include <set>

#include "plugin/core/clip_charges.h"
#include "plugin/core/clip_turn.h"

namespace genclip::test {
namespace {

constexpr size_t kMostTasks = 5;
constexpr char kForeign[] = "foreign";
constexpr char kNobodys[] = "nobodys";

std::string text_of(const std::optional<ClipRecord> &record) {
  return record ? record->to_json().to_text() : "-";
}

ServiceTask *find(JournalWorld &world, const std::string &id) {
  const auto found = std::find_if(world.tasks.begin(), world.tasks.end(),
                                  [&](const ServiceTask &task) { return task.id == id; });
  return found == world.tasks.end() ? nullptr : &*found;
}

bool has(const std::vector<std::string> &tasks, const std::string &id) {
  return std::find(tasks.begin(), tasks.end(), id) != tasks.end();
}

// A clip that the store's requests paid for and that nobody has, as far as the service goes.
bool is_owed(const ServiceTask &task) {
  return !task.is_foreign && !task.has_failed && !task.is_fetched && !task.is_settled;
}

void accuse(JournalWorld &world, const std::string &violation) {
  if (world.violation.empty()) world.violation = violation;
}

bool has(const std::vector<FailedTask> &tasks, const std::string &id) {
  return std::any_of(tasks.begin(), tasks.end(), [&](const FailedTask &task) { return task.id == id; });
}

// ---- The folder.

void finish_commit(JournalWorld &world) {
  if (!world.disk || world.disk->state != ClipState::submitted || world.disk->clip_name.empty()) return;
  if (world.part == world.disk->task_id) {
    world.file = world.part;
    world.part.clear();
    world.has_stray = false;
  }
  if (world.file == world.disk->task_id) world.disk = completed(*world.disk);
}

// A submit that may have been charged comes after its warnings.
void settle_warnings(JournalWorld &world) {
  for (ServiceTask &task : world.tasks) task.owes_warning = false;
}

void hold_fetched(JournalWorld &world, const std::string &id) {
  world.is_file_lost = false;
  settle_warnings(world);
  for (ServiceTask &task : world.tasks) {
    if (task.id == id) task.is_fetched = true;
    if (task.is_warned_of) task.is_settled = true;
  }
}

// ---- The ledger.

constexpr char kKey[] = "clip";
constexpr char kBaseUrl[] = "https://api.example";

ChargeFacts facts() {
  ChargeFacts facts;
  facts.key = kKey;
  facts.base_url = kBaseUrl;
  return facts;
}

void write(JournalWorld &world, LedgerEntry entry) {
  entry.key = kKey;
  entry.base_url = kBaseUrl;
  ServiceTask *task = find(world, entry.task_id);
  if (world.is_mute && task && task->is_foreign) task->is_line_lost = true;
  if (!world.is_mute && !world.account.apply(entry)) accuse(world, "the account did not take a line");
}

void tell(JournalWorld &world, const Reaction &reaction) {
  for (LedgerEntry entry : reaction.ledger) {
    if (!world.has_prices && entry.status == "completed") entry.amount = 1;
    write(world, std::move(entry));
  }
}

// What a process that has the clip's lock does with the charges of those that have died.
void bury(JournalWorld &world, const std::optional<ClipRecord> &found, bool is_waited_for = false,
          const std::string &unsent = {}) {
  const std::vector<Charge> charges = world.account.charges();
  for (const Charge &charge : charges)
    if (charge.is_open())
      for (LedgerEntry &entry : entries_after_death(charge, found, is_waited_for, unsent)) {
        if (!world.has_prices && entry.status == "completed") entry.amount = 1;
        write(world, std::move(entry));
      }
}

bool has_charge_under_way(const JournalWorld &world) {
  const auto &charges = world.account.charges();
  return std::any_of(charges.begin(), charges.end(),
                     [](const Charge &charge) { return charge.is_under_way(); });
}

// The same with what the folder says.
void bury_by_folder(JournalWorld &world, bool is_waited_for = false) {
  const bool was_under_way = has_charge_under_way(world);
  bury(world, world.disk, is_waited_for, world.disk ? "" : world.unsent);
  if (was_under_way && !world.disk && !has_charge_under_way(world)) world.unsent.clear();
}

// The earliest moment that names no other charge.
UtcTime free_moment(const JournalWorld &world, const Process &process) {
  std::set<std::string> used;
  for (const auto &record : {world.disk, process.run.found})
    for (const ClipRecord *one = record ? &*record : nullptr; one; one = one->replaced.get())
      used.insert(one->reserved_at);
  for (const Charge &charge : world.account.charges())
    if (charge.state != ChargeState::released) used.insert(utc_text(charge.at));
  UtcTime at = {};
  while (used.contains(utc_text(at))) at += std::chrono::milliseconds(1);
  return at;
}

void reserve(JournalWorld &world, Process &process, const std::optional<ClipRecord> &found) {
  if (!process.reserved_at.empty()) return;
  bury(world, found);
  LedgerEntry entry;
  entry.event = LedgerEvent::reserve;
  entry.at = free_moment(world, process);
  process.reserved_at = process.charged_at = utc_text(entry.at);
  write(world, std::move(entry));
  if (!world.disk) world.unsent = process.reserved_at;
}

// ---- A process.

void end(JournalWorld &world, size_t index) { world.processes[index].reset(); }

void kill(JournalWorld &world, size_t index) {
  const Process &process = *world.processes[index];
  if (process.has_turn && process.run.step == ClipStep::submit && !process.waits) {
    ++world.doubts;
    ++world.phantoms;
    settle_warnings(world);
  }
  end(world, index);
}

// What the ending of a run says of the submit of its own is what became of that submit's charge.
void check_ending(JournalWorld &world, const Process &process) {
  if (process.charged_at.empty() || world.is_mute) return;
  const RunEnding ending = ending_of(process.run, Error{ErrorKind::read});
  const auto &charges = world.account.charges();
  // Moments of charges that were released are used again.
  const auto own = std::find_if(charges.rbegin(), charges.rend(), [&](const Charge &charge) {
    return utc_text(charge.at) == process.charged_at;
  });
  if (own == charges.rend()) return accuse(world, "a submit without a charge");
  const bool is_none = own->state == ChargeState::released;
  if (is_none != (ending.charged == Charged::no) && !(own->status == "failed" && own->spent() <= 0))
    accuse(world, std::string("the ending says that it is charged: ") + to_word(ending.charged) +
                      ", the ledger does not");
}

void note_price(JournalWorld &world, const ClipEvent &event, const ClipRun &before,
                const Reaction &reaction) {
  const auto has_amount = [](const auto &happened) {
    if constexpr (requires { happened.news; }) return happened.news.amount >= 0;
    return false;
  };
  if (!std::visit(has_amount, event)) return;
  const bool asks = before.step == ClipStep::look || before.step == ClipStep::ask;
  const bool follows = before.step == ClipStep::follow;
  const std::string &id = asks ? before.asked : follows ? before.record.task_id : reaction.run.record.task_id;
  ServiceTask *task = find(world, id);
  if (!task) return;
  task->has_price = true;
  // The journal goes back to what it said before a task that has failed, or that somebody named.
  // That a task from a list is the store's own, only the ledger knows.
  const bool may_go_back = !before.wish.task_id.empty() || std::holds_alternative<TaskFailed>(event) ||
                           reaction.run.record.reserved_at.empty();
  const bool is_in_ledger = !world.is_mute && !reaction.ledger.empty();
  task->is_price_kept = task->is_told && (is_in_ledger || (reaction.write && !may_go_back));
}

// Whoever ends without the clip of a task of this store that is known to be completed says that it is paid.
void check_paid(JournalWorld &world, const ClipEvent &event, const ClipRun &before, const ClipRun &run) {
  const bool is_about_task =
      std::holds_alternative<TaskFailed>(event) || std::holds_alternative<TaskUnknown>(event);
  // Of a task that somebody has named, a run believes the service's first word that it has failed.
  const bool is_new = before.is_unheard_of && std::holds_alternative<TaskFailed>(event);
  if (!is_about_task || before.step == ClipStep::look || is_new) return;
  std::vector<std::string> in_vain = run.unknown;
  for (const FailedTask &task : run.failed) in_vain.push_back(task.id);
  // Whoever has paid again has warned of those.
  if (before.step == ClipStep::follow) in_vain = {before.record.task_id};
  const bool is_paid = std::ranges::any_of(in_vain, [&](const std::string &id) {
    const ServiceTask *task = find(world, id);
    return task && !task->is_foreign && task->is_known_done && !task->is_fetched;
  });
  if (is_paid && ending_of(run, Error{ErrorKind::read}).charged != Charged::yes)
    accuse(world, "ended as perhaps not charged for a task that was completed");
}

// From now on the clip of that task is to be had from the service again. (A run that submits at once journals
// this with its intent.)
void note_loss(JournalWorld &world, const ClipEvent &event, const ClipRun &before, const Reaction &reaction) {
  if (!std::holds_alternative<WholeClipMissing>(event) || !reaction.write) return;
  if (ServiceTask *task = find(world, before.whole->task_id)) {
    task->is_fetched = false;
    task->is_known_done = true;
  }
}

// A run that ends without the task that it follows tells it, whatever becomes of the task.
void note_failure(JournalWorld &world, const ClipEvent &event, const ClipRun &before,
                  const Reaction &reaction) {
  const auto tell = [&](const std::string &id) {
    if (ServiceTask *task = find(world, id)) task->is_failure_told = true;
  };
  const bool has_ended =
      std::holds_alternative<TaskFailed>(event) || std::holds_alternative<TaskUnknown>(event);
  if (has_ended && before.step == ClipStep::follow) tell(before.record.task_id);
  // The journal goes back to what it said before a task that somebody named.
  const std::string &named = before.wish.task_id;
  if (ServiceTask *task = find(world, named); task && (!world.disk || world.disk->task_id != named)) {
    const Charge *charge = world.account.find(named);
    task->is_known_done &= (charge && world.account.is_unfetched(*charge)) ||
                           (world.disk && has(world.disk->completed_tasks, named));
  }
  for (const ClipWarning warning : reaction.warnings)
    if (warning == ClipWarning::unknown_tasks)
      std::ranges::for_each(reaction.run.unknown, tell);
    else if (warning == ClipWarning::failed_tasks || warning == ClipWarning::successor_failed)
      for (const FailedTask &task : reaction.run.failed) {
        tell(task.id);
        ServiceTask *known = find(world, task.id);
        if (known && warning == ClipWarning::failed_tasks) known->owes_warning = true;
      }
}

// The events that a run makes of its own.
std::optional<ClipEvent> own_event(const JournalWorld &world, const Process &process) {
  if (process.run.step == ClipStep::submit && !process.waits && !process.run.is_submitting)
    return SubmitBegins{0, process.reserved_at, {}};
  if (process.run.step == ClipStep::serve && world.file != process.run.whole->task_id)
    return WholeClipMissing{};
  return std::nullopt;
}

bool was_stored(const JournalWorld &world, const std::string &id) {
  return std::ranges::any_of(world.tasks,
                             [&](const ServiceTask &task) { return task.id == id && task.is_fetched; });
}

// Who has removed the folder of a clip that is stored and paid for may not know that.
void check_repayment(JournalWorld &world, const ClipEvent &event, const ClipRun &before,
                     const Reaction &reaction) {
  if (!std::holds_alternative<SubmitBegins>(event) || before.has_warned) return;
  const auto warns_of = [&](ClipWarning warning) {
    return std::ranges::find(reaction.warnings, warning) != reaction.warnings.end();
  };
  const auto &found = before.found;
  const bool has_failed = found && (found->state == ClipState::failed || found->state == ClipState::refused);
  if (has_failed && found->amount > 0 && !warns_of(ClipWarning::failed_tasks))
    accuse(world, "a task that failed and has cost something is paid again silently");
  if (!before.wish.reuse) return;
  const bool was_paid = std::ranges::any_of(
      world.tasks, [](const ServiceTask &task) { return task.is_fetched && !task.is_foreign; });
  if (was_paid && reaction.warnings.empty()) accuse(world, "a clip that was stored is paid again silently");
}

// A plain run would follow the task that the journal has. Another one takes its place because somebody named
// it.
void check_displaced(JournalWorld &world, const ClipEvent &event, const Reaction &reaction) {
  if (!std::holds_alternative<TaskKnown>(event)) return;
  const bool is_displaced = reaction.write && world.disk && world.disk->state == ClipState::submitted &&
                            world.disk->task_id != reaction.run.record.task_id;
  const bool is_told =
      std::ranges::find(reaction.warnings, ClipWarning::tasks_displaced) != reaction.warnings.end();
  if (is_displaced && !is_told) accuse(world, "a task that may bring the clip is displaced silently");
  const auto displaced = displaced_tasks(reaction.run);
  if (is_displaced && !has(displaced, world.disk->task_id))
    accuse(world, "the warning does not name the displaced task");
  if (is_told && (displaced.empty() || reaction.run.wish.task_id.empty()))
    accuse(world, "a warning of a displaced task, and there is none");
}

void apply(JournalWorld &world, size_t index, const ClipEvent &event) {
  Process &process = *world.processes[index];
  const ClipRun before = process.run;
  Reaction reaction = react(process.run, event);
  process.run = reaction.run;
  if (before.step == ClipStep::submit && !std::holds_alternative<SubmitBegins>(event))
    process.reserved_at.clear();
  for (const ClipWarning warning : reaction.warnings) {
    if (warning == ClipWarning::unanswered_submits && world.doubts == 0)
      accuse(world, "a warning of submits that cannot have been charged");
    if (warning == ClipWarning::unknown_tasks)
      for (const std::string &id : process.run.unknown)
        if (!find(world, id)) accuse(world, "a task is in the journal that the service never told of");
    const bool is_of_doubt = warning == ClipWarning::unanswered_submits ||
                             warning == ClipWarning::unknown_tasks ||
                             (warning == ClipWarning::failed_tasks && is_undelivered(process.run));
    if (warning == ClipWarning::paid_before && !was_stored(world, process.run.paid_before->id))
      accuse(world, "a warning of a clip that was never stored");
    if (is_of_doubt) {
      process.has_warned = true;
      if (process.run.wish.may_submit != MaySubmit::even_in_doubt)
        accuse(world, "submitted in doubt by a run that must not");
    }
  }
  check_displaced(world, event, reaction);
  check_repayment(world, event, before, reaction);
  if (std::holds_alternative<SubmitUnanswered>(event)) settle_warnings(world);
  if (reaction.write && !before.wish.task_id.empty()) settle_warnings(world);  // Another task is wanted.
  if (reaction.tells_first) {
    if (world.is_mute) return end(world, index);
    tell(world, reaction);
    reaction.ledger.clear();
    if (std::exchange(world.is_cut, false)) return end(world, index);
  }
  if (reaction.write) {
    if (process.run.record.state == ClipState::complete && world.file != process.run.record.task_id &&
        !world.is_file_lost)
      accuse(world, "a journal that is complete without its clip");
    world.disk = process.run.record;
    world.unsent.clear();
  }
  note_price(world, event, before, reaction);
  note_failure(world, event, before, reaction);
  note_loss(world, event, before, reaction);
  tell(world, reaction);
  if (process.run.step == ClipStep::submit && !process.waits && !process.run.is_submitting) {
    if (world.is_mute) return end(world, index);  // The intent comes after the ledger's line.
    process.before_intent = world.disk;
    reserve(world, process, process.run.is_of_ledger ? std::nullopt : process.run.found);
  }
  if (const auto further = own_event(world, process)) return apply(world, index, *further);
  switch (process.run.step) {
    case ClipStep::share_refusal:
      if (world.disk && !is_refusal_of_request(world.disk->http_status))
        accuse(world, "a key's refusal became another run's");
      break;
    case ClipStep::stay_in_doubt:
      if (process.run.wish.may_submit == MaySubmit::even_in_doubt ||
          (world.doubts == 0 && process.run.unknown.empty() && !is_undelivered(process.run)))
        accuse(world, "a run ended in doubt without any");
      break;
    case ClipStep::stay_unsubmitted:
      if (process.run.wish.may_submit != MaySubmit::never) accuse(world, "a run that may submit did not");
      break;
    case ClipStep::serve:
    case ClipStep::share_failure:
    case ClipStep::share_doubt:
    case ClipStep::need_key:
    case ClipStep::end: break;
    default: return;
  }
  check_ending(world, process);
  check_paid(world, event, before, process.run);
  end(world, index);
}

void take_turn(JournalWorld &world, size_t index) {
  finish_commit(world);
  if (world.disk && !world.disk->reserved_at.empty()) bury(world, world.disk);
  Process &process = *world.processes[index];
  process.has_turn = true;
  TurnBegins turn;
  turn.found = world.disk;
  turn.is_news = !process.first_look.empty() && process.first_look != text_of(world.disk);
  turn.first_whole = process.first_whole;
  if (!world.disk && !world.unsent.empty()) {
    if (world.is_mute && has_charge_under_way(world))
      return end(world, index);  // The journal comes after it.
    bury_by_folder(world);
  }
  if (!world.disk) turn.open = open_charges(world.account, kKey, world.has_stray);
  if (world.disk && !unfetched_tasks_of(*world.disk).empty())
    turn.open = completed_charges(world.account, kKey);
  if (world.disk && world.disk->state != ClipState::submitted && !whole_clip_of(*world.disk))
    turn.open.stored = open_charges(world.account, kKey).stored;
  apply(world, index, turn);
  // Who submits has done so when it reserved.
  const auto &now = world.processes[index];
  if (!turn.found && !turn.open.is_empty() && (!now || now->run.step != ClipStep::submit))
    bury(world, world.disk);
}

bool is_locked(const JournalWorld &world) {
  return std::any_of(world.processes.begin(), world.processes.end(),
                     [](const auto &process) { return process && process->has_turn; });
}

void start(JournalWorld &world, size_t index, const RunWish &wish) {
  Process process;
  process.run.wish = wish;
  if (world.disk)
    if (const auto whole = whole_clip_of(*world.disk)) process.first_whole = whole->task_id;
  if (world.disk && is_locked(world)) {
    const auto served = served_without_turn(*world.disk, wish, false, process.first_whole);
    if (served && served->task_id == world.file) return;
  }
  // It leaves no folder behind.
  if (wish.may_submit == MaySubmit::never && !world.disk && open_charges(world.account, kKey).is_empty())
    return;
  const bool waits = is_locked(world);
  if (waits) process.first_look = text_of(world.disk);
  world.processes[index] = std::move(process);
  if (!waits) take_turn(world, index);
}

std::string account_text(const JournalWorld &world) {
  std::string all;
  for (const Charge &charge : world.account.charges())
    if (charge.state != ChargeState::released)
      all += std::to_string(static_cast<int>(charge.state)) + charge.status.substr(0, 1) + charge.task_id +
             utc_text(charge.at).substr(20) + (charge.amount ? "$" : "") +
             (world.account.is_unfetched(charge) ? "u" : "") + ",";
  return all;
}

// ---- What a submit costs.

void pay(JournalWorld &world, const Process &process) {
  if (process.run.wish.may_submit == MaySubmit::never) accuse(world, "paid by a run that must not pay");
  if (process.run.wish.reuse && !world.file.empty())
    accuse(world, "paid though a whole clip was to be served");
  if (process.run.is_news && (!process.run.unknown.empty() || is_undelivered(process.run)))
    accuse(world, "paid anew for a task that was lost while this run waited, before anybody was told");
  for (ServiceTask &task : world.tasks) {
    if (task.is_told && task.has_failed && !task.is_foreign && !task.is_failure_told)
      accuse(world, "paid again, and did not tell that " + task.id + " failed");
    if (task.owes_warning && !has(process.run.failed, task.id) && !has(process.run.unknown, task.id))
      accuse(world, "paid again, and only a run that did not pay told that " + task.id + " failed");
    task.owes_warning = false;
    if (!is_owed(task)) continue;
    if (!process.has_warned) accuse(world, "paid again without a warning while " + task.id + " was paid");
    if (process.run.wish.may_submit != MaySubmit::even_in_doubt)
      accuse(world, "paid again in doubt while " + task.id + " was paid");
    if (task.is_told && !has(process.run.unknown, task.id) && !has(process.run.failed, task.id))
      accuse(world, "paid anew while " + task.id + " was to be had");
    task.is_warned_of = true;
  }
  ServiceTask task;
  task.id = "T" + std::to_string(world.tasks.size());
  world.tasks.push_back(task);
}

// ---- Events.

class Steps {
 public:
  explicit Steps(const JournalWorld &world) : world_(world) {
    looks();
    for (size_t index = 0; index < world.processes.size(); ++index) {
      if (!world.processes[index])
        starts(index);
      else if (!world.processes[index]->has_turn)
        turns(index);
      else
        answers(index);
    }
  }
  std::vector<WorldStep> take() { return std::move(steps_); }

 private:
  using Change = std::function<void(JournalWorld &)>;

  void add(size_t index, const std::string &event, const Change &change) {
    WorldStep step{std::to_string(index) + ": " + event, world_};
    change(step.world);
    steps_.push_back(std::move(step));
  }

  // The same with a death in between: the journal has it, the ledger does not.
  void add_told(size_t index, const std::string &event, const Change &change) {
    add(index, event, change);
    if (account_text(steps_.back().world) == account_text(world_)) return;
    add(index, event + ", and is killed before the ledger is told", [&](JournalWorld &world) {
      world.is_mute = true;
      change(world);
      world.is_mute = false;
      if (!world.processes[index]) return;
      world.processes[index]->reserved_at.clear();
      kill(world, index);
    });
    add(index, event + ", and is killed before the journal is told", [&](JournalWorld &world) {
      world.is_cut = true;
      change(world);
    });
    if (std::exchange(steps_.back().world.is_cut, false)) steps_.pop_back();
  }

  // What the ledger knows is journalled before a turn tells it more; but a task that somebody named is
  // journalled once the service knows it.
  void begin(size_t index, const std::string &event, const RunWish &wish, const Change &change) {
    const bool may_die = world_.can_vanish && wish.task_id.empty();  // Else no turn both journals and tells.
    may_die ? add_told(index, event, change) : add(index, event, change);
  }

  void starts(size_t index) {
    // The two are alike: the second one starts beside the first only.
    if (index == 1 && !world_.processes[0]) return;
    const auto run = [&](const std::string &event, const RunWish &wish) {
      begin(index, event, wish, [&](JournalWorld &world) { start(world, index, wish); });
    };
    run("run", {});
    run("run without a key", {true, "", false});
    run("run --anew", {false, "", true});
    run("run unless in doubt", {true, "", true, MaySubmit::unless_in_doubt});
    run("run task-id=T1", {true, "T1", true});
    if (index == 1) return;
    run("run task-id=foreign", {true, kForeign, true});
    run("run without submitting", {true, "", true, MaySubmit::never});
    run("run --anew task-id=foreign", {false, kForeign, true});
    run("run task-id=nobodys", {true, kNobodys, true});
  }

  // Whoever removes a journal takes with it what only that knew.
  static void vanish(JournalWorld &world, bool is_journal_alone) {
    world.disk.reset();
    settle_warnings(world);
    world.has_stray = is_journal_alone && (world.has_stray || !world.file.empty());
    if (!is_journal_alone) world.unsent.clear();
    world.file.clear();
    world.is_file_lost = false;
    world.part.clear();
    const auto &charges = world.account.charges();
    const bool has_unanswered = open_charges(world.account, kKey).unanswered > 0;
    for (ServiceTask &task : world.tasks) {
      // The ledger takes a task that somebody named for that of an unanswered submit.
      if (!task.is_told && !has_unanswered) task.is_settled = true;
      const Charge *charge = world.account.find(task.id);
      if (!charge) task.is_told = false;
      if (!charge || !charge->amount) task.is_price_kept = false;
      // A run that must not submit has heard of it.
      task.is_failure_told |= charge && charge->status == "failed";
      task.is_known_done &= charge && world.account.is_unfetched(*charge);
    }
    for (const Charge &charge : charges)
      if (charge.state == ChargeState::reserved && utc_text(charge.at) != world.unsent) {
        ++world.doubts;
        ++world.phantoms;
      }
  }

  void looks() {
    if (world_.can_vanish && (world_.disk || !world_.unsent.empty()) && !is_locked(world_))
      add(0, "the folder is removed", [](JournalWorld &world) { vanish(world, false); });
    if (world_.can_vanish && world_.disk && !is_locked(world_))
      add(0, "the journal is removed", [](JournalWorld &world) { vanish(world, true); });
    if (world_.can_vanish && !world_.file.empty() && !is_locked(world_))
      add(0, "the clip's file is removed", [](JournalWorld &world) {
        world.file.clear();
        world.is_file_lost = true;
      });
    if (!is_locked(world_) && has_charge_under_way(world_))
      for (const bool waits : {false, true})
        add(0, waits ? "somebody waits for the price" : "somebody looks at the ledger",
            [waits](JournalWorld &world) { bury_by_folder(world, waits); });
  }

  void turns(size_t index) {
    add(index, "leaves", [&](JournalWorld &world) { end(world, index); });
    if (!is_locked(world_))
      begin(index, "takes its turn", world_.processes[index]->run.wish,
            [&](JournalWorld &world) { take_turn(world, index); });
  }

  void answers(size_t index) {
    const Process &process = *world_.processes[index];
    add(index, "is killed", [&](JournalWorld &world) { kill(world, index); });
    if (process.run.step == ClipStep::submit)
      submits(index);
    else if (process.downloads)
      downloads(index);
    else
      queries(index);
  }

  void submits(size_t index) {
    if (!world_.processes[index]->waits)
      add(index, "is killed before the intent", [&](JournalWorld &world) {
        world.disk = world.processes[index]->before_intent;
        if (!world.disk) world.unsent = world.processes[index]->reserved_at;
        end(world, index);
      });
    if (world_.processes[index]->waits) {
      add(index, "submits again", [&](JournalWorld &world) {
        Process &process = *world.processes[index];
        process.waits = false;
        reserve(world, process, process.run.record);
        apply(world, index, SubmitBegins{0, process.reserved_at, {}});
      });
      return;
    }
    for (const unsigned status : {0u, 400u, 401u})
      add_told(index, "is refused with " + std::to_string(status), [&](JournalWorld &world) {
        apply(world, index, SubmitRefused{"refused", status});
      });
    add_told(index, "is refused for now", [&](JournalWorld &world) {
      world.processes[index]->waits = true;
      apply(world, index, SubmitRefused{"later", 429, true});
    });
    add_told(index, "gets no answer, and was not accepted", [&](JournalWorld &world) {
      ++world.doubts;
      ++world.phantoms;
      apply(world, index, SubmitUnanswered{"cut", 0});
    });
    if (world_.tasks.size() >= kMostTasks) return;
    for (const double price : prices(nullptr))
      add_told(index, "is accepted" + price_text(price), [&](JournalWorld &world) {
        pay(world, *world.processes[index]);
        world.tasks.back().is_told = true;
        apply(world, index, SubmitAccepted{world.tasks.back().id, {.amount = price}});
      });
    for (const double price : prices(nullptr))
      add_told(index, "gets no answer, but was accepted" + price_text(price), [&](JournalWorld &world) {
        pay(world, *world.processes[index]);
        ++world.doubts;
        // The journal tells the ledger.
        world.tasks.back().has_price = world.tasks.back().is_price_kept = price >= 0;
        apply(world, index, SubmitUnanswered{"cut", 0, {.amount = price}});
      });
    add(index, "is killed when it was accepted", [&](JournalWorld &world) {
      pay(world, *world.processes[index]);
      ++world.doubts;
      end(world, index);
    });
  }

  void queries(size_t index) {
    const Process &process = *world_.processes[index];
    const bool follows = process.run.step == ClipStep::follow;
    const std::string id = follows ? process.run.record.task_id : process.run.asked;
    const auto known = std::find_if(world_.tasks.begin(), world_.tasks.end(),
                                    [&](const ServiceTask &task) { return task.id == id; });
    // The service may deny any task, for a time or for ever.
    add_told(index, "hears that " + id + " is unknown", [&](JournalWorld &world) {
      apply(world, index, TaskUnknown{"unknown", 404, known_task(world.account, facts(), id)});
    });
    add(index, "cannot ask for " + id, [&](JournalWorld &world) { apply(world, index, TaskUnreachable{}); });
    if (known == world_.tasks.end()) return;
    for (const double price : prices(&*known)) hears(index, *known, id, price);
  }

  // With any answer the service may tell an amount, and may leave it out later.
  std::vector<double> prices(const ServiceTask *task) const {
    if (!world_.has_prices || (task && task->has_price)) return {-1};
    return {-1, 1};
  }
  static std::string price_text(double price) { return price < 0 ? "" : ", and costs 1"; }

  void hears(size_t index, const ServiceTask &task, const std::string &id, double price) {
    const bool follows = world_.processes[index]->run.step == ClipStep::follow;
    const TaskNews news{.amount = price};
    if (price >= 0)
      add_told(index, "hears an error about " + id + price_text(price),
               [&](JournalWorld &world) { apply(world, index, CostTold{news}); });
    TaskNews done = news;
    done.status = ClipStatus::completed;
    if (!task.has_failed)
      add_told(index, "hears that " + id + " is completed" + price_text(price), [&](JournalWorld &world) {
        ServiceTask &told = *find(world, id);
        told.is_done = true;
        told.is_known_done = true;
        world.processes[index]->downloads = follows;
        apply(world, index, TaskKnown{done, true});
        if (follows) apply(world, index, FetchBegins{});
      });
    if (!task.has_failed && !task.is_done && (!follows || price >= 0))
      add_told(index, "hears that " + id + " is processing" + price_text(price), [&](JournalWorld &world) {
        apply(world, index, TaskKnown{news, false});
      });
    // The service may take back what it has said. What was completed once is paid.
    if (!task.is_fetched)
      add_told(index, "hears that " + id + " failed" + price_text(price), [&](JournalWorld &world) {
        ServiceTask &told = *find(world, id);
        told.has_failed = !told.is_known_done;
        apply(world, index, TaskFailed{"failed", news});
      });
  }

  // Cut, expired or refused, a download ends like a kill: the journal keeps the task.
  void downloads(size_t index) {
    const std::string id = world_.processes[index]->run.record.task_id;
    add(index, "finds the URL expired",
        [&](JournalWorld &world) { world.processes[index]->downloads = false; });
    const auto announce = [index, id](JournalWorld &world) {
      Reaction reaction = react(world.processes[index]->run, ClipFetched{});
      world.processes[index]->run = reaction.run;
      ClipRecord record = std::move(reaction.run.record);
      record.clip_name = "clip.mp4";
      record.clip_size = 1;
      record.media_type = "video/mp4";
      world.disk = std::move(record);
      world.part = id;
      hold_fetched(world, id);
    };
    add(index, "has all, and is killed before the rename", [&](JournalWorld &world) {
      announce(world);
      end(world, index);
    });
    add(index, "has all, and is killed after the rename", [&](JournalWorld &world) {
      announce(world);
      world.file = std::move(world.part);
      world.part.clear();
      end(world, index);
    });
    add(index, "has all", [&](JournalWorld &world) {
      announce(world);
      finish_commit(world);
      ClipRun &run = world.processes[index]->run;
      run.record = *world.disk;
      apply(world, index, ClipStored{});
    });
  }

  const JournalWorld &world_;
  std::vector<WorldStep> steps_;
};

// ---- Promises about what a run would do now.

// A run beside nobody, with a service that answers honestly. The number of its payments.
unsigned run_honestly(JournalWorld &world, const RunWish &wish) {
  const size_t before = world.tasks.size();
  start(world, 0, wish);
  for (int turn = 0; turn < 40 && world.processes[0]; ++turn) {
    Process &process = *world.processes[0];
    if (process.run.step == ClipStep::submit) {
      pay(world, process);
      world.tasks.back().is_told = true;
      apply(world, 0, SubmitAccepted{world.tasks.back().id, {}});
      continue;
    }
    const bool follows = process.run.step == ClipStep::follow;
    const std::string id = follows ? process.run.record.task_id : process.run.asked;
    ServiceTask *task = find(world, id);
    if (!task) {
      apply(world, 0, TaskUnknown{"unknown", 404});
    } else if (task->has_failed) {
      apply(world, 0, TaskFailed{"failed"});
    } else {
      apply(world, 0, TaskKnown{{.status = ClipStatus::completed}, true});
      if (!follows) continue;
      Reaction fetched = react(world.processes[0]->run, ClipFetched{});
      ClipRecord record = std::move(fetched.run.record);
      record.clip_name = "clip.mp4";
      record.clip_size = 1;
      world.disk = std::move(record);
      world.part = id;
      hold_fetched(world, id);
      finish_commit(world);
      end(world, 0);
    }
  }
  if (world.processes[0]) accuse(world, "a run that does not end");
  return static_cast<unsigned>(world.tasks.size() - before);
}

// Everything has stopped, and somebody looks: all that the service charged is spent or reserved, and no more
// than that is, but for what cannot be determined.
std::string wrong_account(const JournalWorld &world) {
  JournalWorld looked = world;
  bury_by_folder(looked);
  const Sums sums = looked.account.sums({}, 1);
  unsigned paid = 0, failed = 0;
  for (const ServiceTask &task : looked.tasks)
    if (!task.is_foreign) ++(task.has_failed ? failed : paid);
  // A later run may take it for the store's own.
  failed += static_cast<unsigned>(std::ranges::count_if(looked.tasks, &ServiceTask::is_line_lost));
  const double counted = sums.spent.credits + sums.reserved.credits;
  if (counted < paid)
    return "the service charged " + std::to_string(paid) + ", the ledger has " + std::to_string(counted);
  if (counted > paid + failed + looked.phantoms)
    return "the ledger has " + std::to_string(counted) + ", though no more than " +
           std::to_string(paid + failed + looked.phantoms) + " can have been charged";
  const double known = looked.account.sums({}, 0).spent.credits;
  // Somebody may have found the task of an unanswered submit, and named it.
  double kept = 0, all = 0;
  for (const ServiceTask &task : looked.tasks) {
    kept += task.is_price_kept;
    all += task.has_price;
  }
  if (looked.has_prices && (known < kept || known > all))
    return "the service told the price of " + std::to_string(kept) + " tasks, the ledger knows " +
           std::to_string(known);
  const auto &charges = looked.account.charges();
  if (std::any_of(charges.begin(), charges.end(),
                  [](const Charge &charge) { return charge.state == ChargeState::reserved; }))
    return "a charge stays reserved though everything has stopped";
  bury_by_folder(looked, true);
  if (has_charge_under_way(looked)) return "who waits for the price of this clip waits forever";
  return "";
}

}  // namespace

std::string JournalWorld::text() const {
  std::string all = text_of(disk) + "|" + file + "|" + part + "|" + (doubts > 0 ? "d" : "") +
                    (has_stray ? "S" : "") + (is_file_lost ? "L" : "") + (unsent.empty() ? "" : "U" + unsent);
  all += "|" + account_text(*this) + (phantoms > 0 ? std::to_string(phantoms) : "");
  for (const ServiceTask &task : tasks)
    all += "|" + task.id + (task.is_told ? "t" : "") + (task.is_done ? "d" : "") +
           (task.is_known_done ? "D" : "") + (task.has_failed ? "f" : "") +
           (task.is_failure_told ? "F" : "") + (task.owes_warning ? "o" : "") + (task.is_fetched ? "h" : "") +
           (task.is_warned_of ? "w" : "") + (task.is_settled ? "s" : "") + (task.has_price ? "$" : "") +
           (task.is_price_kept ? "k" : "") + (task.is_line_lost ? "l" : "");
  for (const auto &process : processes) {
    all += "|";
    if (!process) continue;
    const ClipRun &run = process->run;
    all += std::to_string(static_cast<int>(run.step)) + (run.wish.reuse ? "r" : "a") + run.wish.task_id +
           (run.wish.has_key ? "k" : "") + std::to_string(static_cast<int>(run.wish.may_submit)) +
           (process->has_turn ? "t" : "") + (process->downloads ? "d" : "") + (process->waits ? "w" : "") +
           (process->reserved_at.empty() ? "" : "$") + (process->has_warned ? "!" : "") +
           std::to_string(static_cast<int>(run.outcome)) + process->charged_at + (run.is_news ? "n" : "") +
           (run.is_of_ledger ? "l" : "") + (run.is_submitting ? "i" : "") + (run.is_unheard_of ? "u" : "") +
           (run.has_paid ? "p" : "") + (run.paid_before ? "b" + run.paid_before->id : "") + "," +
           process->first_whole + "," + run.asked + ",";
    if (!process->has_turn) all += process->first_look;
    for (const std::string &id : run.to_ask) all += id;
    all += ",";
    for (const std::string &id : run.unknown) all += id;
    for (const FailedTask &task : run.failed) all += "!" + task.id + (task.amount < 0 ? "" : "$");
    for (const OpenTask &task : run.open) all += "?" + task.id + (task.amount < 0 ? "" : "$");
    if (process->has_turn)
      all += "," + text_of(run.record) + text_of(run.found) + (run.whole ? run.whole->task_id : "");
    if (run.step == ClipStep::submit) all += text_of(run.attempt) + text_of(process->before_intent);
    if (run.settled) all += run.settled->status + (run.settled->amount ? "$" : "");
  }
  return all;
}

std::vector<WorldStep> steps_of(const JournalWorld &world) { return Steps(world).take(); }

std::string broken_promise(const JournalWorld &world) {
  if (!world.violation.empty()) return world.violation;
  if (is_locked(world) && !world.file.empty() && world.part.empty() && world.disk) {
    // Beside a writer.
    const auto served = served_without_turn(*world.disk, {}, false, "");
    if (!served || served->task_id != world.file) return "a whole clip is not served beside a writer";
  }
  // Everything stops here.
  JournalWorld stopped = world;
  for (size_t index = 0; index < stopped.processes.size(); ++index)
    if (stopped.processes[index]) kill(stopped, index);
  if (std::string wrong = wrong_account(stopped); !wrong.empty()) return wrong;
  const auto restarted = [&stopped] {
    JournalWorld again = stopped;
    finish_commit(again);
    return again;
  };

  JournalWorld offline = restarted();
  const std::string whole = offline.file;
  start(offline, 0, {true, "", false});
  if (!whole.empty() && offline.disk) {
    const auto vouched = whole_clip_of(*offline.disk);
    if (!vouched || vouched->task_id != whole) return "the journal forgot the whole clip";
  }
  if (offline.processes[0]) return "a run without a key goes to the service";
  const auto is_to_be_had = [](const ServiceTask &task) { return task.is_told && is_owed(task); };
  const bool owed = std::any_of(stopped.tasks.begin(), stopped.tasks.end(), is_to_be_had);

  for (const bool reuse : {true, false}) {
    JournalWorld again = restarted();
    unsigned payments = 0;
    for (int run = 0; run < 4 && (run == 0 || again.file.empty()); ++run)
      payments += run_honestly(again, {reuse, "", true});
    if (!again.violation.empty()) return "then honestly: " + again.violation;
    if (std::string wrong = wrong_account(again); !wrong.empty()) return "then honestly: " + wrong;
    if (again.file.empty()) return "no clip after four honest runs";
    if (owed && payments > 0) return "an honest run pays although a paid task is there";
    if (owed && reuse) {
      // … or another task brought the clip, and the journal still names this one.
      const auto listed = unfetched_tasks_of(*again.disk);
      const bool kept = std::all_of(again.tasks.begin(), again.tasks.end(), [&](const ServiceTask &task) {
        const ServiceTask *before = find(stopped, task.id);
        return !before || !is_to_be_had(*before) || task.is_fetched || has(listed, task.id);
      });
      if (!kept) return "a paid task is neither reached by a plain run nor kept in mind";
    }
  }

  // Runs that do not submit in doubt pay only where there is none, and then they bring the clip, too.
  for (const bool may_pay : {true, false}) {
    JournalWorld again = restarted();
    const MaySubmit may_submit = may_pay ? MaySubmit::unless_in_doubt : MaySubmit::never;
    unsigned payments = 0;
    for (int run = 0; run < 4 && again.file.empty(); ++run)
      payments += run_honestly(again, {true, "", true, may_submit});
    if (!again.violation.empty()) return "then without doubts: " + again.violation;
    if (owed && payments > 0) return "a run that pays only without doubt pays although a paid task is there";
    if (owed && again.file.empty()) return "a run that must not submit does not fetch a paid task";
    if (may_pay && again.doubts == 0 && again.file.empty()) return "no clip, though nothing is in doubt";
  }
  return "";
}

}  // namespace genclip::test
