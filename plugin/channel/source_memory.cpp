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
  ++waits;
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

void SourceMemory::stored() {
  SourceMemory fresh;
  fresh.verdict = verdict;
  fresh.verdict.resume();
  if (verdict.is_doubted()) fresh.reason = std::move(reason);
  *this = std::move(fresh);
}

void SourceMemory::vetted_well() {
  if (!verdict.pass()) return;
  reason.clear();
  is_paid = false;
}

void SourceMemory::vetted_badly(const std::string &why, Clock::Time now) {
  reason = why;
  not_before = now + verdict.pause();
  // It may leave the store before it is looked at again; it is not paid again for that.
  is_paid = !is_foreign;
}

std::string SourceMemories::name_of(const PlannedWish &wish) {
  return wish.source + "\n" + std::to_string(wish.take) + (wish.is_generated ? "" : "\n" + wish.key.id);
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

void SourceMemories::keep(const std::set<std::string> &names) {
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
}

}  // namespace genclip
