// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is to be done next: the second half of the plan.
#include <algorithm>
#include <array>
#include <utility>

#include "plugin/channel/preparation_plan.h"

namespace genclip {

using Kind = PlanAction::Kind;

// For how long a paid clip that cannot be fetched is waited for, before another take of its source is paid.
static constexpr auto kPatienceForPaid = std::chrono::hours(1);
static constexpr char kSilent[] =
    "Its server sent nothing in time when another item of it was looked at. It is asked again.";

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
  take_retries(now);
  begin_again(now);
  begin_surveys(actions);
  begin_generations(now, is_any_waiting, actions);
  put_off_silent(now);
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

// A request that is on its way already is let be: its answer is worth money. So is what is at work when a
// budget is spent: the ledger may have granted it the last place, and refuses it else.
void PreparationPlan::abandon_unsubmitted(Clock::Time now, std::vector<PlanAction> &actions) {
  const bool is_key_refused = halt_ && halt_->notice.is_key;
  for (const WishKey &key : order_) {
    Entry &entry = entries_.at(key);
    if (!is_key_refused && !is_put_off_by_disk(now) && !is_unbound(entry)) continue;
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

// Sources that failed for an item without a second try, or before their item was given one.
void PreparationPlan::take_retries(Clock::Time now) {
  for (const auto &[key, entry] : entries_) {
    const PlannedWish &wish = entry.wish;
    if (!wish.may_retry) continue;
    if (SeriesMemory *series = memories_.series_of(wish); series && series->verdict.retry())
      series->reason.clear();
    if (SourceMemory *known = memories_.find(wish); known && known->verdict.retry())
      known->wait(std::string(known->reason), now);
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
                            !is_series_over(entry) && !entry.is_behind && !is_halted(entry);
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
  const bool wants_stand_in = is_halted(entry) || is_series_over(entry) || entry.is_behind;
  if (!wants_stand_in || entry.has_stand_in || !entry.survey.last_take) return std::nullopt;
  action.take = *entry.survey.last_take;
  return action;
}

// Items of a server that sent nothing in time: each would wait for it in vain.
void PreparationPlan::put_off_silent(Clock::Time now) {
  if (silent_.empty()) return;
  for (auto &[key, entry] : entries_) {
    if (entry.step != Step::at_hand) continue;
    const auto silent = silent_.find(entry.server);
    if (silent == silent_.end() || now >= silent->second.not_before) continue;
    memory(entry).put_off(kSilent, silent->second.not_before);
    entry.step = Step::over;
    entry.keeps_media = true;
  }
}

// One at a time of each server.
void PreparationPlan::begin_vetting(std::vector<PlanAction> &actions) {
  std::array<bool, kVettingLanes> is_busy{};
  std::set<std::string> asked;
  bool has_fallback = false, is_any = false;
  for (const auto &[key, entry] : entries_) {
    if (entry.step == Step::at_hand) is_any = true;
    if (entry.step == Step::vetting) {
      is_busy.at(entry.lane) = true;
      asked.insert(entry.server);
    }
    if (entry.wish.is_fallback && entry.step == Step::ready) has_fallback = true;
  }
  if (!is_any) return;
  for (unsigned lane = 0; lane < kVettingLanes; ++lane) {
    Entry *chosen = is_busy.at(lane) ? nullptr : next_to_vet(lane == 0, asked, has_fallback);
    if (!chosen) continue;
    asked.insert(chosen->server);
    chosen->step = Step::vetting;
    chosen->lane = lane;
    actions.push_back({Kind::vet, chosen->wish.key, chosen->take, MaySubmit::never, lane});
  }
}

// Of servers, what was unfit least often, so that one medium that never comes holds up no other one. Then a
// fallback, until there is one: it fills the holes.
PreparationPlan::Entry *PreparationPlan::next_to_vet(bool is_local, const std::set<std::string> &asked,
                                                     bool has_fallback) {
  Entry *chosen = nullptr;
  for (const WishKey &key : order_) {
    Entry &entry = entries_.at(key);
    if (entry.step != Step::at_hand || entry.server.empty() != is_local) continue;
    if (!is_local && asked.contains(entry.server)) continue;
    const auto rank = [&](Entry &one) {
      const bool is_first_fallback = one.wish.is_fallback && !has_fallback;
      return std::pair(is_local ? 0 : memory(one).verdict.bad_vettings(), !is_first_fallback);
    };
    if (!chosen || rank(entry) < rank(*chosen)) chosen = &entry;
  }
  return chosen;
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

}  // namespace genclip
