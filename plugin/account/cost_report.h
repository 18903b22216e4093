// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What clips have cost, summed up by model, project, day or month.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plugin/account/account.h"
#include "plugin/base/words.h"

namespace genclip {

enum class CostBy { model, project, day, month, task };
template <>
inline constexpr Word<CostBy> kWords<CostBy>[] = {{CostBy::model, "model"},
                                                  {CostBy::project, "project"},
                                                  {CostBy::day, "day"},
                                                  {CostBy::month, "month"},
                                                  {CostBy::task, "task"}};

// Counts are of charges whose task exists or may exist, except `attached`.
struct CostSums {
  uint64_t clips = 0;
  double spent = 0;        // Credits.
  double reserved = 0;     // Credits that open charges may yet cost.
  uint64_t unknown = 0;    // Whose outcome is unknown.
  uint64_t untold = 0;     // That were completed, and whose amount was not told.
  uint64_t failed = 0;     // That failed, and whose amount was not told: they count 0.
  uint64_t corrected = 0;  // Whose amount a person has said.
  uint64_t imported = 0;   // That are known only from a clip's record.
  uint64_t attached = 0;   // Tasks that this store never reserved: in no other number here.
};

struct CostReport {
  // By name, which is empty where a charge has no project. Empty for CostBy::task.
  std::map<std::string, CostSums> rows;
  CostSums total;
  // What captions have used, by the same names; the text gateway tells no price. Empty for CostBy::task.
  std::map<std::string, CaptionUse> captions;
  CaptionUse captions_total;
  // All charges that `rows` sums up, in the account's order; borrowed from it.
  std::vector<const Charge *> charges;
};

// Of charges of that time, by the day on which they were reserved. `account` is a whole one. `assumed_price`:
// credits counted for an open charge without an estimate.
CostReport cost_report(const Account &account, const Period &period, CostBy by, double assumed_price);

// "reserved", "submitted", "unknown", "completed", "failed", "untold" (completed, and its amount was not
// told), "corrected" (only a person's word ended it), "attached" or "released".
std::string state_word(const Charge &charge);

// Whether a person should know of it: it is unknown, untold, attached, or has failed without an amount.
bool is_remarkable(const Charge &charge);

// Whether it stays reserved until a person enters what it has cost: it is unknown or untold.
bool asks_for_correction(const Charge &charge);

}  // namespace genclip
