// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The visible state of a generation.
#pragma once

#include <cstdint>
#include <string>

#include "plugin/base/words.h"

namespace genclip {

// Programs know the numbers of these, so new ones come last.
enum class ClipStatus {
  idle,
  submitting,
  queued,
  processing,
  downloading,
  completed,
  failed,
  preparing,
  waiting,  // For its turn: nothing is submitted yet.
};
template <>
inline constexpr Word<ClipStatus> kWords<ClipStatus>[] = {{ClipStatus::idle, "idle"},
                                                          {ClipStatus::submitting, "submitting"},
                                                          {ClipStatus::queued, "queued"},
                                                          {ClipStatus::processing, "processing"},
                                                          {ClipStatus::downloading, "downloading"},
                                                          {ClipStatus::completed, "completed"},
                                                          {ClipStatus::failed, "failed"},
                                                          {ClipStatus::preparing, "preparing"},
                                                          {ClipStatus::waiting, "waiting"}};

struct GenerationState {
  uint64_t version = 0;  // Grows with each change, so that a state that arrives late is recognised.
  ClipStatus status = ClipStatus::idle;
  int progress = -1;            // Percent, -1 unknown. While preparing: of the clip numbered `link`.
  unsigned link = 0;            // While preparing: which clip of `links` is made; 0: none of them.
  unsigned links = 0;           // How many clips are made, this one included, if none of them is stored.
  double links_amount = 0;      // Credits that this run has paid for other links.
  bool link_submits = false;    // While preparing: the request of that clip is on its way to the service.
  std::string model;            // Empty when only a task ID is known.
  std::string task_id;          // Empty until there is one.
  double amount = -1;           // Credits, -1 unknown.
  double actual_duration = -1;  // Seconds, -1 unknown.
  double estimate = -1;         // Credits, likely, before the submit; -1 unknown.
  double eta = -1;       // Seconds until it is completed, a guess at the moment of the state; -1 unknown.
  bool overdue = false;  // It takes longer than all tasks of its kind that are known.
  bool reused = false;   // This run submitted nothing, because the clip or the task existed.
  bool charged = false;  // There is a task that this run has submitted, or follows.
  std::string clip_location;  // Path of the whole clip; empty until then.
  std::string provenance;     // "c2pa": the whole clip has content credentials, which nobody has verified.

  // A request is on its way to the service: whoever stops now does not learn whether it is accepted.
  bool is_submitting() const {
    return status == ClipStatus::submitting || (status == ClipStatus::preparing && link_submits);
  }

  bool operator==(const GenerationState &) const = default;
};

}  // namespace genclip
