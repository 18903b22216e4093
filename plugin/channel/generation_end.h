// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How a generation ended, as far as a channel's next step depends on it.
#pragma once

#include <optional>
#include <string>

#include "plugin/base/error.h"
#include "plugin/base/utc_time.h"
#include "plugin/channel/preparer.h"
#include "plugin/core/run_ending.h"

namespace genclip {

// Why nothing more is submitted, whatever the item.
struct Halt {
  BudgetNotice notice;
  // The key is refused, so the service answers no query about a task either.
  bool bars_queries = false;

  // ---- Of a spent budget: the clip that it refused, in credits; -1: unknown, so any room is enough.
  double estimate = -1;
};

// Whether it is the one clip that a limit of that name refuses: others may be submitted, and this one may not
// even when nothing is spent. `estimate`: in credits, -1: unknown.
bool is_limit_of_clip(const std::string &budget, double estimate, double limit);

// The later reason is no news while the first one holds. A refused key is, behind an account without credits:
// then no query about a paid task is answered either.
bool is_same_reason(const Halt &halted, const Halt &later);

struct GenerationEnd {
  Outcome outcome = Outcome::stored;
  bool may_pass = false;     // The same run again may help, and does not pay twice.
  bool is_full = false;      // There is no room on the disk.
  bool is_too_dear = false;  // is_limit_of_clip() of what refused it.
  bool is_nowhere =
      false;  // Nothing was sent: of a run that must not submit, there is neither clip nor task.
  std::optional<Halt> halt;
  std::string text;  // Of the error; empty if the clip is stored.
};

// `no_key`: GenerationJob::no_key. `now`: when it ended. Pure.
GenerationEnd generation_end(const Error &error, const std::string &no_key, UtcTime now);

}  // namespace genclip
