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
  lost,       // The service, asked for the task, did not know it: its clip is lost.
  complete,   // The clip is in the folder, whole.
};
template <>
inline constexpr Word<ClipState> kWords<ClipState>[] = {
    {ClipState::intent, "intent"},       {ClipState::ambiguous, "ambiguous"}, {ClipState::refused, "refused"},
    {ClipState::submitted, "submitted"}, {ClipState::failed, "failed"},       {ClipState::lost, "lost"},
    {ClipState::complete, "complete"}};

// A tag or a date that the server sent, as it may be sent back; empty for one that fits no header or no
// journal, because of a control character or of other bytes that are no text.
std::string usable_validator(std::string sent);

// A download that is under way: what a later run needs to resume it.
struct PartState {
  uint64_t total = 0;  // Bytes of the whole clip; 0 when the server did not say.
  std::string etag;    // Both as the server sent them, weak tags too; empty when it sent no usable one.
  std::string last_modified;
  uint64_t synced = 0;  // The number of bytes of clip.part that survive a power cut.
  // The boot in which clip.part was written. During the same boot all of its bytes can be trusted. Empty:
  // never.
  std::string boot;
  // How often the download began anew. Tells processes that follow clip.part that its content was replaced.
  uint64_t restarts = 0;
  // Where the URL that the bytes came from stands in the task's answer; empty: unknown.
  std::string field = {};
};

// What a reference of the request that was no URL was when the task was submitted. Of the URL of a copy that
// genclip had published, whose content stands in its place in the request: the name of the copy alone.
struct UsedReference {
  std::string field;    // As in the request.
  unsigned index = 0;   // As in MediaReference.
  std::string sha256;   // Hexadecimal, of what was published; empty: nothing was.
  std::string copy;     // Its name in the publish folder; empty: it is not there.
  std::string clip;     // The key of the clip that it was made of; empty: it was a file.
  std::string task_id;  // Of that clip.
};

// A result of the task beside the clip that is stored.
struct FurtherResult {
  std::string field;  // Its place in the service's answer.
  std::string url;    // Without its query; it expires.
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
  // The `at` of the submit's line in the ledger, so that the two are recognised as one. Empty: it has none.
  std::string reserved_at;
  std::string status;        // While submitted: "queued", "processing" or "downloading".
  int progress = -1;         // Percent, -1 unknown.
  std::string error;         // The reason why it failed, was refused or is lost.
  unsigned http_status = 0;  // Of the answer that refused it or did not know it; 0: it never got there.
  PartState part;
  std::string clip_name;   // "clip.mp4", once complete.
  std::string media_type;  // "video/mp4"
  uint64_t clip_size = 0;
  // The number of earlier submits of this request that got no answer. Each may have been charged.
  uint64_t unanswered_submits = 0;
  // How many of these were warned of by the run that submitted this record's task.
  uint64_t warned_submits = 0;
  // Earlier tasks of this request, the latest last.
  std::vector<std::string> earlier_tasks;
  // Those that did not fail and whose clips were not fetched, the latest last. A run asks for these before it
  // pays again.
  std::vector<std::string> unfetched_tasks;
  // Those of its own and of these that were completed. They are paid, whatever the service says later.
  std::vector<std::string> completed_tasks;
  // Of the latest submit.
  std::vector<UsedReference> references;
  std::vector<FurtherResult> further_results;  // Of the task whose clip is complete.
  // The whole clip in the folder that this task's clip is to replace; null when there is none.
  std::shared_ptr<const ClipRecord> replaced;

  Json to_json() const;
  // Any damage is an error; its text says what is wrong with the file.
  static Result<ClipRecord> from_json(const Json &json);
};

// The whole clip that a record describes: its own, or the one that its task is to replace. Null: none.
std::shared_ptr<const ClipRecord> whole_clip_of(const ClipRecord &record);
// Tasks that may still bring a clip, the latest first.
std::vector<std::string> unfetched_tasks_of(const ClipRecord &record);
// The service has said of this task of the record that it is completed, and its clip is not here.
bool was_completed(const ClipRecord &record, const std::string &task_id);
// A task of an earlier attempt of the record's request. A service that knows a request may answer its submit
// with such a one.
bool is_earlier_task(const ClipRecord &record, const std::string &task_id);
// The number of submits that got no answer and that no warning has settled. Each may have been charged.
uint64_t unanswered_submits_of(const ClipRecord &record);
// A task, or a submit without an answer, may still bring a clip that is, or may be, paid for.
bool may_bring_more(const ClipRecord &record);
// The folder is one of a task that was only attached to: whatever it cost, this store has not submitted it.
bool is_attached(const ClipRecord &record);
// Which of its task's results it is about, from 1.
unsigned result_of(const ClipRecord &record);
// What a record has for a request that could as well go on in another folder, the least first.
enum class Claim {
  none,        // Nothing was ever paid for here, or it came to a known end.
  replaced,    // A whole clip that the run wants to replace.
  unanswered,  // A submit of which nobody knows whether it was charged.
  unfetched,   // A task that may have been charged, and that can be asked.
  clip,        // The whole clip, or a task that brings it.
};
Claim claim_of(const ClipRecord &record, bool reuse);

// The record after the clip that it announces was put in place.
ClipRecord completed(ClipRecord record);

// Adds a task to a list of a record, as the latest. The oldest of too many are dropped.
void add_task(std::vector<std::string> &tasks, const std::string &id);

}  // namespace genclip
