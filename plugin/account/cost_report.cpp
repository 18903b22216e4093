// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/account/cost_report.h"

namespace genclip {
namespace {

constexpr size_t kMonthLength = 7;  // Of "2026-11-22".

bool is_free_failure(const Charge &charge) {
  return charge.state == ChargeState::settled && charge.status == "failed" && !charge.amount;
}

std::string name_of(const std::string &model, const std::string &project, UtcDay day, CostBy by) {
  switch (by) {
    case CostBy::model: return model;
    case CostBy::project: return project;
    case CostBy::day: return day_text(day);
    case CostBy::month: return day_text(day).substr(0, kMonthLength);
    case CostBy::task: break;
  }
  return {};
}

void add(CostSums &sums, const Charge &charge, double assumed_price) {
  if (charge.state == ChargeState::attached) {
    ++sums.attached;
    return;
  }
  ++sums.clips;
  sums.spent += charge.spent();
  sums.reserved += charge.reserved(assumed_price);
  sums.unknown += charge.state == ChargeState::unknown;
  sums.untold += charge.is_untold();
  sums.failed += is_free_failure(charge);
  sums.corrected += charge.corrected;
  sums.imported += charge.imported;
}

}  // namespace

CostReport cost_report(const Account &account, const Period &period, CostBy by, double assumed_price) {
  CostReport report;
  for (const Charge &charge : account.charges()) {
    if (charge.state == ChargeState::released || !period.holds(day_of(charge.at))) continue;
    report.charges.push_back(&charge);
    add(report.total, charge, assumed_price);
    if (by == CostBy::task) continue;
    add(report.rows[name_of(charge.model, charge.project, day_of(charge.at), by)], charge, assumed_price);
  }
  for (const auto &[of, use] : account.captions_used()) {
    if (!period.holds(of.day) || use.requests == 0) continue;
    report.captions_total.add(use);
    if (by != CostBy::task) report.captions[name_of(of.model, of.project, of.day, by)].add(use);
  }
  return report;
}

std::string state_word(const Charge &charge) {
  switch (charge.state) {
    case ChargeState::reserved: return "reserved";
    case ChargeState::submitted: return "submitted";
    case ChargeState::unknown: return "unknown";
    case ChargeState::released: return "released";
    case ChargeState::attached: return "attached";
    case ChargeState::settled: break;
  }
  if (charge.is_untold()) return "untold";
  return charge.status.empty() ? "corrected" : charge.status;
}

bool asks_for_correction(const Charge &charge) {
  return charge.state == ChargeState::unknown || charge.is_untold();
}

bool is_remarkable(const Charge &charge) {
  return asks_for_correction(charge) || charge.state == ChargeState::attached || is_free_failure(charge);
}

}  // namespace genclip
