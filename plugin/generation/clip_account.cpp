// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/clip_account.h"

#include <algorithm>
#include <map>

#include "plugin/base/number.h"
#include "plugin/generation/charge_facts.h"
#include "plugin/generation/generation.h"
#include "plugin/generation/generation_log.h"
#include "plugin/generation/store_account.h"

namespace genclip {
namespace {

// Between two looks at whether another clip has ended: one whose price is unknown, or any.
constexpr auto kWaitPause = std::chrono::milliseconds(500);
constexpr auto kSlotPause = std::chrono::seconds(2);

ChargeFacts facts_of(const Generation &generation) {
  const GenerationJob &job = generation.job();
  const ClipIdentity &identity = generation.identified().identity;
  return job.request ? charge_facts(identity, *job.request, job.project)
                     : charge_facts(identity, job.model, job.project);
}

}  // namespace

ClipAccount::ClipAccount(Generation &generation)
    : generation_(generation),
      facts_(facts_of(generation)),
      ledger_(*generation.services().files, *generation.services().clock, generation.job().store,
              [&generation](const std::string &text) {
                generation.warn({ErrorKind::busy, text});
              }) {}

Result<void> ClipAccount::begin() {
  if (has_begun_) return {};
  auto begun = begin_ledger(*generation_.services().files, ledger_, generation_.job().store,
                            generation_.cancellable());
  has_begun_ = static_cast<bool>(begun);
  return begun;
}

Result<Decision> ClipAccount::try_to_reserve(const std::optional<ClipRecord> &found,
                                             const BeforeLine &before_line) {
  const auto after_death = [&found](const Charge &charge) { return entries_after_death(charge, found); };
  auto reservation =
      ledger_.reserve(facts_, generation_.job().max_amount, generation_.cancellable(), after_death,
                      generation_.job().max_tasks, [&](UtcTime at) { before_line(utc_text(at)); });
  if (!reservation) return std::move(reservation).error();
  if (reservation->estimate)
    generation_.change([&](GenerationState &state) { state.estimate = reservation->estimate->likely; });
  if (reservation->decision.verdict != Verdict::allow) return std::move(reservation->decision);
  waits_ = std::move(reservation->waits);
  reserved_at_ = utc_text(reservation->at);
  if (reservation->skipped > 0 && !std::exchange(has_told_skipped_, true))
    generation_.warn({ErrorKind::failed, "The ledger has " +
                                             counted(std::to_string(reservation->skipped), "damaged line") +
                                             ". What stood there counts in no budget: see "
                                             "genclip cost."});
  return std::move(reservation->decision);
}

Error ClipAccount::stays_reserved(const std::string &clip, bool is_for_slot) const {
  const std::string time =
      " for " + std::to_string(generation_.job().timeout.count()) + " s (property timeout)";
  if (is_for_slot)
    return {ErrorKind::busy, std::string(kNothingSent) +
                                 "as many tasks as may run at once have been under way" + time +
                                 ", and none has ended. Run again to keep waiting."};
  return {
      ErrorKind::busy,
      std::string(kNothingSent) + "the clip " + clip.substr(0, 8) +
          ", whose price is unknown, has been under way" + time +
          ", and under a limit in credits such clips are submitted one at a time. Run again to keep waiting, "
          "or say what such clips count with: genclip budget set --assumed-price N."};
}

Result<void> ClipAccount::reserve(const std::optional<ClipRecord> &found, const BeforeLine &before_line) {
  if (auto begun = begin(); !begun) return begun;
  Clock &clock = *generation_.services().clock;
  const auto timeout = generation_.job().timeout;
  using Since = std::pair<std::string, Clock::Time>;
  std::map<std::string, Clock::Time> waits_since;  // By key.
  bool has_reconciled = false;
  while (true) {
    const auto decision = try_to_reserve(found, before_line);
    if (!decision) return decision.error();
    warn_once(decision->warning, "");
    if (decision->verdict == Verdict::allow) {
      generation_.change([](GenerationState &state) { state.waits_for_clip = false; });
      return {};
    }
    // Runs that have died may hold what this one needs. While it waits, more may die. A task continues
    // without its run, and keeps its slot, unless its price alone is waited for.
    const bool waits_for_price = decision->verdict == Verdict::wait && !decision->is_for_slot;
    if (!std::exchange(has_reconciled, true) || decision->verdict == Verdict::wait) {
      const auto reconciled = reconcile(*generation_.services().files, ledger_, generation_.job().store,
                                        facts_.key, generation_.cancellable(),
                                        waits_for_price ? decision->waits_for : std::vector<std::string>());
      if (!reconciled) return reconciled.error();
      if (*reconciled > 0) continue;
    }
    if (decision->verdict == Verdict::refuse) return refusal_error(*decision);
    // Others come and go meanwhile. One clip alone keeps a price unknown. No slot has become free for as long
    // as `max_tasks` of them have lasted.
    const std::vector<std::string> &waits_for = decision->waits_for;
    std::erase_if(waits_since, [&](const auto &one) { return !std::ranges::count(waits_for, one.first); });
    for (const std::string &key : waits_for) waits_since.try_emplace(key, clock.now());
    std::vector<Since> longest_first(waits_since.begin(), waits_since.end());
    std::ranges::sort(longest_first, {}, &Since::second);
    const size_t lasting = decision->is_for_slot ? generation_.job().max_tasks : 1;
    const auto &[clip, since] = longest_first[std::min(lasting, longest_first.size()) - 1];
    if (timeout.count() > 0 && clock.now() >= since + timeout)
      return stays_reserved(clip, decision->is_for_slot);
    generation_.change([](GenerationState &state) {
      state.status = ClipStatus::waiting;
      state.waits_for_clip = true;
    });
    const auto pause = waits_for_price ? std::chrono::milliseconds(kWaitPause) : kSlotPause;
    if (!clock.sleep_until(clock.now() + pause, generation_.cancellable())) return cancelled();
  }
}

void ClipAccount::release(const std::string &why) {
  LedgerEntry entry;
  entry.event = LedgerEvent::release;
  entry.why = why;
  static_cast<void>(tell({entry}, ""));
}

void ClipAccount::bury(const std::optional<ClipRecord> &found, const std::string &unsent) {
  const auto buried = bury_charges(ledger_, facts_.key, found, unsent, generation_.cancellable());
  if (!buried)
    GST_CAT_WARNING(generation_category(), "%s: the ledger is not told what became of an earlier run: %s",
                    generation_.log_name().c_str(), log_text(buried.error()).c_str());
}

Result<void> ClipAccount::bury_removed(const StoredClip &clip) {
  return bury_before_removal(*generation_.services().files, ledger_, generation_.job().store, clip,
                             generation_.cancellable(), kShortLockPatience);
}

std::vector<Wait> ClipAccount::past_waits() {
  if (waits_) return *std::exchange(waits_, std::nullopt);
  const auto reading = ledger_.read_condensed();
  return reading ? likely_waits(reading->account.waits(), facts_) : std::vector<Wait>();
}

Result<OpenCharges> ClipAccount::open_charges(bool is_clip_lost) {
  return genclip::open_charges(ledger_, facts_.key, is_clip_lost);
}

OpenCharges ClipAccount::completed_charges() {
  const auto condensed = ledger_.read_condensed();
  return condensed ? genclip::completed_charges(condensed->account, facts_.key) : OpenCharges();
}

KnownTask ClipAccount::known_task(const std::string &task_id) {
  static_cast<void>(begin());
  const auto whole = ledger_.read_all();
  return whole ? genclip::known_task(whole->account, facts_, task_id) : KnownTask();
}

Result<void> ClipAccount::tell(std::vector<LedgerEntry> entries, const std::string &odd_amount) {
  if (entries.empty()) return {};
  for (LedgerEntry &entry : entries) {
    const std::string model = entry.model.empty() ? facts_.model : entry.model;
    static_cast<ChargeFacts &>(entry) = facts_;
    entry.model = model;
    const bool is_submit = entry.task_id.empty() || entry.event == LedgerEvent::submitted;
    if (is_submit) reserved_at_.clear();
  }
  const std::string event = to_word(entries.back().event), task_id = entries.back().task_id;
  const auto begun = begin();
  const SettleNote note{generation_.job().max_amount, odd_amount};
  auto appended =
      begun ? ledger_.append(std::move(entries), nullptr, note, kShortLockPatience) : begun.error();
  if (!appended) {
    GST_CAT_WARNING(generation_category(), "%s: the ledger is not told of \"%s\": %s",
                    generation_.log_name().c_str(), event.c_str(), log_text(appended.error()).c_str());
    return std::move(appended).error();
  }
  warn_once(appended->warning, task_id);
  return {};
}

void ClipAccount::warn_once(const std::string &text, const std::string &task_id) {
  if (!text.empty() && warned_.insert(text).second)
    generation_.warn({.kind = ErrorKind::failed, .text = text, .task_id = task_id});
}

}  // namespace genclip
