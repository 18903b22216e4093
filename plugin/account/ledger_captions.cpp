// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The lines of captions.
#include "plugin/account/ledger.h"

namespace genclip {

Result<Ledger::CaptionLease> Ledger::lease_captions(const ChargeFacts &run, const CaptionUse &used,
                                                    const CaptionAsk &ask, GCancellable *cancellable) {
  auto lock = this->lock(cancellable);
  if (!lock) return std::move(lock).error();
  auto file = files_.open(path_.ledger, FileSystem::Mode::read_write);
  if (!file) return std::move(file).error();
  auto books = take_books(**file);
  if (!books) return std::move(books).error();

  LedgerEntry entry(LedgerEvent::captions, run);
  entry.at = to_utc(clock_.wall_now());
  static_cast<CaptionUse &>(entry.captions) = used;
  const bool held_something = books->reading.account.captions().holds(run.key);
  CaptionAccount account = books->reading.account.captions();
  account.apply(entry);

  CaptionLease lease;
  lease.day = day_of(entry.at);
  lease.skipped = books->reading.skipped;
  CaptionAsk question = ask;
  question.most_of_model = lease.most_of_model = account.most_tokens(run.base_url, run.model);
  const auto limits = budget();
  if (!limits) {
    lease.decision.verdict = Verdict::refuse;
    lease.decision.budget = "budget.json";
    lease.decision.text = "No caption was requested: " + limits.error().text;
  } else if (ask.wanted > 0) {
    lease.decision = decide_captions(account.of_day(lease.day), *limits, question, entry.at);
  }
  if (!limits || ask.wanted == 0) lease.decision.held_tokens = ask.unanswered * question.tokens_each();

  static_cast<CaptionHold &>(entry.captions) = lease.decision;
  if (entry.captions != CaptionCounts() || held_something)
    if (auto written = write(**file, *books, {entry}); !written) return std::move(written).error();
  put_back(std::move(*books));
  return lease;
}

}  // namespace genclip
