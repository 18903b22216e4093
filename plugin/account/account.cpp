// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What each event makes of the charges.
#include "plugin/account/account.h"

#include <algorithm>

namespace genclip {
namespace {

// A summary's lines of what captions have used need some key. A run's own is a UUID.
constexpr char kNoRun[] = "-";

// IDs are a service's own, and an API's: two of them may give the same one.
std::string task_name(const ChargeFacts &facts, const std::string &task_id) {
  return facts.base_url + '\n' + facts.api + '\n' + task_id;
}

void add_entries(const Charge &charge, std::vector<LedgerEntry> &entries) {
  const auto add = [&](LedgerEvent event, UtcTime at) -> LedgerEntry & {
    LedgerEntry &entry = entries.emplace_back(event, charge);
    entry.at = at;
    entry.imported = charge.imported;
    if (event != LedgerEvent::reserve) entry.task_id = charge.task_id;
    return entry;
  };
  add(LedgerEvent::reserve, charge.at).estimate = charge.estimate;
  if (!charge.task_id.empty() || charge.state == ChargeState::submitted)
    add(LedgerEvent::submitted, charge.end).amount = charge.amount;
  if (charge.state == ChargeState::unknown) add(LedgerEvent::unknown, charge.end).amount = charge.amount;
  if (charge.state == ChargeState::settled) {
    LedgerEntry &entry = add(LedgerEvent::settle, charge.end);
    entry.status = charge.status;
    entry.actual_duration = charge.actual_duration;
    entry.corrected = charge.corrected;
    if (charge.corrected) entry.amount = charge.amount;
  }
}

LedgerEntry &add_captions(const std::string &run, const CaptionClass &of, std::vector<LedgerEntry> &entries) {
  LedgerEntry &entry = entries.emplace_back();
  entry.event = LedgerEvent::captions;
  entry.at = of.day;
  entry.key = run;
  entry.base_url = of.base_url;
  entry.model = of.model;
  entry.project = of.project;
  return entry;
}

}  // namespace

double Charge::reserved(double assumed_price) const {
  if (!is_open() || amount) return 0;
  return estimate ? estimate->high : assumed_price;
}

Account::Account(Days let_go, PriceHistory prices, WaitHistory waits, bool has_clips)
    : is_condensed_(true),
      let_go_(std::move(let_go)),
      prices_(std::move(prices)),
      waits_(std::move(waits)),
      has_clips_(has_clips) {
  for (const auto &[price_class, samples] : prices_.classes())
    for (const PriceHistory::Sample &sample : samples) samples_ = std::max(samples_, sample.number);
}

Charge &Account::add(const LedgerEntry &entry, ChargeState state) {
  Charge charge;
  static_cast<ChargeFacts &>(charge) = entry;
  charge.at = charge.end = entry.at;
  charge.state = state;
  charge.estimate = entry.estimate;
  charge.imported = entry.imported;
  charges_.push_back(std::move(charge));
  by_key_[entry.key].push_back(charges_.size() - 1);
  // What is reserved has no task yet: a line that says so is damaged.
  if (!entry.task_id.empty() && state != ChargeState::reserved) name_task(charges_.back(), entry);
  return charges_.back();
}

void Account::name_task(Charge &charge, const LedgerEntry &entry) {
  charge.task_id = entry.task_id;
  by_task_[task_name(charge, charge.task_id)] = static_cast<size_t>(&charge - charges_.data());
}

const Charge *Account::find_task(const LedgerEntry &entry) const {
  if (entry.task_id.empty()) return nullptr;
  const auto found = by_task_.find(task_name(entry, entry.task_id));
  return found == by_task_.end() ? nullptr : &charges_[found->second];
}

// The clip's latest charge that is so and whose task ID is unknown. All charges of a key have the same base
// URL. A line with another base URL, or without one, is damaged, so its task ID is not given to the charge.
Charge *Account::without_task(const LedgerEntry &entry, bool (Charge::*is_meant)() const) {
  const auto found = by_key_.find(entry.key);
  if (found == by_key_.end()) return nullptr;
  for (auto index = found->second.rbegin(); index != found->second.rend(); ++index)
    if (Charge &charge = charges_[*index];
        (charge.*is_meant)() && charge.task_id.empty() && charge.base_url == entry.base_url)
      return &charge;
  return nullptr;
}

// A charge without a task ID can be named by nothing but its key. So it comes first.
std::optional<size_t> Account::latest(const std::string &key) const {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  const auto fits = [&](auto is_meant) -> std::optional<size_t> {
    for (auto index = found->second.rbegin(); index != found->second.rend(); ++index)
      if (is_meant(charges_[*index])) return *index;
    return std::nullopt;
  };
  const auto is_unknown = [](const Charge &charge) {
    return charge.state == ChargeState::unknown && charge.task_id.empty();
  };
  const auto is_in_doubt = [](const Charge &charge) {
    return (charge.is_in_doubt() || charge.is_under_way()) && charge.task_id.empty();
  };
  if (const auto unnamed = fits(is_unknown)) return unnamed;
  if (const auto unnamed = fits(is_in_doubt)) return unnamed;
  return fits([](const Charge &charge) { return charge.state != ChargeState::released; });
}

// A completed task's amount tells what the next one will cost; a failed one's does not.
void Account::learn_price(Charge &charge) {
  if (charge.state != ChargeState::settled || charge.status != "completed" || !charge.amount) return;
  if (charge.sample == 0) charge.sample = ++samples_;
  prices_.put(price_class_of(charge), charge.sample, *charge.amount);
}

bool Account::apply(const LedgerEntry &entry) {
  if (entry.event != LedgerEvent::captions && entry.event != LedgerEvent::other) has_clips_ = true;
  switch (entry.event) {
    case LedgerEvent::reserve: add(entry, ChargeState::reserved); return true;
    case LedgerEvent::submitted: return submitted(entry);
    case LedgerEvent::settle: return settle(entry);
    case LedgerEvent::unfetched: unfetched_.insert({entry.key, entry.base_url, entry.task_id}); return true;
    case LedgerEvent::stored: unfetched_.erase({entry.key, entry.base_url, entry.task_id}); return true;
    case LedgerEvent::release:
      // One that is not there any more has been released, or has become something else.
      if (Charge *charge = without_task(entry, &Charge::is_reserved)) {
        charge->state = ChargeState::released;
        charge->end = entry.at;
        charge->why = entry.why;
      }
      return true;
    case LedgerEvent::unknown: return unknown(entry);
    case LedgerEvent::correct: return correct(entry);
    case LedgerEvent::captions: captions(entry); return true;
    case LedgerEvent::other: return true;
  }
  return true;
}

// A task that this condensed account does not have may be of a charge that it has let go of.
bool Account::may_have_let_go(const LedgerEntry &entry) const {
  return is_condensed_ && !entry.task_id.empty();
}

// What a person has said holds.
void Account::take_amount(Charge &charge, const LedgerEntry &entry) {
  if (entry.amount && !charge.corrected) charge.amount = entry.amount;
}

bool Account::submitted(const LedgerEntry &entry) {
  Charge *charge = without_task(entry, &Charge::is_reserved);
  if (Charge *known = by_task(entry)) {
    take_amount(*known, entry);
    // The service has answered with a task that is counted already: there is no other one.
    if (charge) charge->state = ChargeState::released;
    // Somebody has named it by its ID before the ledger was told that this store had submitted it.
    if (known->state == ChargeState::attached)
      known->state = known->status.empty() ? ChargeState::submitted : ChargeState::settled;
    return true;
  }
  // Somebody has given up waiting for an answer that came after all.
  if (!charge) charge = without_task(entry, &Charge::is_in_doubt);
  if (!charge && is_condensed_) return false;
  if (!charge) charge = &add(entry, ChargeState::submitted);
  name_task(*charge, entry);
  take_amount(*charge, entry);
  charge->state = ChargeState::submitted;
  charge->end = entry.at;
  return true;
}

bool Account::settle(const LedgerEntry &entry) {
  Charge *charge = by_task(entry);
  if (!charge && may_have_let_go(entry)) return false;
  // The line that told the task's ID may be damaged.
  if (!charge && !entry.attached) charge = without_task(entry, &Charge::is_reserved);
  // The clip's submit was never answered, and somebody has found its task at the service.
  if (!charge && entry.attached && !entry.imported && entry.status == "completed")
    charge = without_task(entry, &Charge::is_in_doubt);
  if (!charge && is_condensed_) return false;
  if (!charge)
    charge = &add(entry, entry.imported && !entry.attached ? ChargeState::settled : ChargeState::attached);
  if (charge->task_id.empty() && !entry.task_id.empty()) name_task(*charge, entry);
  // Only the first line can have followed the task to its end; the service is asked about it later, too.
  if (charge->is_under_way() && entry.status == "completed" && entry.waited)
    waits_.add(price_class_of(*charge), {*entry.waited, entry.waited_error.value_or(0)});
  // The clip went to the request for which somebody has named the task. The one that has submitted it may
  // still have it, too, at no cost.
  const bool is_news = charge->is_under_way() || charge->is_in_doubt();
  if (is_news && entry.attached && entry.status == "completed" && charge->key != entry.key)
    unfetched_.insert({charge->key, charge->base_url, charge->task_id});
  if (charge->state != ChargeState::attached) charge->state = ChargeState::settled;
  charge->end = entry.at;
  // What was completed once is paid, whatever the service says later.
  if (!entry.status.empty() && charge->status != "completed") charge->status = entry.status;
  if (entry.actual_duration) charge->actual_duration = entry.actual_duration;
  if (charge->status != "completed" || entry.status != "failed") take_amount(*charge, entry);
  charge->corrected = charge->corrected || entry.corrected;
  learn_price(*charge);
  return true;
}

bool Account::unknown(const LedgerEntry &entry) {
  Charge *charge = by_task(entry);
  if (!charge && may_have_let_go(entry)) return false;
  if (!charge) charge = without_task(entry, &Charge::is_reserved);
  if (charge) {
    if (charge->task_id.empty() && !entry.task_id.empty()) name_task(*charge, entry);
    take_amount(*charge, entry);
    if (charge->is_under_way()) {
      charge->state = ChargeState::unknown;
      charge->end = entry.at;
    }
    return true;
  }
  // Two who look at once may say the same; a record that is imported may tell of several.
  if (!entry.imported && entry.task_id.empty() && without_task(entry, &Charge::is_in_doubt)) return true;
  if (is_condensed_) return false;
  // One that was attached to is remembered, so that it counts for nothing in later lines either.
  take_amount(add(entry, entry.attached ? ChargeState::attached : ChargeState::unknown), entry);
  return true;
}

bool Account::correct(const LedgerEntry &entry) {
  if (is_condensed_) return false;
  Charge *charge = by_task(entry);
  if (const auto index = latest(entry.key); index && entry.task_id.empty()) charge = &charges_[*index];
  if (!charge || !entry.amount) return true;
  charge->amount = entry.amount;
  charge->corrected = true;
  charge->end = entry.at;
  if (charge->is_under_way() || charge->state == ChargeState::unknown) charge->state = ChargeState::settled;
  learn_price(*charge);
  return true;
}

// A run's latest line alone says what it holds.
void Account::captions(const LedgerEntry &entry) {
  CaptionClass of{day_of(entry.at), entry.base_url, entry.model, entry.project};
  const CaptionUse &use = entry.captions;
  const auto before = caption_blocks_.find(entry.key);
  if (use != CaptionUse()) captions_used_[before == caption_blocks_.end() ? of : before->second.of].add(use);
  if (before != caption_blocks_.end()) caption_blocks_.erase(before);
  const CaptionHold &hold = entry.captions;
  if (hold != CaptionHold()) caption_blocks_[entry.key] = {hold, std::move(of)};
}

uint64_t Account::most_tokens(const std::string &base_url, const std::string &model) const {
  uint64_t most = 0;
  UtcDay latest = {};
  for (const auto &[of, use] : captions_used_) {
    if (of.base_url != base_url || of.model != model || use.most_tokens == 0) continue;
    most = of.day == latest ? std::max(most, use.most_tokens) : use.most_tokens;
    latest = of.day;
  }
  return most;
}

Sums Account::sums(const Period &period, double assumed_price) const {
  Sums sums;
  for (const auto &[day, total] : let_go_) {
    if (!period.holds(day)) continue;
    sums.spent.credits += total.credits;
    sums.spent.tasks += total.tasks;
  }
  for (const auto &[of, use] : captions_used_) {
    if (!period.holds(of.day)) continue;
    sums.spent.requests += static_cast<double>(use.requests);
    sums.spent.tokens += static_cast<double>(use.tokens());
  }
  for (const auto &[run, block] : caption_blocks_) {
    if (!period.holds(block.of.day)) continue;
    sums.reserved.requests += static_cast<double>(block.held_requests);
    sums.reserved.tokens += static_cast<double>(block.held_tokens);
  }
  for (const Charge &charge : charges_) {
    if (!period.holds(day_of(charge.at))) continue;
    sums.spent.credits += charge.spent();
    sums.reserved.credits += charge.reserved(assumed_price);
    if (charge.is_task()) ++sums.spent.tasks;
    if (charge.state == ChargeState::unknown) ++sums.unknown;
    if (charge.is_untold()) ++sums.untold;
    if (charge.corrected) ++sums.corrected;
  }
  return sums;
}

const Charge *Account::find(const std::string &key_or_task) const {
  const auto of_task = std::find_if(charges_.rbegin(), charges_.rend(),
                                    [&](const Charge &charge) { return charge.task_id == key_or_task; });
  if (of_task != charges_.rend() && !key_or_task.empty()) return &*of_task;
  const auto index = latest(key_or_task);
  return index ? &charges_[*index] : nullptr;
}

bool Account::has_open(const std::string &key) const {
  return std::any_of(charges_.begin(), charges_.end(),
                     [&](const Charge &charge) { return charge.key == key && charge.is_open(); }) ||
         std::any_of(unfetched_.begin(), unfetched_.end(),
                     [&](const Unfetched &task) { return task.key == key; });
}

Account Account::condensed() const {
  Account small(let_go_, prices_, waits_, has_clips_);
  small.captions_used_ = captions_used_;
  small.caption_blocks_ = caption_blocks_;
  small.unfetched_ = unfetched_;
  for (const Charge &charge : charges_) {
    if (charge.is_open()) {
      small.charges_.push_back(charge);
      const size_t index = small.charges_.size() - 1;
      small.by_key_[charge.key].push_back(index);
      if (!charge.task_id.empty()) small.by_task_[task_name(charge, charge.task_id)] = index;
    } else if (charge.is_task()) {
      Amounts &day = small.let_go_[day_of(charge.at)];
      day.credits += charge.spent();
      ++day.tasks;
    }
  }
  return small;
}

std::vector<LedgerEntry> entries_of(const Account &account) {
  std::vector<LedgerEntry> entries;
  for (const Charge &charge : account.charges()) add_entries(charge, entries);
  for (const auto &[of, use] : account.captions_used())
    static_cast<CaptionUse &>(add_captions(kNoRun, of, entries).captions) = use;
  for (const auto &[run, block] : account.caption_blocks())
    static_cast<CaptionHold &>(add_captions(run, block.of, entries).captions) = block;
  for (const auto &[key, base_url, task_id] : account.unfetched()) {
    LedgerEntry &entry = entries.emplace_back();
    entry.event = LedgerEvent::unfetched;
    entry.key = key;
    entry.base_url = base_url;
    entry.task_id = task_id;
  }
  return entries;
}

}  // namespace genclip
