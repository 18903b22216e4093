// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The visible state of a generation.
#pragma once

#include <cstdint>
#include <string>

#include "plugin/base/words.h"

namespace genclip {

enum class ClipStatus { idle, submitting, queued, processing, downloading, completed, failed };
template <>
inline constexpr Word<ClipStatus> kWords<ClipStatus>[] = {{ClipStatus::idle, "idle"},
                                                          {ClipStatus::submitting, "submitting"},
                                                          {ClipStatus::queued, "queued"},
                                                          {ClipStatus::processing, "processing"},
                                                          {ClipStatus::downloading, "downloading"},
                                                          {ClipStatus::completed, "completed"},
                                                          {ClipStatus::failed, "failed"}};

struct GenerationState {
  uint64_t version = 0;  // Grows with each change, so that a state that arrives late is recognised.
  ClipStatus status = ClipStatus::idle;
  int progress = -1;            // Percent, -1 unknown.
  std::string model;            // Empty when only a task ID is known.
  std::string task_id;          // Empty until there is one.
  double amount = -1;           // Credits, -1 unknown.
  double actual_duration = -1;  // Seconds, -1 unknown.
  double estimate = -1;         // Credits, likely, before the submit; -1 unknown.
  bool reused = false;          // This run submitted nothing, because the clip or the task existed.
  bool charged = false;         // There is a task that this run has submitted, or follows.
  std::string clip_location;    // Path of the whole clip; empty until then.

  bool operator==(const GenerationState &) const = default;
};

}  // namespace genclip
