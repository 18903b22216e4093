// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip store fetch: a clip that was paid for, by the ID of its task.
#include <gst/gst.h>

#include <algorithm>

#include "plugin/command/clip_delivery.h"
#include "plugin/command/clip_output.h"
#include "plugin/command/service_options.h"
#include "plugin/store/store_listing.h"

namespace genclip {
namespace {

constexpr CommandText kStoreFetchText{
    "store fetch", "TASK-ID",
    "Gets a clip again by the ID of its task, as long as the service has it: one that is\n"
    "damaged or was removed, or one whose request is not at hand. Submits nothing.",
    "A clip that is stored and whole is not fetched again. A clip whose request the store\n"
    "knows goes where genclipsrc looks for it.\n\n"
    "Exit code: 0 the clip is there, 1 there is none, 2 the command line makes no sense,\n"
    "130 stopped by Ctrl-C.\n"};

// In the place of the request that the store knows for the task. A damaged clip is replaced when its
// successor is whole, not before.
Result<void> find_place(GenerationJob &job) {
  FileSystem &files = FileSystem::posix();
  const auto clips = list_store(files, job.store);
  if (!clips) return clips.error();
  // The key goes to the address that the user gave, never to one that a folder names.
  const auto found = std::find_if(clips->begin(), clips->end(), [&](const StoredClip &clip) {
    return clip.record && clip.record->task_id == job.task_id &&
           clip.record->identity.base_url == job.endpoint.base_url;
  });
  if (found == clips->end()) return {};
  job.identity = found->record->identity;
  job.endpoint.api = job.identity.api == "legacy" ? Api::legacy : Api::tasks;
  job.model = found->record->model;
  job.reuse = !found->is_complete() || verify_clip(files, *found).has_value();
  return {};
}

}  // namespace

int run_store_fetch(const Words &words) {
  ClipWish wish;
  Delivery delivery;
  bool legacy = false;
  CommandOptions options(kStoreFetchText);
  add_delivery_options(options, delivery);
  options.add("legacy", 0, "The task is one of the legacy API", legacy);
  add_service_options(options, wish);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->size() != 1 || rest->front().empty()) return options.refuse("Give the ID of one task.");
  if (delivery.json && delivery.output == kStandardOutput)
    return options.refuse("Standard output takes the clip or JSON, not both.");
  wish.task_id = rest->front();
  if (legacy) wish.request.api = Api::legacy;

  auto plan = plan_clip(wish);
  if (!plan) return report_failure(plan.error(), delivery.json);
  if (!delivery.output.empty())
    if (auto writable = check_output(delivery.output); !writable)
      return report_failure(writable.error(), delivery.json);
  gst_init(nullptr, nullptr);
  if (auto placed = find_place(plan->job); !placed) return report_failure(placed.error(), delivery.json);
  return deliver_clip(std::move(*plan), delivery);
}

}  // namespace genclip
