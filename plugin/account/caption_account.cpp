// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/account/caption_account.h"

#include <algorithm>

namespace genclip {

void CaptionAccount::apply(const LedgerEntry &entry) {
  CaptionClass of{day_of(entry.at), entry.base_url, entry.model, entry.project};
  const CaptionUse &use = entry.captions;
  const auto before = runs_.find(entry.key);
  if (use != CaptionUse()) used_[before == runs_.end() ? of : before->second.of].add(use);
  if (before != runs_.end()) runs_.erase(before);
  const CaptionHold &hold = entry.captions;
  if (hold != CaptionHold()) runs_[entry.key] = {hold, std::move(of)};
}

CaptionAccount::Rows CaptionAccount::rows() const {
  Rows rows;
  for (const auto &[of, use] : used_) static_cast<CaptionUse &>(rows[of]) = use;
  for (const auto &[key, run] : runs_) {
    rows[run.of].held_requests += run.held_requests;
    rows[run.of].held_tokens += run.held_tokens;
  }
  return rows;
}

CaptionCounts CaptionAccount::of_day(UtcDay day) const {
  CaptionCounts sum;
  for (const auto &[of, use] : used_)
    if (of.day == day) sum.add(use);
  for (const auto &[key, run] : runs_) {
    if (run.of.day != day) continue;
    sum.held_requests += run.held_requests;
    sum.held_tokens += run.held_tokens;
  }
  return sum;
}

uint64_t CaptionAccount::most_tokens(const std::string &base_url, const std::string &model) const {
  uint64_t most = 0;
  UtcDay latest = {};
  for (const auto &[of, use] : used_) {
    if (of.base_url != base_url || of.model != model || use.most_tokens == 0) continue;
    most = of.day == latest ? std::max(most, use.most_tokens) : use.most_tokens;
    latest = of.day;
  }
  return most;
}

std::vector<LedgerEntry> CaptionAccount::holds() const {
  std::vector<LedgerEntry> entries;
  for (const auto &[key, run] : runs_) {
    LedgerEntry &entry = entries.emplace_back();
    entry.event = LedgerEvent::captions;
    entry.at = run.of.day;
    entry.key = key;
    entry.base_url = run.of.base_url;
    entry.model = run.of.model;
    entry.project = run.of.project;
    static_cast<CaptionHold &>(entry.captions) = run;
  }
  return entries;
}

}  // namespace genclip
