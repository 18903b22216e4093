// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/core/clip_charges.h"

#include <algorithm>
#include <chrono>

#include "plugin/base/base_url.h"

namespace genclip {
namespace {

// More unanswered submits than that are no clip's; a damaged journal may say so.
constexpr uint64_t kMostUnanswered = 100;

LedgerEntry settled(const ChargeFacts &facts, const ClipRecord &record) {
  LedgerEntry entry(LedgerEvent::settle, facts);
  entry.task_id = record.task_id;
  entry.status = record.state == ClipState::failed ? "failed" : "completed";
  entry.amount = told(record.amount);
  entry.actual_duration = told(record.actual_duration);
  return entry;
}

UtcTime time_of(const ClipRecord &record) {
  const int64_t seconds = record.submitted_at > 0 ? record.submitted_at : record.updated_at;
  return UtcTime(std::chrono::seconds(seconds));
}

constexpr char kWrittenOff[] = "Nothing was charged for it, as genclip cost correct has entered.";

// A task that the service does not know any more, whatever it was before; and one whose outcome is not known.
// Of a clip that was made since, one that was completed may still bring its own.
std::optional<ClipRecord> without_lost_task(ClipRecord record, const Charge &charge) {
  const std::string &id = charge.task_id;
  if (record.state == ClipState::lost && record.task_id == id) {
    record.state = ClipState::failed;
    record.amount = 0;
    record.error = kWrittenOff;
    record.http_status = 0;
  } else if (charge.is_in_doubt() && !was_completed(record, id) &&
             std::ranges::count(record.unfetched_tasks, id) > 0) {
    add_task(record.earlier_tasks, id);
  } else {
    return std::nullopt;
  }
  std::erase(record.unfetched_tasks, id);
  std::erase(record.completed_tasks, id);
  return record;
}

}  // namespace

// What was not fetched may still come, and has warnings of its own.
bool is_paid_clip(const Account &account, const Charge &charge) {
  return charge.state == ChargeState::settled && charge.status == "completed" && charge.amount != 0 &&
         !account.is_unfetched(charge);
}

OpenCharges open_charges(const Account &account, const std::string &key, bool is_clip_lost) {
  OpenCharges open;
  for (const Charge &charge : account.charges()) {
    if (charge.key != key) continue;
    const bool is_settled = charge.state == ChargeState::settled;
    const bool is_unfetched = is_settled && account.is_unfetched(charge);
    const bool is_stored = is_settled && charge.status == "completed" && !is_unfetched;
    if (is_stored) open = {.stored = std::move(open.stored)};
    if (!is_clip_lost && is_paid_clip(account, charge))
      open.stored = {charge.task_id, utc_text(charge.at), charge.amount.value_or(-1), true};
    const bool is_completed = is_unfetched || (is_stored && is_clip_lost);
    if (!is_completed && !charge.is_under_way() && !charge.is_in_doubt()) continue;
    if (charge.task_id.empty())
      ++open.unanswered;
    else
      open.tasks.push_back({charge.task_id, utc_text(charge.at), charge.amount.value_or(-1), is_completed});
    if (charge.state == ChargeState::reserved) open.reserved_at = utc_text(charge.at);
    open.latest_at = std::chrono::duration_cast<std::chrono::seconds>(charge.at.time_since_epoch()).count();
  }
  return open;
}

Claim claim_of(const OpenCharges &open) {
  return !open.tasks.empty() ? Claim::unfetched : open.unanswered > 0 ? Claim::unanswered : Claim::none;
}

OpenCharges completed_charges(const Account &account, const std::string &key) {
  OpenCharges completed;
  for (const Account::Unfetched &task : account.unfetched())
    if (task.key == key) completed.tasks.push_back({.id = task.task_id, .was_completed = true});
  return completed;
}

KnownTask known_task(const Account &account, const ChargeFacts &asked, const std::string &task_id) {
  LedgerEntry entry(LedgerEvent::other, asked);
  entry.task_id = task_id;
  const Charge *charge = account.find_task(entry);
  const std::string address = meaning_of_base_url(asked.base_url);
  for (auto one = account.charges().rbegin(); !charge && one != account.charges().rend(); ++one)
    if (one->task_id == task_id && meaning_of_base_url(one->base_url) == address) charge = &*one;
  if (!charge) return {};
  const double amount = charge->amount.value_or(-1);
  if (charge->status == "completed") return {Outcome::paid_unfetched, amount, charge->key};
  // One that failed and was not charged for has cost nothing.
  if (charge->status == "failed") return {Outcome::failed, charge->spent()};
  if (!charge->is_task()) return {};
  if (charge->state != ChargeState::settled) return {Outcome::unknown, amount};
  // Somebody has looked up what it has cost.
  return {charge->spent() > 0 ? Outcome::paid_unfetched : Outcome::not_submitted, amount};
}

std::vector<LedgerEntry> entries_after_death(const Charge &charge, const std::optional<ClipRecord> &record,
                                             bool is_waited_for, const std::string &unsent) {
  const ChargeFacts &facts = charge;
  const auto line = [&](LedgerEvent event, const std::string &task_id) {
    LedgerEntry entry(event, facts);
    entry.task_id = task_id;
    return entry;
  };
  constexpr char kUnsent[] = "the run ended before it was sent";
  const auto release = [&](const char *why) {
    LedgerEntry entry = line(LedgerEvent::release, "");
    entry.why = why;
    return std::vector{entry};
  };
  const auto told_amount = [&] {
    LedgerEntry entry = line(LedgerEvent::submitted, record->task_id);
    entry.amount = told(record->amount);
    return entry;
  };
  const auto has_new_amount = [&] {
    return record->amount >= 0 && !charge.corrected && charge.amount != told(record->amount);
  };
  if (!charge.is_under_way()) {
    const bool is_of_task = record && !charge.task_id.empty() && record->task_id == charge.task_id;
    if (!is_of_task || !has_new_amount()) return {};
    LedgerEntry entry = told_amount();
    if (charge.state == ChargeState::settled) {
      entry.event = LedgerEvent::settle;
      entry.status = charge.status;
    }
    return {entry};
  }
  LedgerEntry unknown = line(LedgerEvent::unknown, charge.task_id);
  // Whoever has removed the journal, it may have named a task.
  const bool is_unsent = charge.task_id.empty() && unsent == utc_text(charge.at);
  if (!record) return is_unsent ? release(kUnsent) : std::vector{unknown};
  const bool is_of_charge =
      charge.task_id.empty() ? record->reserved_at == utc_text(charge.at) : record->task_id == charge.task_id;
  if (!is_of_charge) {
    if (charge.task_id.empty()) return release(kUnsent);
    const ClipRecord *whole = record->replaced.get();
    return {whole && whole->task_id == charge.task_id ? settled(facts, *whole) : unknown};
  }
  std::vector<LedgerEntry> entries;
  const bool is_news = charge.task_id.empty() && !record->task_id.empty();
  // What became of that task since counts for the task, not for this charge.
  if (is_news && record->state != ClipState::refused && is_earlier_task(*record, record->task_id))
    entries = release(kEarlierTask);
  else if (is_news || (record->state == ClipState::submitted && has_new_amount()))
    entries.push_back(told_amount());
  switch (record->state) {
    case ClipState::intent:
    case ClipState::ambiguous: unknown.amount = told(record->amount); return {unknown};
    case ClipState::refused: return release("the service refused it");
    case ClipState::submitted:
    case ClipState::lost:
      if (was_completed(*record, record->task_id)) {
        entries.push_back(line(LedgerEvent::unfetched, record->task_id));
        entries.push_back(settled(facts, *record));
      } else if (record->state == ClipState::lost || is_waited_for) {
        entries.push_back(line(LedgerEvent::unknown, record->task_id));
        if (record->state == ClipState::lost) entries.back().amount = told(record->amount);
      }
      break;
    case ClipState::failed:
    case ClipState::complete: entries.push_back(settled(facts, *record)); break;
  }
  return entries;
}

std::optional<ClipRecord> without_submit(ClipRecord record, const Charge &charge) {
  if (!charge.task_id.empty()) return without_lost_task(std::move(record), charge);
  const bool is_open = record.state == ClipState::intent || record.state == ClipState::ambiguous;
  const bool is_latest = record.reserved_at == utc_text(charge.at);
  if (is_open && (is_latest || (record.reserved_at.empty() && (charge.imported || charge.is_in_doubt())))) {
    record.state = ClipState::refused;
    record.amount = -1;
    record.error = kWrittenOff;
    record.http_status = 0;
    return record;
  }
  // One before it, which was not settled yet.
  const bool is_earlier = !is_latest && charge.is_in_doubt();
  if (!is_earlier || record.unanswered_submits == 0) return std::nullopt;
  --record.unanswered_submits;
  record.warned_submits = std::min(record.warned_submits, record.unanswered_submits);
  return record;
}

std::vector<LedgerEntry> imported_entries(const ChargeFacts &facts, const ClipRecord &record) {
  std::vector<LedgerEntry> entries;
  const bool attached = is_attached(record);
  const auto add = [&](LedgerEntry entry, UtcTime at) {
    entry.at = at;
    entry.imported = true;
    entry.attached = attached;
    entries.push_back(std::move(entry));
  };
  const auto add_unknown = [&](const std::string &task_id, double amount, UtcTime at) {
    if (attached) return;
    LedgerEntry unknown(LedgerEvent::unknown, facts);
    unknown.task_id = task_id;
    unknown.amount = told(amount);
    add(std::move(unknown), at);
  };
  // What was completed is paid, though its clip is not here.
  const auto add_open = [&](const ClipRecord &task, UtcTime at) {
    if (!was_completed(record, task.task_id)) return add_unknown(task.task_id, task.amount, at);
    add(settled(facts, task), at);
    LedgerEntry unfetched(LedgerEvent::unfetched, facts);
    unfetched.task_id = task.task_id;
    add(std::move(unfetched), at);
  };

  const UtcTime at = time_of(record);
  std::vector<std::string> listed;
  for (const ClipRecord *one : std::initializer_list<const ClipRecord *>{record.replaced.get(), &record}) {
    if (!one) continue;
    if (one->state == ClipState::complete || one->state == ClipState::failed)
      add(settled(facts, *one), time_of(*one));
    else if (one->state == ClipState::submitted || one->state == ClipState::lost)
      add_open(*one, time_of(*one));
    else
      continue;
    listed.push_back(one->task_id);
  }
  for (const auto *tasks : {&record.earlier_tasks, &record.unfetched_tasks})
    for (const std::string &task_id : *tasks)
      if (std::find(listed.begin(), listed.end(), task_id) == listed.end()) {
        ClipRecord task;
        task.task_id = task_id;
        add_open(task, at);
        listed.push_back(task_id);
      }
  const bool is_open = record.state == ClipState::intent || record.state == ClipState::ambiguous;
  const uint64_t unanswered = std::min(record.unanswered_submits + (is_open ? 1 : 0), kMostUnanswered);
  // The record's amount is that of the latest one.
  for (uint64_t i = 0; i < unanswered; ++i) add_unknown("", is_open && i == 0 ? record.amount : -1, at);
  return entries;
}

}  // namespace genclip
