// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A generation task as the service describes it (service-interface.txt §2.1, §3).
#pragma once

#include <string>

#include "plugin/base/words.h"
#include "plugin/task/clip_result.h"

namespace genclip {

enum class TaskStatus {
  unknown,  // missing, null or an unknown word: keep polling
  queued,
  processing,
  completed,
  failed,
};
template <>
inline constexpr Word<TaskStatus> kWords<TaskStatus>[] = {{TaskStatus::unknown, "unknown"},
                                                          {TaskStatus::queued, "queued"},
                                                          {TaskStatus::processing, "processing"},
                                                          {TaskStatus::completed, "completed"},
                                                          {TaskStatus::failed, "failed"}};

struct Task {
  std::string id;
  std::string model;  // The service's name of it, safe to show; empty when the service does not say.
  TaskStatus status = TaskStatus::unknown;
  std::string status_word;  // The word that was sent, made safe to show, for a warning about an unknown one.
  int progress = -1;        // Percent, -1 unknown.
  ClipResult result;        // Of a completed task only.
  double amount = -1;       // Credits, -1 unknown.
  std::string odd_amount;   // As it was spelled, safe to show, if it was told and is not understood.
  double actual_duration = -1;  // Seconds, -1 unknown.
  std::string error_message;    // Why it failed, one line, without any URL's query.

  // Where its clip is; empty until completed, or if the answer does not say.
  std::string clip_url() const { return result.urls.empty() ? std::string() : result.urls.front().url; }
};

}  // namespace genclip
