// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/source_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace genclip {
namespace {

constexpr auto kFirstWait = std::chrono::seconds(5);
constexpr auto kLongestWait = std::chrono::minutes(10);
// Sources that have left the window and that are remembered nevertheless.
constexpr size_t kMostMemories = 10000;
constexpr size_t kLongestReason = 400;  // Bytes of such a memory.

}  // namespace

void SourceMemory::wait(const std::string &why, Clock::Time now) {
  auto pause = std::chrono::duration_cast<std::chrono::seconds>(kLongestWait);
  if (waits < 8) pause = std::min<std::chrono::seconds>(pause, kFirstWait * (1 << waits));
  if (waits++ == 0) first_wait = now;
  reason = why;
  not_before = now + pause;
}

void SourceMemory::give_up(ItemState state, const std::string &why, bool until_reload) {
  verdict.give_up(state, until_reload);
  reason = why;
}

void SourceMemory::forgive() {
  if (verdict.forgive()) reason.clear();
}

void SourceMemory::reload(Clock::Time now) {
  not_before = now;
  waits = 0;
  if (verdict.reload()) reason.clear();
}

void SourceMemory::stored(bool is_once) {
  SourceMemory fresh;
  fresh.was_stored = is_once;
  fresh.verdict = verdict;
  fresh.verdict.resume();
  if (verdict.is_doubted()) fresh.reason = std::move(reason);
  *this = std::move(fresh);
}

void SourceMemory::vetted_well() {
  const bool was_doubted = verdict.pass();
  if (was_doubted || is_foreign) reason.clear();
  if (was_doubted) is_paid = false;
}

void SourceMemory::vetted_badly(const std::string &why, Clock::Time now) {
  reason = why;
  not_before = now + verdict.pause();
  // It may leave the store before it is looked at again; it is not paid again for that.
  is_paid = !is_foreign;
}

void SourceMemory::put_off(const std::string &why, Clock::Time until) {
  reason = why;
  not_before = until;
  verdict.let_be();
}

void SourceMemory::hang(const std::string &why, Clock::Time now) {
  hangs = true;
  if (verdict.over()) return;  // For another item of it, more is known.
  wait(why, now);
  verdict.let_be();
}

void SourceMemory::answer() {
  if (!std::exchange(hangs, false)) return;
  if (verdict.is_paused()) verdict.resume();
  waits = 0;
  not_before = {};
  reason.clear();
}

std::string SourceMemories::name_of(const PlannedWish &wish) {
  return wish.is_generated ? wish.request + "\n" + std::to_string(wish.take)
                           : wish.source + "\n" + wish.key.id;
}

bool SourceMemories::are_of_one_series(const PlannedWish &one, const PlannedWish &other) {
  return one.is_fresh && other.is_fresh && one.request == other.request;
}

SourceMemory &SourceMemories::of(const PlannedWish &wish) {
  SourceMemory &memory = memories_[name_of(wish)];
  memory.is_foreign = !wish.is_generated;
  return memory;
}

SourceMemory *SourceMemories::find(const PlannedWish &wish) {
  const auto found = memories_.find(name_of(wish));
  return found == memories_.end() ? nullptr : &found->second;
}

const SourceMemory *SourceMemories::find(const PlannedWish &wish) const {
  const auto found = memories_.find(name_of(wish));
  return found == memories_.end() ? nullptr : &found->second;
}

SeriesMemory *SourceMemories::series_of(const PlannedWish &wish) {
  return wish.is_fresh ? &series_[wish.request] : nullptr;
}

const SeriesMemory *SourceMemories::find_series(const PlannedWish &wish) const {
  const auto found = wish.is_fresh ? series_.find(wish.request) : series_.end();
  return found == series_.end() ? nullptr : &found->second;
}

void SourceMemories::keep(const std::vector<const PlannedWish *> &wanted) {
  std::set<std::string> names, requests;
  for (const PlannedWish *wish : wanted) {
    names.insert(name_of(*wish));
    requests.insert(wish->request);
  }
  keep_takes(names);
  keep_series(requests);
}

void SourceMemories::keep_series(const std::set<std::string> &requests) {
  size_t kept = 0, kept_for_takes = 0;
  std::erase_if(series_, [&](const auto &known) {
    const auto &[request, series] = known;
    if (requests.contains(request)) return false;
    if (series.verdict.over() || series.failures > 0) return ++kept > kMostMemories;
    return series.missing.to == 0 || ++kept_for_takes > kMostMemories;
  });
}

void SourceMemories::keep_takes(const std::set<std::string> &names) {
  size_t kept = 0;
  for (auto known = memories_.begin(); known != memories_.end();) {
    SourceMemory &memory = known->second;
    if (names.contains(known->first)) {
      ++known;
      continue;
    }
    if (memory.reason.size() > kLongestReason) memory.reason.resize(kLongestReason);
    const bool stays = memory.bears_on_money() && ++kept <= kMostMemories;
    known = stays ? std::next(known) : memories_.erase(known);
  }
}

void SourceMemories::reload(Clock::Time now) {
  for (auto &[name, memory] : memories_) memory.reload(now);
  for (auto &[request, series] : series_)
    if (series.verdict.reload()) series.reason.clear();
}

}  // namespace genclip
