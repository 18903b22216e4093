// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The rules are the table "Items" of docs/channel.md. Nothing here waits, and nothing here reads a clock.
#include "plugin/channel/preparation_plan.h"

#include <algorithm>
#include <set>
#include <utility>

namespace genclip {
namespace {

using Kind = PlanAction::Kind;

constexpr auto kHaltLookInterval =
    std::chrono::minutes(1);  // At the budget, and at whether there is room again.

constexpr char kFull[] = "The disk is full, so nothing is generated until there is room.";
constexpr char kBehind[] = "An earlier take of it is not there yet, and comes first.";
constexpr char kWaits[] =
    "It waits for another clip: as long as the price of such clips is unknown, the budget lets one at a time "
    "be "
    "submitted, and it limits how many may be under way.";
constexpr char kFailedUnseen[] = "Its task has failed while other items were prepared.";
constexpr auto kPatienceForPaid = std::chrono::hours(1);
constexpr unsigned kLooks = 2;  // The first one may come before the store knows it.
constexpr char kGone[] =
    "Its clip was paid, but neither the store nor the service has it any more. It is not submitted again in "
    "this run. "
    "If the store removed it to make room, raise store-max-size.";
constexpr char kNotAgain[] = " The channel does not submit it again.";
constexpr char kUnfit[] = " The clip was generated and paid for; it is not shown.";
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
    entry.wish = std::move(wish);
    // It may lack a fault that it had: another length, say.
    if (known != before.end()) memory(entry).forgive();
    entries_.emplace(key, std::move(entry));
  }
  for (auto &[key, entry] : before) let_go(key, entry);
  forget_what_left();
}

void PreparationPlan::let_go(const WishKey &key, Entry &entry) {
  const bool is_paid =
      (entry.is_at_work() && (entry.is_submitting || entry.has_own_task)) || memory(entry).is_paid;
  if (is_paid && !entries_.contains(key) && (entry.is_at_work() || entry.step == Step::surveyed)) {
    entry.survey.last_take.reset();  // Nobody wants a stand-in.
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

std::set<unsigned> PreparationPlan::unfit_takes(const WishKey &key) const {
  const auto found = entries_.find(key);
  const SeriesMemory *series = found == entries_.end() ? nullptr : memories_.find_series(found->second.wish);
  return series ? series->unfit : std::set<unsigned>();
}

PreparationPlan::Entry *PreparationPlan::find(const WishKey &key, Step step) {
  for (auto *entries : {&entries_, &carried_})
    if (const auto found = entries->find(key); found != entries->end())
      return found->second.step == step ? &found->second : nullptr;
  return nullptr;
}

// ---- What has happened.

void PreparationPlan::surveyed(const WishKey &key, const Survey &survey, Clock::Time now) {
  Entry *entry = find(key, Step::surveying);
  if (!entry) return;
  entry->survey = survey;
  if (survey.last_take && unfit_takes(key).contains(*survey.last_take)) entry->survey.last_take.reset();
  entry->take = entry->wish.take;
  entry->step = Step::surveyed;
  if (!survey.refusal.empty())
    return give_up(*entry, memory(*entry), ItemState::refused, survey.refusal, true);
  if (!survey.problem.empty())
    return give_up(*entry, memory(*entry), ItemState::failed, survey.problem, true);
  SourceMemory &known = memory(*entry);
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
  give_up(entry, memory, ItemState::failed, reason, false);
  give_up_series(entry, ItemState::failed, reason, false);
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
  if (entry->wish.is_fresh && (halt_ || is_series_over(*entry))) survey_fresh();
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
  if (end.halt) halt_for(*end.halt, now);
  if (memory.is_paid || (!end.halt && (end.is_full || end.may_pass))) return memory.wait(end.text, now);
  // Nothing was charged, so a reload may try again.
  if (end.halt) return;
  give_up(entry, memory, ItemState::failed, end.text, true);
  give_up_series(entry, ItemState::failed, end.text, true);
}

void PreparationPlan::vetted(const WishKey &key, const std::string &problem, bool may_pass, Clock::Time now) {
  Entry *entry = find(key, Step::vetting);
  if (!entry) return;
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
  entry->step = Step::over;
  entry->keeps_media = true;
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

void PreparationPlan::reload(Clock::Time now) {
  if (halt_ && halt_->notice.is_key) halt_.reset();
  next_look_ = disk_until_ = now;
  memories_.reload(now);
  for (auto &[key, entry] : entries_) {
    const SourceMemory *known = this->known(entry);
    const bool is_over = entry.step == Step::over && known && known->verdict.over();
    if (entry.step == Step::surveyed || (entry.step == Step::over && !is_over)) entry.step = Step::idle;
  }
}

// One notice for one reason. The numbers are those of the first refusal.
void PreparationPlan::halt_for(const Halt &halt, Clock::Time now) {
  const bool is_known = halt_ && halt_->notice.is_key == halt.notice.is_key;
  if (is_known) {
    halt_->bars_queries = halt_->bars_queries || halt.bars_queries;
    return;
  }
  halt_ = halt;
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
  if (!series || series->verdict.over()) return;
  series->verdict.give_up(state, until_reload);
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

// ---- What to do.

std::vector<PlanAction> PreparationPlan::next(Clock::Time now) {
  std::vector<PlanAction> actions;
  if (halt_ && now >= next_look_) {
    actions.push_back({Kind::look_at_budget, {}, 0, MaySubmit::never});
    next_look_ = now + kHaltLookInterval;
  }
  forget_what_was_carried(now);
  abandon_unpaid_carried(actions);
  abandon_unsubmitted(now, actions);
  if (is_disk_full_ && now >= disk_until_ && !is_room_needed()) is_disk_full_ = false;
  const bool is_any_waiting = put_back_waiting(actions);
  begin_again(now);
  begin_surveys(actions);
  begin_generations(now, is_any_waiting, actions);
  begin_vetting(actions);
  return actions;
}

// Of those that wait, the first one is submitted first. Else whichever looks at the ledger at the right
// moment would be. Returns whether any waits.
bool PreparationPlan::put_back_waiting(std::vector<PlanAction> &actions) {
  bool is_any_waiting = false;
  for (const WishKey &key : order_) {
    Entry &entry = entries_.at(key);
    if (entry.step != Step::generating || !entry.is_waiting) continue;
    if (!std::exchange(is_any_waiting, true)) continue;
    entry.step = Step::idle;
    entry.is_put_back = true;
    actions.push_back({Kind::abandon, key, 0, MaySubmit::never});
  }
  return is_any_waiting;
}

// The request that was on its way brought no task, or one of a clip that it is made of. It would go on to be
// paid.
void PreparationPlan::abandon_unpaid_carried(std::vector<PlanAction> &actions) {
  std::erase_if(carried_, [&](const auto &known) {
    const auto &[key, entry] = known;
    const bool may_submit = entry.step == Step::generating && entry.may_submit != MaySubmit::never;
    if (!may_submit || entry.is_submitting || entry.has_own_task) return false;
    memory(entry).looks = kLooks;
    actions.push_back({Kind::abandon, key, 0, MaySubmit::never});
    return true;
  });
}

// A request that is on its way already is let be: its answer is worth money.
void PreparationPlan::abandon_unsubmitted(Clock::Time now, std::vector<PlanAction> &actions) {
  if (!is_barred(now)) return;
  for (const WishKey &key : order_) {
    Entry &entry = entries_.at(key);
    if (entry.step != Step::generating || entry.may_submit == MaySubmit::never) continue;
    if (entry.is_submitting || entry.is_accepted) continue;
    entry.step = Step::idle;
    actions.push_back({Kind::abandon, key, 0, MaySubmit::never});
  }
}

// What is fetched now, or cannot be fetched for long: its task stays in the journal.
void PreparationPlan::forget_what_was_carried(Clock::Time now) {
  std::erase_if(carried_, [&](const auto &known) {
    const Entry &entry = known.second;
    if (entry.step == Step::generating) return false;
    const SourceMemory &memory = this->memory(entry);
    return entry.step != Step::surveyed || !memory.is_paid ||
           (memory.waits > 0 && now >= memory.first_wait + kPatienceForPaid);
  });
}

// What was not fit, and may be now. What has left the window meanwhile is looked for like anything else.
void PreparationPlan::begin_again(Clock::Time now) {
  for (const WishKey &key : order_) {
    Entry &entry = entries_.at(key);
    SourceMemory *known = memories_.find(entry.wish);
    if (!known) continue;
    if (known->verdict.is_paused() && now >= known->not_before) known->verdict.resume();
    if (entry.step != Step::over || known->verdict.over() || !entry.wish.problem.empty()) continue;
    entry.step = entry.keeps_media ? Step::at_hand : Step::idle;
    entry.keeps_media = false;
  }
}

void PreparationPlan::begin_surveys(std::vector<PlanAction> &actions) {
  bool is_busy = std::any_of(entries_.begin(), entries_.end(),
                             [](const auto &known) { return known.second.step == Step::surveying; });
  for (const WishKey &key : order_) {
    Entry &entry = entries_.at(key);
    if (entry.step != Step::idle) continue;
    const SourceMemory *known = this->known(entry);
    if (!entry.wish.problem.empty() || (known && known->verdict.over())) {
      entry.step = Step::over;
    } else if (!entry.wish.is_generated) {
      entry.step = Step::at_hand;
    } else if (!is_busy) {
      is_busy = true;
      entry.step = Step::surveying;
      actions.push_back({Kind::survey, key, entry.wish.take, MaySubmit::never});
    }
  }
}

void PreparationPlan::begin_generations(Clock::Time now, bool is_any_waiting,
                                        std::vector<PlanAction> &actions) {
  bool is_turn = true;  // Nothing before it is still to be surveyed.
  std::vector<std::string> busy = under_way();
  // What nobody wants any more takes no worker from what is wanted.
  size_t workers = workers_;
  for (const auto &[key, entry] : carried_) workers += entry.is_at_work();
  std::vector<Entry *> all;
  for (const WishKey &key : order_) all.push_back(&entries_.at(key));
  for (auto &[key, entry] : carried_) all.push_back(&entry);
  for (Entry *one : all) {
    Entry &entry = *one;
    if (entry.step == Step::idle || entry.step == Step::surveying) is_turn = false;
    if (entry.step != Step::surveyed) continue;
    if (memory(entry).verdict.over()) {
      entry.step = Step::over;  // Another item of the same source has learnt that.
      continue;
    }
    // Items of the same clip go one after the other, so that the second one knows how the first one ended.
    const std::string name = SourceMemories::name_of(entry.wish);
    const bool has_worker = busy.size() < (is_disk_full_ ? 1 : workers) &&
                            std::find(busy.begin(), busy.end(), name) == busy.end();
    const bool is_wanted = entries_.contains(entry.wish.key);
    entry.is_behind = is_wanted && waits_for_another_take(entry, now);
    const bool may_submit = is_wanted && is_turn && !(entry.is_put_back && is_any_waiting) &&
                            !is_series_over(entry) && !entry.is_behind;
    const auto action = generation_of(entry, now, may_submit, has_worker);
    if (!action) continue;
    entry.step = Step::generating;
    entry.take = action->take;
    entry.may_submit = action->may_submit;
    entry.is_submitting = entry.is_accepted = entry.has_own_task = false;
    entry.is_waiting = entry.is_put_back = false;
    if (!entry.is_served()) busy.push_back(name);
    actions.push_back(*action);
  }
}

std::optional<PlanAction> PreparationPlan::generation_of(Entry &entry, Clock::Time now, bool may_submit,
                                                         bool has_worker) {
  PlanAction action{Kind::generate, entry.wish.key, entry.wish.take, MaySubmit::never};
  if (entry.survey.is_stored) return action;
  const SourceMemory &known = memory(entry);
  if (has_worker && now >= known.not_before) {
    const bool has_task = known.is_paid || entry.survey.has_task;
    const bool looks = known.looks > 0 && entry.survey.has_task;
    if (!known.is_paid && !looks && may_submit && may_pay(now)) {
      action.may_submit =
          on_unknown_ == OnUnknown::resubmit ? MaySubmit::even_in_doubt : MaySubmit::unless_in_doubt;
      return action;
    }
    if (has_task && !(halt_ && halt_->bars_queries)) return action;
  }
  const bool wants_stand_in = halt_ || is_series_over(entry) || entry.is_behind;
  if (!wants_stand_in || entry.has_stand_in || !entry.survey.last_take) return std::nullopt;
  action.take = *entry.survey.last_take;
  return action;
}

// A fallback first, until there is one: it fills the holes.
void PreparationPlan::begin_vetting(std::vector<PlanAction> &actions) {
  Entry *chosen = nullptr;
  bool has_fallback = false;
  for (const WishKey &key : order_) {
    Entry &entry = entries_.at(key);
    if (entry.step == Step::vetting) return;
    if (entry.wish.is_fallback && entry.step == Step::ready) has_fallback = true;
    if (entry.step != Step::at_hand) continue;
    if (!chosen || (entry.wish.is_fallback && !chosen->wish.is_fallback && !has_fallback)) chosen = &entry;
  }
  if (!chosen) return;
  chosen->step = Step::vetting;
  actions.push_back({Kind::vet, chosen->wish.key, chosen->take, MaySubmit::never});
}

// While the disk is full, one clip at a time tries whether it has room, and none if there is one that is
// paid.
bool PreparationPlan::may_pay(Clock::Time now) const {
  return !is_barred(now) && !(is_disk_full_ && has_paid_clip_to_fetch());
}

// The clips that a generation is at work for, not counting those that the store serves.
std::vector<std::string> PreparationPlan::under_way() const {
  std::vector<std::string> names;
  for (const auto *entries : {&entries_, &carried_})
    for (const auto &[key, entry] : *entries)
      if (entry.is_at_work()) names.push_back(SourceMemories::name_of(entry.wish));
  return names;
}

// Until a take was fit, the takes of a source go one after the other: a source that only fails is submitted
// once. A take that comes too late for its turn, or that is paid and cannot be fetched, is waited for: else
// each turn would pay for another one.
bool PreparationPlan::waits_for_another_take(const Entry &entry, Clock::Time now) const {
  if (!entry.wish.is_fresh) return false;
  const SeriesMemory *series = memories_.find_series(entry.wish);
  const bool has_worked = series && series->has_worked;
  const auto is_before = [&](const Entry &other, bool is_carried) {
    if (!SourceMemories::are_of_one_series(entry.wish, other.wish) || other.is_served()) return false;
    const SourceMemory *known = this->known(other);
    if (known && known->is_paid && known->waits > 0) return now < known->first_wait + kPatienceForPaid;
    const bool is_vetted_again = other.step == Step::over && known && known->verdict.is_paused();
    const bool is_open = other.step == Step::generating || other.step == Step::at_hand ||
                         other.step == Step::vetting || is_vetted_again;
    return is_open && (is_carried || !has_worked);
  };
  const auto is_any = [&](const std::map<WishKey, Entry> &entries, bool are_carried) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const auto &known) { return is_before(known.second, are_carried); });
  };
  return is_any(carried_, true) || is_any(entries_, false);
}

bool PreparationPlan::has_paid_clip_to_fetch() const {
  const auto lacks_room = [this](const auto &entry) {
    const SourceMemory *known = this->known(entry.second);
    return known && known->is_paid && known->lacks_room;
  };
  return std::any_of(entries_.begin(), entries_.end(), lacks_room) ||
         std::any_of(carried_.begin(), carried_.end(), lacks_room);
}

// Whether there is anything to be generated, so that it is seen whether the disk has room again.
bool PreparationPlan::is_room_needed() const {
  const auto needs_room = [](const auto &known) {
    const Entry &entry = known.second;
    const bool is_to_come = entry.step == Step::idle || entry.step == Step::surveying ||
                            entry.step == Step::surveyed || entry.step == Step::generating;
    return entry.wish.is_generated && is_to_come && !entry.is_served();
  };
  return std::any_of(entries_.begin(), entries_.end(), needs_room) ||
         std::any_of(carried_.begin(), carried_.end(), needs_room);
}

std::optional<Clock::Time> PreparationPlan::due(Clock::Time now) const {
  std::optional<Clock::Time> due;
  const auto add = [&](Clock::Time time) {
    if (time > now && (!due || time < *due)) due = time;
  };
  if (halt_) add(next_look_);
  if (is_disk_full_) add(disk_until_);
  for (const auto *entries : {&entries_, &carried_})
    for (const auto &[key, entry] : *entries)
      if (const SourceMemory *known = this->known(entry);
          known && (entry.step == Step::surveyed || (entry.step == Step::over && known->verdict.is_paused())))
        add(known->not_before);
  return due;
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
  if (known && known->verdict.is_doubted()) return {ItemState::failed, reason};
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
  if (entry.wish.is_generated && halt_ && !is_looked_for && !is_to_be_had)
    return {ItemState::budget, halt_->notice.text};
  return {ItemState::planned, entry.wish.is_generated && is_disk_full_ && !is_looked_for ? kFull : reason};
}

}  // namespace genclip
