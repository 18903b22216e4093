// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as a ledger: each line is read alike by both readers, written and read again without a
// difference, and whatever the lines come to is the same with the summary.
#include <algorithm>
#include <cmath>

#include "plugin/account/ledger_summary.h"
#include "tests/fuzz/hold.h"

namespace {

using namespace genclip;

bool is_close(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

void hold_line(std::string_view line) {
  const auto scanned = scan_ledger_line(line);
  const auto parsed = parse_ledger_line(line);
  hold(!scanned || (parsed && *scanned == *parsed));
  if (!parsed) return;
  const std::string written = ledger_line(*parsed);
  hold(written.find('\n') == written.npos);
  const auto again = read_ledger_line(written);
  hold(again && ledger_line(*again) == written);
}

void hold_account(std::string_view text) {
  Account whole;
  LedgerSummary summary;
  Account small = whole.condensed();
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto entry = read_ledger_line(line);
    if (!entry) continue;
    hold(whole.apply(*entry));
    if (!small.apply(*entry)) small = whole.condensed();
  }
  summary.account = whole;
  const auto read = read_summary(summary_text(summary));
  hold(read.has_value());
  const Sums sums = whole.sums({}, 1);
  hold(std::isfinite(sums.spent.credits) && std::isfinite(sums.reserved.credits));
  for (const Account *account : {static_cast<const Account *>(&small), &read->account}) {
    const Sums same = account->sums({}, 1);
    hold(is_close(same.spent.credits, sums.spent.credits) &&
         is_close(same.reserved.credits, sums.reserved.credits));
    hold(account->waits().classes() == whole.waits().classes());
    hold(same.spent.tasks == sums.spent.tasks && same.unknown == sums.unknown && same.untold == sums.untold);
  }
}

}  // namespace

FUZZ_TARGET(ledger_line)(const uint8_t *data, size_t size) {
  std::string_view text = as_text(data, size);
  hold_account(text);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    hold_line(line);
  }
  return 0;
}
