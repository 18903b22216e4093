// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A line names an event with its details, and a step by its word.
#include "plugin/generation/generation_log.h"

#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

constexpr size_t kShownDigest = 12;

std::string with_status(const char *what, const std::string &error, unsigned http_status) {
  return std::string(what) + (http_status == 0 ? "" : " (HTTP " + std::to_string(http_status) + ")") + ": " +
         error;
}

struct EventText {
  std::string operator()(const TurnBegins &turn) const {
    if (!turn.found && !turn.open.is_empty()) return "there is no journal, but the ledger names a payment";
    if (!turn.found) return "the journal is empty";
    return "the journal says " + std::string(to_word(turn.found->state)) +
           (turn.found->task_id.empty() ? "" : ", task " + turn.found->task_id);
  }
  std::string operator()(const WholeClipMissing &) const { return "the stored clip is missing or damaged"; }
  std::string operator()(const TaskKnown &known) const {
    return known.has_clip ? "the service has the task's clip" : "the service knows the task";
  }
  std::string operator()(const TaskFailed &failed) const { return "the task failed: " + failed.message; }
  std::string operator()(const TaskUnknown &unknown) const {
    return with_status("the service does not know the task", unknown.error, unknown.http_status);
  }
  std::string operator()(const CostTold &) const { return "an answer tells what the task costs"; }
  std::string operator()(const TaskUnreachable &) const { return "the service tells nothing of the task"; }
  std::string operator()(const FetchBegins &) const { return "its clip is fetched"; }
  std::string operator()(const SubmitBegins &) const { return "the request is about to be sent"; }
  std::string operator()(const SubmitAccepted &accepted) const {
    return "the submit was accepted, task " + accepted.task_id;
  }
  std::string operator()(const SubmitRefused &refused) const {
    return with_status("the submit was refused", refused.error, refused.http_status);
  }
  std::string operator()(const SubmitUnanswered &lost) const {
    return with_status("whether the submit was accepted is unknown", lost.error, lost.http_status);
  }
  std::string operator()(const ClipFetched &) const { return "the clip is on the disk, whole"; }
  std::string operator()(const ClipStored &) const { return "the clip is in the store"; }
};

}  // namespace

GstDebugCategory *generation_category() {
  static GstDebugCategory *const category =
      new_log_category("genclip-generation", "A clip's way from the request to the store");
  return category;
}

std::string clip_log_name(const ClipIdentity &identity) {
  return "clip " + identity.digest().substr(0, kShownDigest);
}

std::string event_text(const ClipEvent &event) { return shown_line(std::visit(EventText(), event)); }

const char *step_text(ClipStep step) {
  switch (step) {
    case ClipStep::serve: return "serve the stored clip";
    case ClipStep::look: return "ask whether its successor is done";
    case ClipStep::ask: return "ask for the task";
    case ClipStep::follow: return "follow the task";
    case ClipStep::submit: return "submit";
    case ClipStep::share_failure: return "fail like the run that it waited for";
    case ClipStep::share_doubt: return "end in doubt like the run that it waited for";
    case ClipStep::share_refusal: return "end as refused, like the run that it waited for";
    case ClipStep::need_key: return "end without a key";
    case ClipStep::stay_in_doubt: return "end, because an earlier submit may have been charged";
    case ClipStep::stay_unsubmitted: return "end, because this run must not submit";
    case ClipStep::end: return "end";
  }
  return "?";
}

}  // namespace genclip
