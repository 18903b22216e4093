// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What an answer of the service reports on a task (service-interface.txt §2.1), and what a record keeps of
// it. What one answer tells stays known, whatever later answers leave out.
#pragma once

#include <string>

#include "plugin/core/clip_view.h"
#include "plugin/store/clip_record.h"

namespace genclip {

struct TaskNews {
  ClipStatus status = ClipStatus::idle;  // queued, processing or completed; idle: it does not say.
  int progress = -1;                     // Percent, -1 unknown.
  double amount = -1;                    // Credits, -1 unknown.
  double actual_duration = -1;           // Seconds, -1 unknown.
  std::string model = {};                // Empty: unknown.
  std::string odd_amount = {};           // What stands there and is no amount; empty: nothing.
};

// Amount and duration. False: nothing is new in them.
bool take_quantities(ClipRecord &record, const TaskNews &news);
// Those, status and progress, of a task that is under way.
bool take_news(ClipRecord &record, const TaskNews &news);

}  // namespace genclip
