// SPDX-License-Identifier: LGPL-2.1-or-later
//
// task.json: the journal of one request, from the intent to submit it to the whole clip
// (docs/store-format.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/base/result.h"
#include "plugin/base/words.h"
#include "plugin/store/clip_path.h"

namespace genclip {

// How far a request has come.
enum class ClipState {
  intent,     // About to be submitted, or a crash came in between: whether a task exists is unknown.
  ambiguous,  // The submit's answer was lost: whether a task exists is unknown.
  refused,    // The service refused it: no task exists.
  submitted,  // The task exists; `task_id` is set.
  failed,     // The service tried and failed.
  lost,       // The service, asked for the task, did not know it: its clip cannot be had.
  complete,   // The clip is in the folder, whole.
};
template <>
inline constexpr Word<ClipState> kWords<ClipState>[] = {
    {ClipState::intent, "intent"},       {ClipState::ambiguous, "ambiguous"}, {ClipState::refused, "refused"},
    {ClipState::submitted, "submitted"}, {ClipState::failed, "failed"},       {ClipState::lost, "lost"},
    {ClipState::complete, "complete"}};

// A download that is under way: what is needed to go on with it after a restart.
struct PartState {
  uint64_t total = 0;  // Bytes of the whole clip; 0 when the server did not say.
  std::string etag;    // These two as the server sent them, weak ones too; empty when it sent none.
  std::string last_modified;
  uint64_t synced = 0;  // That many bytes of clip.part survive a power cut.
  // The boot in which clip.part was written: in the same, all its bytes can be trusted. Empty: in none.
  std::string boot;
  // How often the clip was begun anew. Who reads clip.part while another process writes it goes by this.
  uint64_t restarts = 0;
};

struct ClipRecord {
  ClipIdentity identity;
  std::string model;
  ClipState state = ClipState::intent;
  std::string task_id;
  double amount = -1;           // Credits, -1 unknown.
  double actual_duration = -1;  // Seconds, -1 unknown.
  int64_t submitted_at = 0;     // Unix time in seconds; 0 unknown.
  int64_t updated_at = 0;
  std::string status;        // While submitted: "queued", "processing" or "downloading".
  int progress = -1;         // Percent, -1 unknown.
  std::string error;         // Why it failed, was refused or is lost.
  unsigned http_status = 0;  // With which it was refused or unknown; 0: it never reached the service.
  PartState part;
  std::string clip_name;   // "clip.mp4", once complete.
  std::string media_type;  // "video/mp4"
  uint64_t clip_size = 0;
  // Submits of the same request before this one whose answer never came: each may have been charged.
  uint64_t unanswered_submits = 0;
  // Of these, those that a run has warned of which then submitted this record's task.
  uint64_t warned_submits = 0;
  // Tasks of the same request before this one, the latest last.
  std::vector<std::string> earlier_tasks;
  // Those whose clips nobody has and that did not fail, the latest last: they are asked for before anything
  // is paid again.
  std::vector<std::string> unfetched_tasks;
  // The whole clip in the folder that this task's is to replace; null when there is none.
  std::shared_ptr<const ClipRecord> replaced;

  Json to_json() const;
  // Any damage is an error whose text says what is wrong with the file.
  static Result<ClipRecord> from_json(const Json &json);
};

}  // namespace genclip
