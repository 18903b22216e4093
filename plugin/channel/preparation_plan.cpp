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
constexpr char kFailedUnseen[] = "Its task has failed while other items were prepared.";
constexpr unsigned kLooks = 2;  // The first one may come before the store knows it.
constexpr char kGone[] =
    "Its clip was paid, but the store does not know its task any more. It is not submitted again in this "
    "run.";
constexpr char kNotAgain[] = " The channel does not submit it again.";
constexpr char kUnfit[] = " The clip was generated and paid for; it is not shown.";

}  // namespace

// ---- What is wanted.

void PreparationPlan::want(std::vector<PlannedWish> wishes) {
  std::map<WishKey, Entry> before = std::exchange(entries_, {});
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
  for (const auto &[key, entry] : before) let_go(entry);
  forget_what_left();
}

void PreparationPlan::let_go(const Entry &entry) {
  if (entry.step == Step::generating && !entry.is_served()) memory(entry).looks = kLooks;
}

void PreparationPlan::forget_what_left() {
  std::set<std::string> here;
  for (const auto &[key, entry] : entries_) here.insert(SourceMemories::name_of(entry.wish));
  memories_.keep(here);
}

uint64_t PreparationPlan::version(const WishKey &key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? 0 : found->second.version;
}

PreparationPlan::Entry *PreparationPlan::find(const WishKey &key, Step step) {
  const auto found = entries_.find(key);
  return found == entries_.end() || found->second.step != step ? nullptr : &found->second;
}

// ---- What has happened.

void PreparationPlan::surveyed(const WishKey &key, const Survey &survey, Clock::Time now) {
  Entry *entry = find(key, Step::surveying);
  if (!entry) return;
  entry->survey = survey;
  entry->take = entry->wish.take;
  entry->step = Step::surveyed;
  if (!survey.refusal.empty())
    return give_up(*entry, memory(*entry), ItemState::refused, survey.refusal, true);
  if (!survey.problem.empty())
    return give_up(*entry, memory(*entry), ItemState::failed, survey.problem, true);
  SourceMemory &known = memory(*entry);
  if (known.looks == 0 || survey.is_stored || survey.has_task) return;
  known.looks = 0;
  if (survey.has_failed) task_failed(*entry, known, kFailedUnseen, now);
}

void PreparationPlan::task_failed(Entry &entry, SourceMemory &memory, const std::string &reason,
                                  Clock::Time now) {
  entry.survey.has_task = false;
  memory.is_paid = false;
  if (++memory.failures < 2 && entry.wish.may_retry) return memory.wait(reason, now);
  give_up(entry, memory, ItemState::failed, reason, false);
}

void PreparationPlan::submits(const WishKey &key, bool is_submitting) {
  if (Entry *entry = find(key, Step::generating)) entry->is_submitting = is_submitting;
}

void PreparationPlan::accepted(const WishKey &key) {
  if (Entry *entry = find(key, Step::generating)) entry->is_accepted = true;
}

void PreparationPlan::generated(const WishKey &key, const GenerationEnd &end, Clock::Time now) {
  Entry *entry = find(key, Step::generating);
  if (!entry) return;
  if (end.outcome != Outcome::stored) return end_badly(*entry, memory(*entry), end, now);
  if (!entry->is_served()) is_disk_full_ = false;
  if (!entry->is_stand_in()) memory(*entry).stored();
  entry->step = Step::at_hand;
  if (entry->wish.is_fresh && halt_) survey_fresh(key.id);
}

void PreparationPlan::end_badly(Entry &entry, SourceMemory &memory, const GenerationEnd &end,
                                Clock::Time now) {
  if (end.is_full) {
    is_disk_full_ = true;
    disk_until_ = now + kHaltLookInterval;
  }
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
      return give_up(entry, memory, ItemState::unknown, end.text + kNotAgain, false);
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
  if (!end.halt) give_up(entry, memory, ItemState::failed, end.text, true);
}

void PreparationPlan::vetted(const WishKey &key, const std::string &problem, bool may_pass, Clock::Time now) {
  Entry *entry = find(key, Step::vetting);
  if (!entry) return;
  if (entry->is_stand_in()) {
    entry->step = Step::surveyed;
    entry->take = entry->wish.take;
    entry->has_stand_in = problem.empty();
    entry->survey.last_take.reset();
    return;
  }
  entry->step = Step::ready;
  SourceMemory &known = memory(*entry);
  if (problem.empty()) return known.vetted_well();
  if (!may_pass)
    return give_up(*entry, known, ItemState::failed, problem + (entry->wish.is_generated ? kUnfit : ""),
                   true);
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
  for (const WishKey &key : order_) survey_fresh(key.id);
}

// What stands in for a fresh take is known only now.
void PreparationPlan::survey_fresh(const std::string &id) {
  for (auto &[key, entry] : entries_)
    if (key.id == id && entry.wish.is_fresh && entry.step == Step::surveyed && !entry.has_stand_in)
      entry.step = Step::idle;
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
  abandon_unsubmitted(now, actions);
  begin_again(now);
  begin_surveys(actions);
  begin_generations(now, actions);
  begin_vetting(actions);
  return actions;
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

void PreparationPlan::begin_generations(Clock::Time now, std::vector<PlanAction> &actions) {
  bool is_turn = true;  // Nothing before it is still to be surveyed.
  std::vector<std::string> busy = under_way();
  for (const WishKey &key : order_) {
    Entry &entry = entries_.at(key);
    if (entry.step == Step::idle || entry.step == Step::surveying) is_turn = false;
    if (entry.step != Step::surveyed) continue;
    if (memory(entry).verdict.over()) {
      entry.step = Step::over;  // Another item of the same source has learnt that.
      continue;
    }
    // Items of the same source go one after the other, so that the second one knows how the first one ended.
    const std::string source = SourceMemories::name_of(entry.wish);
    const bool has_worker = busy.size() < (is_disk_full_ ? 1 : workers_) &&
                            std::find(busy.begin(), busy.end(), source) == busy.end();
    const auto action = generation_of(entry, now, is_turn, has_worker);
    if (!action) continue;
    entry.step = Step::generating;
    entry.take = action->take;
    entry.may_submit = action->may_submit;
    entry.is_submitting = entry.is_accepted = false;
    if (!entry.is_served()) busy.push_back(source);
    actions.push_back(*action);
  }
}

std::optional<PlanAction> PreparationPlan::generation_of(Entry &entry, Clock::Time now, bool is_turn,
                                                         bool has_worker) {
  PlanAction action{Kind::generate, entry.wish.key, entry.wish.take, MaySubmit::never};
  if (entry.survey.is_stored) return action;
  const SourceMemory &known = memory(entry);
  if (has_worker && now >= known.not_before) {
    const bool has_task = known.is_paid || entry.survey.has_task;
    const bool looks = known.looks > 0 && entry.survey.has_task;
    if (!known.is_paid && !looks && is_turn && may_pay(now)) {
      action.may_submit =
          on_unknown_ == OnUnknown::resubmit ? MaySubmit::even_in_doubt : MaySubmit::unless_in_doubt;
      return action;
    }
    if (has_task && !(halt_ && halt_->bars_queries)) return action;
  }
  if (!halt_ || entry.has_stand_in || !entry.survey.last_take) return std::nullopt;
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

// The sources for which a generation is at work, not counting those that the store serves.
std::vector<std::string> PreparationPlan::under_way() const {
  std::vector<std::string> sources;
  for (const auto &[key, entry] : entries_)
    if (entry.step == Step::generating && !entry.is_served())
      sources.push_back(SourceMemories::name_of(entry.wish));
  return sources;
}

bool PreparationPlan::has_paid_clip_to_fetch() const {
  return std::any_of(entries_.begin(), entries_.end(), [this](const auto &entry) {
    const SourceMemory *known = this->known(entry.second);
    return known && known->is_paid && known->lacks_room;
  });
}

std::optional<Clock::Time> PreparationPlan::due(Clock::Time now) const {
  std::optional<Clock::Time> due;
  const auto add = [&](Clock::Time time) {
    if (time > now && (!due || time < *due)) due = time;
  };
  if (halt_) add(next_look_);
  if (is_disk_full_) add(disk_until_);
  for (const auto &[key, entry] : entries_)
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
  const bool asks = !halt_ || !halt_->bars_queries;
  if (known && known->is_unfetched && asks) return {ItemState::paid_unfetched, reason};
  if (known && known->is_paid && asks) return {ItemState::generating, reason};
  if (entry.step == Step::generating && !entry.is_served()) return {ItemState::generating, reason};
  const bool is_looked_for =
      entry.step == Step::idle || entry.step == Step::surveying || entry.survey.is_stored;
  const bool is_to_be_had = entry.survey.has_task && asks;
  if (entry.wish.is_generated && halt_ && !is_looked_for && !is_to_be_had)
    return {ItemState::budget, halt_->notice.text};
  return {ItemState::planned, entry.wish.is_generated && is_disk_full_ && !is_looked_for ? kFull : reason};
}

}  // namespace genclip
