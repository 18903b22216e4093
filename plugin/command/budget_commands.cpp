// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip budget, budget set and budget clear: no network, no key.
#include <algorithm>
#include <array>

#include "plugin/account/decision.h"
#include "plugin/base/number.h"
#include "plugin/command/account_reading.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/setting_options.h"
#include "plugin/command/text_table.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

constexpr const char *kBudgetEnd =
    "The budget binds every process that uses the store: elements, players that open\n"
    "a genclip:// URI, and this command. A clip that is stored plays under any\n"
    "budget.\n\n"
    "Exit code: 0 success, 1 the budget or the ledger cannot be read or written, 2\n"
    "usage error.\n";

constexpr CommandText kBudget{
    "budget", "",
    "Shows what the store's budget allows, and what of it is spent and reserved now.\n"
    "Days and months are those of UTC. To change it: genclip budget set, genclip\n"
    "budget clear.",
    kBudgetEnd};
constexpr CommandText kSet{"budget set", "",
                           "Sets the limits that are named, and keeps the others. 0 lifts a limit. Limits\n"
                           "are in credits, in days and months of UTC.",
                           kBudgetEnd};
constexpr CommandText kClear{
    "budget clear", "",
    "Lifts all limits of the store's budget. To lift one of them: genclip budget set, with 0.", kBudgetEnd};

// In the order of budget_limits().
constexpr const char *kHelp[] = {
    "Most credits for one clip",
    "Most credits in a day",
    "Most credits in a month",
    "Most credits in total",
    "Most tasks in a day",
    "Most requests of captions in a day",
    "Most tokens of captions in a day",
    "Credits to count for a clip whose price is unknown",
};

// One limit, and what counts against it now, in what it limits.
struct LimitState {
  const BudgetLimit *limit = nullptr;
  double value = 0;  // 0: there is none.
  // Nothing: it is a limit of each clip, or none at all.
  std::optional<double> spent = {};
  std::optional<double> reserved = {};
  std::optional<double> left = {};
  std::optional<UtcTime> resets = {};  // None: never.
};

std::vector<LimitState> states_of(const Budget &budget, const Account &account, UtcDay today) {
  std::vector<LimitState> states;
  for (const BudgetLimit &limit : budget_limits()) {
    LimitState &state = states.emplace_back();
    state.limit = &limit;
    state.value = budget.*limit.value;
    if (limit.time == LimitTime::none) continue;
    const Period period = period_of(limit.time, today);
    const Sums sums = account.sums(period, budget.assumed_price);
    state.spent = sums.spent.*limit.of;
    if (limit.of != &Amounts::tasks) state.reserved = sums.reserved.*limit.of;
    if (state.value > 0) state.left = std::max(0.0, state.value - *state.spent - state.reserved.value_or(0));
    state.resets = period.until;
  }
  return states;
}

Json number_or_null(const std::optional<double> &value) { return value ? Json(*value) : Json(); }

Json budget_json(const std::string &root, const Budget &budget, const std::vector<LimitState> &states,
                 const LedgerReading &reading) {
  Json limits = Json::Object{};
  for (const LimitState &state : states) {
    if (state.limit->value == &Budget::assumed_price) continue;
    Json row = Json::Object{{"limit", state.value > 0 ? Json(state.value) : Json()}};
    if (state.spent) {
      row.set("spent", *state.spent);
      if (state.reserved) row.set("reserved", *state.reserved);
      row.set("left", number_or_null(state.left));
      row.set("resets", state.resets ? Json(utc_text(*state.resets)) : Json());
    }
    limits.set(state.limit->name, std::move(row));
  }
  const Sums sums = reading.account.sums({}, budget.assumed_price);
  return Json::Object{{"store", root},
                      {"limits", std::move(limits)},
                      {"assumed_price", budget.assumed_price > 0 ? Json(budget.assumed_price) : Json()},
                      {"unknown", static_cast<int64_t>(sums.unknown)},
                      {"untold", static_cast<int64_t>(sums.untold)},
                      {"skipped", static_cast<int64_t>(reading.skipped)}};
}

void show_budget(const std::vector<LimitState> &states, const Account &account) {
  using Align = TextTable::Align;
  TextTable table({{"BUDGET", Align::left, true},
                   {"LIMIT", Align::right, true},
                   {"SPENT", Align::right, true},
                   {"RESERVED", Align::right, true},
                   {"LEFT", Align::right, true},
                   {"RESETS", Align::left, true}});
  const bool for_person = columns_of(stdout) != kNoLimit;
  const auto number = [](const std::optional<double> &value) { return value ? amount_text(*value) : ""; };
  for (const LimitState &state : states) {
    std::string resets;
    if (state.resets) resets = for_person ? minute_text(*state.resets) : utc_text(*state.resets);
    table.add({std::string(state.limit->option.substr(2)),
               state.value > 0 ? amount_text(state.value)
               : for_person    ? "none"
                               : "",
               number(state.spent), number(state.reserved), number(state.left), resets});
  }
  print(table.to_text(stdout));
  if (!for_person) return;
  const Sums sums = account.sums({}, 0);
  const uint64_t open = sums.unknown + sums.untold;
  if (open == 0) return;
  const std::string text = "The cost of " + counted(static_cast<int64_t>(open), "clip") +
                           " was not told, and so stays reserved. See: genclip cost";
  print("\n");
  print_prose(text);
}

// What happens to a clip that no estimate is known for. Empty: it counts with a price, or no limit is in
// credits.
std::string unknown_price_text(const Budget &budget) {
  if (!budget.limits_credits() || budget.assumed_price > 0) return {};
  const std::string fate =
      budget.per_clip > 0
          ? "--per-clip refuses it."
          : "it is submitted nevertheless, with a warning, and may cost more than a limit allows.";
  return "This holds for kinds of clips that were bought before. The first clip of another kind has no known "
         "price: " +
         fate + " To say what such clips count with: genclip budget set --assumed-price N.";
}

int report_budget(const std::string &root, const Budget &budget, bool json) {
  const auto reading = read_account(root, Reading::condensed);
  if (!reading) return report_failure(reading.error(), json);
  const UtcDay today = day_of(to_utc(Clock::system().wall_now()));
  const auto states = states_of(budget, reading->account, today);
  if (json)
    print(budget_json(root, budget, states, *reading).to_pretty_text() + "\n");
  else
    show_budget(states, reading->account);
  return kOk;
}

}  // namespace

int run_budget(const Words &words) {
  std::string store;
  bool json = false;
  CommandOptions options(kBudget);
  options.add("json", 'j', "Print JSON", json);
  add_setting(options, "store", store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (!rest->empty())
    return options.refuse(
        no_command_text("budget", rest->front(), "There are: budget, budget set, budget clear."));
  const std::string root = store_root(store);
  const auto budget = ledger_of(root).budget();
  if (!budget) return report_failure(budget.error(), json);
  return report_budget(root, *budget, json);
}

int run_budget_set(const Words &words) {
  std::string store;
  bool json = false;
  CommandOptions options(kSet);
  const auto limits = budget_limits();
  std::array<std::optional<double>, std::size(kHelp)> values;
  for (size_t i = 0; i < values.size(); ++i)
    options.add(limits[i].option.data() + 2, "N", kHelp[i], values[i]);
  options.add("json", 'j', "Print JSON", json);
  add_setting(options, "store", store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (!rest->empty()) return options.refuse("budget set takes only options, such as --per-day 100.");
  std::vector<std::pair<BudgetLimit, double>> changes;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    if (const std::string wrong = fault_of(limits[i], *values[i]); !wrong.empty())
      return options.refuse(std::string(limits[i].option) + " " + wrong + ".");
    changes.emplace_back(limits[i], *values[i]);
  }
  if (changes.empty()) return options.refuse("Name at least one limit, such as --per-day 100.");
  const std::string root = store_root(store);
  const auto before = ledger_of(root).budget();
  const auto budget = ledger_of(root).change_budget(changes, nullptr);
  if (!budget) return report_failure(budget.error(), json);
  const int exit_code = report_budget(root, *budget, json);
  // Once, and not with each limit that is changed.
  const std::string text = unknown_price_text(*budget);
  if (!text.empty() && !(before && unknown_price_text(*before) == text)) print_error(text);
  return exit_code;
}

int run_budget_clear(const Words &words) {
  std::string store;
  bool json = false;
  CommandOptions options(kClear);
  options.add("json", 'j', "Print JSON", json);
  add_setting(options, "store", store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (!rest->empty()) return options.refuse("budget clear takes no arguments. It lifts all limits.");
  const std::string root = store_root(store);
  const auto cleared = ledger_of(root).clear_budget(nullptr);
  if (!cleared) return report_failure(cleared.error(), json);
  return report_budget(root, Budget(), json);
}

}  // namespace genclip
