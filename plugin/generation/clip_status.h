// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The visible state of a generation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/core/clip_view.h"

namespace genclip {

struct GenerationState : ClipView {
  uint64_t version = 0;        // Grows with each change, so that a state that arrives late is recognised.
  unsigned link = 0;           // While preparing: which clip of `links` is made; 0: references are looked at.
  unsigned links = 0;          // How many clips are made, this one included, if none of them is stored.
  double links_amount = 0;     // Credits that this run has paid for other links.
  bool links_charged = false;  // Likewise, that there is such a task.
  std::vector<PaidTask> link_tasks;  // Likewise, which ones.
  bool link_submits = false;    // While preparing: the request of that clip is on its way to the service.
  bool link_unfetched = false;  // Likewise: its task was completed, and the clip is on its way.
  bool link_runs = false;       // Likewise: its task is at the service.
  bool waits_for_clip = false;  // Before its submit: the budget lets another clip go first.
  double estimate = -1;         // Credits, likely, before the submit; -1 unknown.
  double eta = -1;       // Seconds until it is completed, a guess at the moment of the state; -1 unknown.
  bool overdue = false;  // It takes longer than all tasks of its kind that are known.
  std::string clip_location;  // Path of the whole clip; empty until then.
  std::string provenance;     // "c2pa": the whole clip has content credentials, which nobody has verified.

  // A request is on its way to the service: whoever stops now does not learn whether it is accepted.
  bool is_submitting() const {
    return (status == ClipStatus::submitting && sent_again_in < 0) ||
           (status == ClipStatus::preparing && link_submits);
  }

  // The clip is paid, or the one before it that is made, and is not in the store yet.
  bool is_unfetched() const {
    return status == ClipStatus::preparing ? link_unfetched : completed && status != ClipStatus::completed;
  }

  // There is a task, of this clip or of the one before it that is made, and its clip is not in the store yet.
  bool is_running() const {
    const bool is_at_service =
        status == ClipStatus::queued || status == ClipStatus::processing || status == ClipStatus::downloading;
    return status == ClipStatus::preparing ? link_runs : charged && is_at_service;
  }

  bool operator==(const GenerationState &) const = default;
};

}  // namespace genclip
