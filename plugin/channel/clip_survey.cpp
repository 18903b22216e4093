// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/clip_survey.h"

#include <glib.h>

#include <algorithm>

#include "plugin/catalog/catalog.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/generation/request_identity.h"
#include "plugin/store/clip_folder.h"

namespace genclip {
namespace {

// How far back an earlier take is looked for, once in a run: more turns than most loops have in a day.
constexpr unsigned kMostTakes = 10000;

std::optional<ClipRecord> look(FileSystem &files, const std::string &store, const ClipIdentity &identity) {
  auto record = ClipFolder(files, ClipPath(store, identity.digest())).look();
  return record ? std::optional(std::move(*record)) : std::nullopt;
}

Json sorted(Json::Object fields) {
  std::stable_sort(fields.begin(), fields.end(),
                   [](const auto &one, const auto &other) { return one.first < other.first; });
  return fields;
}

bool is_stored(const std::optional<ClipRecord> &record) { return record && whole_clip_of(*record); }

}  // namespace

bool is_clip_uri(const std::string &uri) {
  const char *scheme = g_uri_peek_scheme(uri.c_str());
  return scheme && kClipUriScheme == scheme;
}

std::string request_of_uri(const std::string &uri) {
  auto request = is_clip_uri(uri) ? parse_clip_uri(*Catalog::shared(), uri) : Result<ClipRequest>(Error{});
  if (!request) return uri;
  request->take = 0;
  for (Json *fields : {&request->fields, &request->extra})
    if (fields->object()) *fields = sorted(*fields->object());
  return clip_uri(*Catalog::shared(), *request);
}

unsigned take_of_uri(const std::string &uri) {
  const auto request =
      is_clip_uri(uri) ? parse_clip_uri(*Catalog::shared(), uri) : Result<ClipRequest>(Error{});
  return request ? request->take : 0;
}

Result<ClipPlan> plan_item(const std::string &uri, unsigned take, const RunSettings &run) {
  auto request = parse_clip_uri(*Catalog::shared(), uri);
  if (!request) return std::move(request).error();
  request->take = take;
  return plan_clip(*request, run);
}

Survey survey_item(const PlannedWish &wish, const std::set<unsigned> &unfit_takes,
                   const MissingTakes &missing_takes, const RunSettings &run,
                   const GenerationServices &services, GCancellable *cancellable) {
  Survey survey;
  RunSettings dry = run;
  dry.dry_run = true;
  if (const auto judged = plan_item(wish.source, wish.take, dry); !judged) {
    survey.refusal = judged.error().text;
    return survey;
  }
  const auto plan = plan_item(wish.source, wish.take, run);
  if (!plan) {
    survey.problem = plan.error().text;
    return survey;
  }
  GenerationServices of_plan = services_of_plan(services);
  if (!of_plan.http) of_plan.http = HttpClient::shared(plan->http);
  const auto identified = identify_request(plan->job, of_plan, true, cancellable);
  if (!identified) return survey;  // The generation says why.
  const std::string &store = plan->job.store;
  const auto record = look(*services.files, store, identified->identity);
  survey.is_stored = is_stored(record);
  survey.has_task = record && !unfetched_tasks_of(*record).empty();
  survey.has_failed = record && record->state == ClipState::failed;
  if (!survey.is_stored && !survey.has_task && plan->job.request &&
      !plan->job.request->unpublished().empty()) {
    survey.refusal = problems_text(plan->job.request->unpublished());
    return survey;
  }
  if (!wish.is_fresh || survey.is_stored) return survey;
  const unsigned first = take_of_uri(wish.source);
  unsigned take = wish.take;
  for (unsigned looks = 0; looks < kMostTakes; ++looks) {
    if (take > missing_takes.from && take <= missing_takes.to) take = missing_takes.from;
    if (take <= first) break;
    --take;
    if (unfit_takes.contains(take)) continue;
    const IdentifiedRequest earlier = with_take(*identified, take, plan->job, of_plan);
    if (!is_stored(look(*services.files, store, earlier.identity))) continue;
    survey.last_take = take;
    break;
  }
  survey.missing = {survey.last_take ? *survey.last_take + 1 : first, wish.take};
  return survey;
}

}  // namespace genclip
