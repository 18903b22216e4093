// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A row for each limit.
#include "plugin/account/budget.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

// More is a slip, and sums of it would be worth nothing.
constexpr double kMostCredits = 1e12;

constexpr BudgetLimit kLimits[] = {
    {"per_clip", "--per-clip", &Budget::per_clip},
    {"per_day", "--per-day", &Budget::per_day},
    {"per_month", "--per-month", &Budget::per_month},
    {"total", "--total", &Budget::total},
    {"tasks_per_day", "--tasks-per-day", &Budget::tasks_per_day},
    {"requests_per_day", "--requests-per-day", &Budget::requests_per_day},
    {"tokens_per_day", "--tokens-per-day", &Budget::tokens_per_day},
    {"assumed_price", "--assumed-price", &Budget::assumed_price},
};

constexpr struct {
  double Budget::*value;
  const char *what;
} kCounts[] = {{&Budget::tasks_per_day, "tasks"},
               {&Budget::requests_per_day, "requests"},
               {&Budget::tokens_per_day, "tokens"}};

Error fault(const std::string &what) { return {ErrorKind::settings, what}; }

}  // namespace

std::span<const BudgetLimit> budget_limits() { return kLimits; }

std::string fault_of(const BudgetLimit &limit, double value) {
  if (!(value >= 0 && value <= kMostCredits)) return "is not a number from 0 to 1000000000000";
  for (const auto &[count, what] : kCounts)
    if (limit.value == count && std::floor(value) != value)
      return std::string("is not a whole number of ") + what;
  return {};
}

Json Budget::to_json() const {
  Json json = Json::Object{};
  for (const BudgetLimit &limit : kLimits) {
    const double value = this->*limit.value;
    if (value == 0) continue;
    const bool is_whole = std::floor(value) == value;
    json.set(limit.name, is_whole ? Json(static_cast<int64_t>(value)) : Json(value));
  }
  return json;
}

Result<Budget> Budget::from_json(const Json &json) {
  if (!json.object()) return fault("it is no JSON object");
  Budget budget;
  for (const Json::Member &member : *json.object()) {
    const std::string &name = member.first;
    const Json &value = member.second;
    const auto *limit = std::find_if(std::begin(kLimits), std::end(kLimits),
                                     [&](const BudgetLimit &row) { return row.name == name; });
    if (limit == std::end(kLimits))
      return fault("it has a member \"" + shown_line(name) + "\", which this genclip does not know");
    if (value.is_null()) continue;
    const auto number = value.number();
    if (!number) return fault("its " + name + " is no number");
    if (const std::string wrong = fault_of(*limit, *number); !wrong.empty())
      return fault("its " + name + " " + wrong);
    budget.*limit->value = *number;
  }
  return budget;
}

}  // namespace genclip
