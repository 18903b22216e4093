// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip store fetch: fetches a paid clip by the ID of its task.
#include <gst/gst.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "plugin/base/base_url.h"
#include "plugin/catalog/catalog.h"
#include "plugin/command/chosen_clips.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/clip_output.h"
#include "plugin/command/console.h"
#include "plugin/command/setting_options.h"
#include "plugin/generation/request_identity.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/store_listing.h"

namespace genclip {
namespace {

constexpr CommandText kStoreFetchText{
    "store fetch", "TASK-ID|KEY",
    "Fetches a clip by its task ID, as long as the service keeps it: a clip that is\n"
    "damaged, was removed, or whose request you no longer have. Submits nothing.",
    "A clip that is stored and whole is not fetched again. If the store knows the\n"
    "clip's request, the clip goes where genclipsrc looks for it. KEY is a clip of\n"
    "the store, whose task is then meant, as genclip store show takes it: by key, URI\n"
    "or path.\n\n"
    "Exit code: 0 the clip is stored, 1 the command failed, 2 usage error,\n"
    "130 stopped by Ctrl-C.\n"};

// A further result is a clip of its own, in a folder of its own.
void choose_result(GenerationJob &job, unsigned result) {
  job.identity.request = Json::Object{{"task_id", job.task_id}, {"result", result}};
}

// Uses the folder that the store has for that result of the task: of the first one, that of its request. A
// damaged clip is replaced only once its successor is whole; while another task is to replace it, this one
// has a folder of its own. True: there is a damaged one.
Result<bool> find_place(GenerationJob &job, unsigned result) {
  FileSystem &files = FileSystem::posix();
  auto clips = list_store(files, job.store);
  if (!clips) return clips.error();
  job.result = result;
  // The key goes to the address that the user gave, never to one that a folder names.
  std::erase_if(*clips, [&](const StoredClip &clip) {
    return !clip.is_of_task(job.task_id) ||
           meaning_of_base_url(clip.record->identity.base_url) != job.identity.base_url;
  });
  // Both APIs may have a task of this ID.
  const auto distance = [&](const StoredClip &clip) {
    return std::tuple(from_word<Api>(clip.record->identity.api) != job.endpoint.api,
                      result_of(*clip.record) != result, is_attached(*clip.record));
  };
  const auto found = std::ranges::min_element(*clips, {}, distance);
  if (found != clips->end()) {
    job.identity.api = found->record->identity.api;
    job.endpoint.api = from_word<Api>(job.identity.api).value_or(Api::tasks);
    job.model = found->record->model;
  }
  if (found == clips->end() || result_of(*found->record) != result) {
    if (result > 1) choose_result(job, result);
    return false;
  }
  const ClipRecord *whole = found->whole();
  const bool is_damaged = whole && whole->task_id == job.task_id && !verify_clip(files, *found);
  // Else that task would become the record's, and the one under way, which is to replace the clip, would not.
  const bool has_successor =
      found->record->task_id != job.task_id && found->record->state == ClipState::submitted;
  if (is_damaged && has_successor) {
    if (result > 1) choose_result(job, result);
    return false;
  }
  job.identity = found->record->identity;
  job.identified = std::make_shared<const IdentifiedRequest>(identified_as(job.identity));
  job.reuse = !is_damaged;
  return is_damaged;
}

struct MeantTask {
  std::string id;
  std::optional<Api> api = {};  // As the store knows it.
  unsigned result = 1;
};

// A key, a URI or a path means the task of that stored clip. Any other word is the ID of a task, which the
// store need not know; only such a word is sent to the service.
Result<MeantTask> meant_task(const std::string &word, const RunSettings &run) {
  const auto clip = chosen_clip(word, run);
  if (!clip && names_place(word)) return clip.error();
  if (!clip || clip->is_of_task(word)) return MeantTask{word};
  for (const ClipRecord *record : {clip->record ? &*clip->record : nullptr, clip->whole()})
    if (record && !record->task_id.empty())
      return MeantTask{record->task_id, from_word<Api>(record->identity.api).value_or(Api::tasks),
                       result_of(*record)};
  return Error{ErrorKind::not_found,
               clip->folder +
                   " names no task, so there is nothing to fetch. To generate the clip: genclip "
                   "generate, with its request."};
}

// A clip that arrived whole and is as damaged as before is like that at the service.
void tell_if_damaged(const std::string &root, const std::string &digest) {
  FileSystem &files = FileSystem::posix();
  const auto clip = stored_in(files, root, digest);
  if (!clip || !clip->is_complete()) return;
  if (const auto verified = verify_clip(files, *clip); !verified)
    print_error("Warning: " + printable(verified.error().text) +
                " The service sent all of it, so the service's copy is damaged too: fetching it again does "
                "not help.");
}

}  // namespace

int run_store_fetch(const Words &words) {
  RunSettings run;
  Delivery delivery;
  bool legacy = false;
  CommandOptions options(kStoreFetchText);
  add_delivery_options(options, delivery);
  unsigned result = 0;  // Not given.
  options.add("result", "N", "Which result, of a task that has several (1)", result, 1);
  options.add("legacy", 0, "The task is one of the legacy API", legacy);
  add_settings(options, run, kFetch);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->size() != 1 || rest->front().empty())
    return options.refuse("Give the ID of one task, or name one clip of the store.");
  delivery.output = output_named(delivery.output);
  if (delivery.json && delivery.output == kStandardOutput)
    return options.refuse("Standard output takes the clip or JSON, not both.");
  ClipRequest request;
  if (legacy) request.api = Api::legacy;
  const auto task = meant_task(rest->front(), run);
  if (!task) return report_failure(task.error(), delivery.json);
  run.task_id = task->id;
  if (task->api) request.api = *task->api;

  auto plan = plan_clip(request, run);
  if (!plan) return report_failure(plan.error(), delivery.json);
  gst_init(nullptr, nullptr);
  const auto was_damaged = find_place(plan->job, result > 0 ? result : task->result);
  if (!was_damaged) return report_failure(was_damaged.error(), delivery.json);
  if (!delivery.output.empty())
    if (auto writable = check_output(delivery.output, Catalog::shared()->find(plan->job.model).get());
        !writable)
      return report_failure(writable.error(), delivery.json);
  const std::string root = plan->job.store;
  const std::string digest = plan->job.identity.digest();
  const int exit_code = deliver_clip(std::move(*plan), delivery);
  if (exit_code == kOk && *was_damaged) tell_if_damaged(root, digest);
  return exit_code;
}

}  // namespace genclip
