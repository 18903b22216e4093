// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The limits that a store's budget.json sets (docs/store-format.md, budget.json).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "plugin/base/file_system.h"
#include "plugin/base/json.h"
#include "plugin/base/result.h"
#include "plugin/base/utc_time.h"

namespace genclip {

// In credits where nothing else is said; 0: no limit.
struct Budget {
  double per_clip = 0;
  double per_day = 0;    // Of a UTC day.
  double per_month = 0;  // Of a UTC month.
  double total = 0;
  double tasks_per_day = 0;     // A whole number of tasks.
  double requests_per_day = 0;  // Of captions, to the text gateway: a whole number.
  double tokens_per_day = 0;    // Of captions: a whole number.
  // What a clip counts whose price is unknown; 0: nothing is assumed.
  double assumed_price = 0;

  // Whether any limit is in credits, so that a price has to be known.
  bool limits_credits() const { return per_clip > 0 || limits_times(); }
  // Whether any of these is about many clips; and any at all, also of their number.
  bool limits_times() const { return per_day > 0 || per_month > 0 || total > 0; }
  bool limits_many() const { return limits_times() || tasks_per_day > 0; }
  // What one clip depends on, whatever others have cost.
  Budget of_one_clip() const {
    Budget limits;
    limits.per_clip = per_clip;
    limits.assumed_price = assumed_price;
    return limits;
  }
  bool limits_captions() const { return requests_per_day > 0 || tokens_per_day > 0; }

  friend bool operator==(const Budget &, const Budget &) = default;

  // What is 0 is left out.
  Json to_json() const;
  // What is not understood is an error that names it: a limit that somebody meant would not hold.
  static Result<Budget> from_json(const Json &json);
};

// What a reservation may take, and what limits count. All but credits are whole numbers.
struct Amounts {
  double credits = 0;
  double tasks = 0;
  double requests = 0;  // Of captions, to the text gateway.
  double tokens = 0;    // Of captions.

  friend bool operator==(const Amounts &, const Amounts &) = default;
};
struct AmountWords {
  double Amounts::*of;
  const char *noun;   // Of one: "credit".
  const char *spent;  // "5 credits are SPENT"; of tasks there is none.
  bool is_of_captions;
};
const AmountWords &words_of(double Amounts::*of);

// Days from `from` on, before `until`; none: no bound.
struct Period {
  std::optional<UtcDay> from = {};
  std::optional<UtcDay> until = {};

  bool holds(UtcDay day) const { return (!from || day >= *from) && (!until || day < *until); }
};

// How long what was reserved counts against a limit.
enum class LimitTime { none, day, month, ever };
Period period_of(LimitTime time, UtcDay today);

struct BudgetLimit {
  std::string_view name;    // In the file: "per_day".
  std::string_view option;  // Of `genclip budget set`: "--per-day".
  double Budget::*value;
  double Amounts::*of;
  LimitTime time;  // `none`: it is about one clip.
};
// All of them, in the order in which they are shown.
std::span<const BudgetLimit> budget_limits();

// What is wrong with that value; empty: nothing.
std::string fault_of(const BudgetLimit &limit, double value);

// No file: no limits. The text of an error says what to do.
Result<Budget> read_budget(FileSystem &files, const std::string &path);

}  // namespace genclip
