// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The rules are the table "Items" of docs/channel.md. Nothing here waits, and nothing here reads a clock.
#include "plugin/channel/preparation_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "plugin/channel/item_source.h"

namespace genclip {
namespace {

using Kind = PlanAction::Kind;

constexpr char kFull[] = "The disk is full, so nothing is generated until there is room.";
constexpr char kBehind[] = "An earlier take of it is not there yet, and comes first.";
constexpr char kWaits[] =
    "It waits for another clip: as long as the price of such clips is unknown, the budget lets one at a time "
    "be submitted, and it limits how many may be under way.";
constexpr char kSurveyHangs[] =
    "A file or a server that it refers to, or the store, does not answer. It is looked at again.";
constexpr char kFailedUnseen[] = "Its task has failed while other items were prepared.";
constexpr char kGone[] =
    "Its clip was paid, but neither the store nor the service has it any more. It is not submitted again in "
    "this run. If the store removed it to make room, raise store-max-size.";
constexpr char kNotAgain[] = " The channel does not submit it again.";
constexpr char kUnfit[] = " The clip was generated and paid for; it is not shown.";
constexpr auto kSilenceKept = std::chrono::hours(1);
constexpr char kUnbound[] =
    "The store has no budget any more, so items with \"fresh\" are not generated anew: the channel would pay "
    "as long as it runs. Set one, for example: genclip budget set --per-day 100.";
constexpr char kNoMoreTakes[] = "No new take is submitted, because an earlier one failed: ";

}  // namespace

// ---- What is wanted.

void PreparationPlan::want(std::vector<PlannedWish> wishes) {
  std::map<WishKey, Entry> before = std::exchange(entries_, {});
  before.merge(std::exchange(carried_, {}));
  order_.clear();
  for (PlannedWish &wish : wishes) {
    const WishKey key = wish.key;
    if (entries_.contains(key)) continue;
    order_.push_back(key);
    const auto known = before.find(key);
    if (known != before.end() && known->second.wish == wish) {
      entries_.insert(before.extract(known));
      continue;
    }
    Entry entry;
    entry.version = ++versions_;
    entry.take = wish.take;
    if (!wish.is_generated) entry.server = server_of(wish.source);
    entry.wish = std::move(wish);
    // It may lack a fault that it had: another length, say.
    if (known != before.end()) memory(entry).forgive();
    entries_.emplace(key, std::move(entry));
  }
  for (auto &[key, entry] : before) let_go(entry);
  forget_what_left();
  forget_what_halted();
}

// What is cheaper does not wait for a clip that nobody wants any more.
void PreparationPlan::forget_what_halted() {
  const bool is_wanted = std::any_of(entries_.begin(), entries_.end(), [this](const auto &known) {
    return known.second.wish.request == halted_by_;
  });
  if (halt_ && !is_wanted) halt_->estimate = -1;
}

void PreparationPlan::let_go(Entry &entry) {
  const bool is_paid =
      (entry.is_at_work() && (entry.is_submitting || entry.has_own_task)) || memory(entry).is_paid;
  if (is_paid && (entry.is_at_work() || entry.step == Step::surveyed)) {
    entry.survey.last_take.reset();  // Nobody wants a stand-in.
    if (entries_.contains(entry.wish.key)) {
      entry.wish.key.replaced = entry.version;
      entry.wish.may_retry = false;  // What becomes of it decides for the new one, which may have no retry.
    }
    const WishKey key = entry.wish.key;
    carried_.emplace(key, std::move(entry));
  } else if (entry.is_at_work()) {
    memory(entry).looks = kLooks;
  }
}

void PreparationPlan::forget_what_left() {
  std::vector<const PlannedWish *> wanted;
  for (const auto *entries : {&entries_, &carried_})
    for (const auto &[key, entry] : *entries) wanted.push_back(&entry.wish);
  memories_.keep(wanted);
}

uint64_t PreparationPlan::version(const WishKey &key) const {
  for (const auto *entries : {&entries_, &carried_})
    if (const auto found = entries->find(key); found != entries->end()) return found->second.version;
  return 0;
}

std::optional<WishKey> PreparationPlan::key_of_replaced(const WishKey &key, uint64_t version) const {
  const WishKey replaced{key.id, key.turn, version};
  return carried_.contains(replaced) ? std::optional(replaced) : std::nullopt;
}

const SeriesMemory *PreparationPlan::find_series(const WishKey &key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : memories_.find_series(found->second.wish);
}

std::set<unsigned> PreparationPlan::unfit_takes(const WishKey &key) const {
  const SeriesMemory *series = find_series(key);
  return series ? series->unfit : std::set<unsigned>();
}

MissingTakes PreparationPlan::missing_takes(const WishKey &key) const {
  const SeriesMemory *series = find_series(key);
  return series ? series->missing : MissingTakes();
}

PreparationPlan::Entry *PreparationPlan::find(const WishKey &key, Step step) {
  for (auto *entries : {&entries_, &carried_})
    if (const auto found = entries->find(key); found != entries->end())
      return found->second.step == step ? &found->second : nullptr;
  return nullptr;
}

// Its survey may end after all.
PreparationPlan::Entry *PreparationPlan::find_hanging(const WishKey &key) {
  Entry *entry = find(key, Step::over);
  const SourceMemory *known = entry ? this->known(*entry) : nullptr;
  return known && known->hangs && known->verdict.is_paused() ? entry : nullptr;
}

// ---- What has happened.

void PreparationPlan::surveyed(const WishKey &key, const Survey &survey, Clock::Time now) {
  Entry *entry = find(key, Step::surveying);
  if (!entry) entry = find_hanging(key);
  if (!entry) return;
  SourceMemory &known = memory(*entry);
  if (survey.hangs) {
    entry->step = Step::over;
    return known.hang(kSurveyHangs, now);
  }
  known.answer();
  entry->survey = survey;
  if (SeriesMemory *series = memories_.series_of(entry->wish)) series->missing.add(survey.missing);
  if (survey.last_take && unfit_takes(key).contains(*survey.last_take)) entry->survey.last_take.reset();
  entry->take = entry->wish.take;
  entry->step = Step::surveyed;
  if (!survey.refusal.empty()) return give_up(*entry, known, ItemState::refused, survey.refusal, true);
  if (!survey.problem.empty()) return give_up(*entry, known, ItemState::failed, survey.problem, true);
  // It has left the store again: its task may still bring it.
  if (known.was_stored && !survey.is_stored) known.is_paid = true;
  if (known.looks == 0 || survey.is_stored || survey.has_task) return;
  known.looks = 0;
  if (survey.has_failed) task_failed(*entry, known, kFailedUnseen, now);
}

void PreparationPlan::task_failed(Entry &entry, SourceMemory &memory, const std::string &reason,
                                  Clock::Time now) {
  entry.survey.has_task = false;
  memory.is_paid = false;
  SeriesMemory *series = memories_.series_of(entry.wish);
  unsigned &failures = series ? series->failures : memory.failures;
  if (++failures < 2 && entry.wish.may_retry) return memory.wait(reason, now);
  const bool ends_series = series && !series->verdict.over();
  give_up(entry, memory, ItemState::failed, reason, false);
  give_up_series(entry, ItemState::failed, reason, false);
  if (failures > 1) return;
  memory.verdict.leave_retry();
  if (ends_series) series->verdict.leave_retry();
}

void PreparationPlan::submits(const WishKey &key, bool is_submitting) {
  if (Entry *entry = find(key, Step::generating)) entry->is_submitting = is_submitting;
}

void PreparationPlan::waits(const WishKey &key, bool is_waiting) {
  if (Entry *entry = find(key, Step::generating)) entry->is_waiting = is_waiting;
}

void PreparationPlan::accepted(const WishKey &key, bool is_own) {
  Entry *entry = find(key, Step::generating);
  if (!entry) return;
  entry->is_accepted = true;
  entry->has_own_task = entry->has_own_task || is_own;
}

void PreparationPlan::generated(const WishKey &key, const GenerationEnd &end, Clock::Time now) {
  Entry *entry = find(key, Step::generating);
  if (!entry) return;
  if (end.outcome != Outcome::stored) return end_badly(*entry, memory(*entry), end, now);
  if (!entry->is_served()) is_disk_full_ = false;
  entry->is_submitting = entry->is_accepted = entry->has_own_task = false;
  entry->step = Step::at_hand;
  if (entry->is_stand_in()) return;
  memory(*entry).stored(!entry->wish.is_fresh);
  if (SeriesMemory *series = memories_.series_of(entry->wish))
    series->missing.add({entry->take + 1, entry->take + 1});
  if (entry->wish.is_fresh && (is_halted(*entry) || is_series_over(*entry))) survey_fresh();
}

void PreparationPlan::end_badly(Entry &entry, SourceMemory &memory, const GenerationEnd &end,
                                Clock::Time now) {
  if (end.is_full) {
    is_disk_full_ = true;
    disk_until_ = now + kHaltLookInterval;
  }
  entry.is_submitting = entry.is_accepted = entry.has_own_task = false;
  entry.step = Step::surveyed;
  if (entry.is_stand_in()) {
    entry.take = entry.wish.take;
    entry.survey.last_take.reset();
    return;
  }
  entry.survey.is_stored = false;
  memory.is_unfetched = false;
  memory.lacks_room = end.is_full;
  if (end.is_nowhere && entry.may_submit == MaySubmit::never && memory.looks > 1) {
    --memory.looks;
    entry.step = Step::idle;
    return;
  }
  memory.looks = 0;
  switch (end.outcome) {
    case Outcome::stored: break;
    case Outcome::unknown:
      // It may be submitted once more, if that is wanted; what merely looked has not done that.
      if (on_unknown_ == OnUnknown::resubmit &&
          (entry.may_submit == MaySubmit::never || ++memory.resubmits < 2))
        return memory.wait(end.text, now);
      give_up(entry, memory, ItemState::unknown, end.text + kNotAgain, false);
      return give_up_series(entry, ItemState::unknown, end.text, true);
    case Outcome::failed: return task_failed(entry, memory, end.text, now);
    case Outcome::paid_unfetched: memory.is_unfetched = true; [[fallthrough]];
    case Outcome::running: memory.is_paid = true; break;
    case Outcome::refused: break;
    case Outcome::not_submitted:
      // A host or a file that is not there may come back; asking for it costs nothing.
      if (end.is_nowhere && entry.may_submit != MaySubmit::never) return memory.wait(end.text, now);
      if (!end.is_nowhere) break;
      if (memory.is_paid) return give_up(entry, memory, ItemState::failed, kGone, true);
      entry.survey.has_task = false;
      return;
  }
  if (end.halt) halt_for(entry, *end.halt, now);
  if (memory.is_paid || (!end.halt && (end.is_full || end.may_pass))) return memory.wait(end.text, now);
  // Nothing was charged, so a reload may try again.
  if (end.halt) return;
  give_up(entry, memory, ItemState::failed, end.text, true);
  give_up_series(entry, ItemState::failed, end.text, true);
}

void PreparationPlan::vetted(const WishKey &key, const std::string &problem, bool may_pass, Clock::Time now,
                             bool is_silent) {
  Entry *entry = find(key, Step::vetting);
  if (!entry) return;
  if (!entry->server.empty()) note_server(entry->server, is_silent, now);
  if (!problem.empty() && !may_pass)
    if (SeriesMemory *series = memories_.series_of(entry->wish)) series->unfit.insert(entry->take);
  if (entry->is_stand_in()) {
    // Perhaps an earlier one is fit.
    entry->step = problem.empty() ? Step::surveyed : Step::idle;
    entry->take = entry->wish.take;
    entry->has_stand_in = problem.empty();
    entry->survey.last_take.reset();
    return;
  }
  entry->step = Step::ready;
  SourceMemory &known = memory(*entry);
  if (problem.empty()) {
    SeriesMemory *series = memories_.series_of(entry->wish);
    if (series && !entry->is_served()) {
      series->has_worked = true;
      series->failures = 0;
    }
    return known.vetted_well();
  }
  if (!may_pass) {
    give_up(*entry, known, ItemState::failed, problem + (entry->wish.is_generated ? kUnfit : ""), true);
    return give_up_series(*entry, ItemState::failed, problem, true);
  }
  known.vetted_badly(problem, now);
  if (const auto silent = silent_.find(entry->server); silent != silent_.end())
    known.not_before = std::max(known.not_before, silent->second.not_before);
  entry->step = Step::over;
  entry->keeps_media = true;
}

// Whatever can be decoded of what a server sends shows that it is there.
void PreparationPlan::note_server(const std::string &server, bool is_silent, Clock::Time now) {
  if (!is_silent) {
    silent_.erase(server);
    return;
  }
  std::erase_if(silent_, [&](const auto &known) { return known.second.not_before + kSilenceKept < now; });
  Silence &silence = silent_[server];
  silence.not_before = now + silence.verdict.pause();
}

void PreparationPlan::changed(const WishKey &key) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second.wish.is_generated) return;
  Entry &entry = found->second;
  if (entry.step != Step::ready && (entry.step != Step::over || !entry.wish.problem.empty())) return;
  memories_.forget(entry.wish);
  entry.step = Step::at_hand;
  entry.keeps_media = false;
}

void PreparationPlan::budget_looked(bool is_over, Clock::Time now) {
  if (is_over) halt_.reset();
  next_look_ = now + kHaltLookInterval;
}

void PreparationPlan::set_bound(bool is_bound) {
  if (std::exchange(is_bound_, is_bound) && !is_bound) survey_fresh();
}

void PreparationPlan::reload(Clock::Time now) {
  halt_.reset();
  next_look_ = disk_until_ = now;
  memories_.reload(now);
  silent_.clear();
  for (auto &[key, entry] : entries_) {
    const SourceMemory *known = this->known(entry);
    const bool is_over = entry.step == Step::over && known && known->verdict.over();
    if (entry.step == Step::surveyed || (entry.step == Step::over && !is_over)) entry.step = Step::idle;
  }
}

// One notice for one reason. The numbers are those of the first refusal.
void PreparationPlan::halt_for(const Entry &entry, const Halt &halt, Clock::Time now) {
  if (halt_ && is_same_reason(*halt_, halt)) {
    halt_->bars_queries = halt_->bars_queries || halt.bars_queries;
    return;
  }
  halt_ = halt;
  halted_by_ = entry.wish.request;
  forget_what_halted();
  next_look_ = now + kHaltLookInterval;
  survey_fresh();
}

// What stands in for a fresh take is known only now.
void PreparationPlan::survey_fresh() {
  for (auto &[key, entry] : entries_)
    if (entry.wish.is_fresh && entry.step == Step::surveyed && !entry.has_stand_in) entry.step = Step::idle;
}

// No further take is submitted.
void PreparationPlan::give_up_series(const Entry &entry, ItemState state, const std::string &reason,
                                     bool until_reload) {
  SeriesMemory *series = memories_.series_of(entry.wish);
  if (!series) return;
  // A further take that fails takes the try that nobody took. A reload brings no other one.
  const bool has_failed = series->verdict.retry();
  if (series->verdict.over()) return;
  series->verdict.give_up(state, until_reload && !has_failed);
  series->reason = kNoMoreTakes + reason;
  survey_fresh();
}

bool PreparationPlan::is_series_over(const Entry &entry) const {
  const SeriesMemory *series = memories_.find_series(entry.wish);
  return series && series->verdict.over();
}

void PreparationPlan::give_up(Entry &entry, SourceMemory &memory, ItemState state, const std::string &reason,
                              bool until_reload) {
  memory.give_up(state, reason, until_reload);
  entry.step = Step::over;
  entry.keeps_media = false;
}

// ---- What it comes to.

PlannedStatus PreparationPlan::status(const WishKey &key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return {};
  const Entry &entry = found->second;
  if (!entry.wish.problem.empty()) return {ItemState::refused, entry.wish.problem};
  const SourceMemory *known = this->known(entry);
  const std::string reason = known ? known->reason : "";
  if (entry.step == Step::over && known && known->verdict.over()) return {*known->verdict.over(), reason};
  if (entry.step == Step::ready || entry.has_stand_in) return {ItemState::ready, ""};
  // Its place is not kept while it is vetted again: it may well fail again.
  if (known && (known->verdict.is_doubted() || known->hangs || silent_.contains(entry.server)))
    return {ItemState::failed, reason};
  if ((entry.step == Step::at_hand || entry.step == Step::vetting) && !entry.is_stand_in())
    return {ItemState::vetting, ""};
  const bool is_barred = is_series_over(entry) && entry.step == Step::surveyed && !entry.survey.is_stored &&
                         !entry.survey.has_task && !entry.survey.last_take && !(known && known->is_paid);
  if (is_barred) {
    const SeriesMemory *series = memories_.find_series(entry.wish);
    return {*series->verdict.over(), series->reason};
  }
  if (entry.is_behind && entry.step == Step::surveyed && !(known && known->is_paid))
    return {ItemState::planned, kBehind};
  const bool asks = !halt_ || !halt_->bars_queries;
  if (known && known->is_unfetched && asks) return {ItemState::paid_unfetched, reason};
  if (known && known->is_paid && asks) return {ItemState::generating, reason};
  if (entry.is_at_work() && entry.is_waiting) return {ItemState::planned, kWaits};
  if (entry.is_at_work()) return {ItemState::generating, reason};
  const bool is_looked_for =
      entry.step == Step::idle || entry.step == Step::surveying || entry.survey.is_stored;
  const bool is_to_be_had = entry.survey.has_task && asks;
  if (entry.wish.is_generated && is_halted(entry) && !is_looked_for && !is_to_be_had)
    return {ItemState::budget, notice()->text};
  return {ItemState::planned, entry.wish.is_generated && is_disk_full_ && !is_looked_for ? kFull : reason};
}

std::optional<BudgetNotice> PreparationPlan::notice() const {
  if (halt_) return halt_->notice;
  const bool is_any = std::any_of(entries_.begin(), entries_.end(),
                                  [this](const auto &known) { return is_halted(known.second); });
  if (!is_any) return std::nullopt;
  return BudgetNotice{.is_unbound = true, .text = kUnbound};
}

}  // namespace genclip
