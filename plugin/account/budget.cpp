// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A row for each limit.
#include "plugin/account/budget.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "plugin/base/credits.h"
#include "plugin/base/durable_file.h"
#include "plugin/base/number.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/trimmed.h"

namespace genclip {
namespace {

constexpr size_t kLongestFile = 64 * 1024;
// More is a slip, and sums of it would be worth nothing.
constexpr double kHighestLimit = 1e12;

constexpr BudgetLimit kLimits[] = {
    {"per_clip", "--per-clip", &Budget::per_clip, &Amounts::credits, LimitTime::none},
    {"per_day", "--per-day", &Budget::per_day, &Amounts::credits, LimitTime::day},
    {"per_month", "--per-month", &Budget::per_month, &Amounts::credits, LimitTime::month},
    {"total", "--total", &Budget::total, &Amounts::credits, LimitTime::ever},
    {"tasks_per_day", "--tasks-per-day", &Budget::tasks_per_day, &Amounts::tasks, LimitTime::day},
    {"requests_per_day", "--requests-per-day", &Budget::requests_per_day, &Amounts::requests, LimitTime::day},
    {"tokens_per_day", "--tokens-per-day", &Budget::tokens_per_day, &Amounts::tokens, LimitTime::day},
    {"assumed_price", "--assumed-price", &Budget::assumed_price, &Amounts::credits, LimitTime::none},
};

constexpr AmountWords kAmountWords[] = {{&Amounts::credits, "credit", "spent", false},
                                        {&Amounts::tasks, "task", "", false},
                                        {&Amounts::requests, "request", "sent", true},
                                        {&Amounts::tokens, "token", "used", true}};

Error fault(const std::string &what) { return {ErrorKind::settings, what}; }

}  // namespace

const AmountWords &words_of(double Amounts::*of) {
  return *std::ranges::find(kAmountWords, of, &AmountWords::of);
}

Period period_of(LimitTime time, UtcDay today) {
  if (time == LimitTime::day) return {today, today + std::chrono::days(1)};
  if (time == LimitTime::month) return {month_of(today), next_month(today)};
  return {};
}

std::span<const BudgetLimit> budget_limits() { return kLimits; }

std::string fault_of(const BudgetLimit &limit, double value) {
  const double most = limit.value == &Budget::assumed_price ? kMostCredits : kHighestLimit;
  if (!(value >= 0 && value <= most)) return "is not a number from 0 to " + rounded_text(most, 0);
  if (limit.of == &Amounts::credits || std::floor(value) == value) return {};
  return std::string("is not a whole number of ") + words_of(limit.of).noun + "s";
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

Result<Budget> read_budget(FileSystem &files, const std::string &path) {
  const auto text = read_whole(files, path, kLongestFile);
  if (!text && text.error().kind == ErrorKind::not_found) return Budget();
  // A file stands in place of a folder on the way to it.
  if (!text)
    if (const auto there = files.info(path); there && !*there) return Budget();
  const auto unreadable = [&](const std::string &why) {
    return fault("The store's budget " + path + " cannot be read: " + std::string(without_full_stop(why)) +
                 ". Mend it, or lift all limits with: genclip budget clear.");
  };
  if (!text) return unreadable(text.error().text);
  const auto json = Json::parse(*text, Json::Lines::unknown, Json::Reading::strict);
  if (!json) return unreadable(json.error().text);
  auto budget = Budget::from_json(*json);
  if (!budget) return unreadable(budget.error().text);
  return budget;
}

}  // namespace genclip
