// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What observers see of a clip: its part that comes out of the run's events (clip_run.h).
#pragma once

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

// A task that a run has submitted, and that is paid, or will be.
struct PaidTask {
  std::string id;
  double amount = -1;         // Credits, -1 unknown.
  bool is_under_way = false;  // Neither its end nor its cost is known, unless the run has failed with it.

  friend bool operator==(const PaidTask &, const PaidTask &) = default;
};

struct ClipView {
  ClipStatus status = ClipStatus::idle;
  int progress = -1;            // Percent, -1 unknown. While preparing: of the clip that is prepared.
  std::string model;            // Empty when only a task ID is known.
  std::string task_id;          // Empty until there is one.
  double amount = -1;           // Credits, -1 unknown.
  double actual_duration = -1;  // Seconds, -1 unknown.
  bool reused = false;          // This run submitted nothing, because the clip or the task existed.
  bool charged = false;         // There is a task that this run has submitted, or follows.
  bool completed = false;       // … and it was completed, so that it is paid, whatever becomes of its clip.
  // While submitting: the service did not take the request, so nothing is on its way until it is sent again,
  // so many seconds after this state. -1: it is on its way.
  double sent_again_in = -1;

  friend bool operator==(const ClipView &, const ClipView &) = default;
};

}  // namespace genclip
