// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/clip_plan.h"

#include <glib.h>

#include <algorithm>
#include <iterator>

#include "plugin/base/base_url.h"
#include "plugin/base/gref.h"
#include "plugin/base/local_file.h"
#include "plugin/base/number.h"
#include "plugin/catalog/catalog.h"
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/request_meaning.h"
#include "plugin/catalog/settings.h"
#include "plugin/catalog/wording.h"
#include "plugin/core/run_ending.h"
#include "plugin/http/api_key.h"
#include "plugin/http/http_settings.h"
#include "plugin/http/public_address.h"
#include "plugin/http/service_address.h"
#include "plugin/task/task_id.h"

namespace genclip {
namespace {

constexpr unsigned kShortestPollIntervalMs = 10;
constexpr const char *kMaxAmountVariable = "GENCLIP_MAX_AMOUNT";

constexpr const char *kKeyInRequest =
    "The request contains the API key, and requests are printed, logged and stored. Take the key out of it; "
    "set it in api-key, api-key-file or the environment variable GENCLIP_API_KEY alone.";
constexpr AddressSetting kBaseUrl{"base-url", "GENCLIP_BASE_URL",
                                  " What is stored already is found by this address, too."};

// Attaching needs no request, so an incomplete one is ignored; the folder then comes from the task's ID.
void plan_attach(const ClipRequest &request, GenerationJob &job) {
  const auto model = Catalog::shared()->find(request.model);
  const Api usual = model ? model->apis.front() : Api::tasks;
  job.model = request.model;
  job.endpoint.api = request.api == Api::automatic ? usual : request.api;
  job.identity.request = Json::Object{{"task_id", job.task_id}};
}

bool has_key(const ClipRequest &request, const RunSettings &run, const std::string &key) {
  const Json texts = Json::Array{request.model, run.task_id, request.fields, request.extra};
  return shows_key(texts.to_text(), key);
}

PublishSettings publish_settings_of(const RunSettings &run) {
  PublishSettings settings = publish_settings(run.publish_folder, run.publish_url, run.publish_check);
  settings.working_folder =
      run.working_folder.empty() ? GStringPtr(g_get_current_dir()).get() : run.working_folder;
  settings.folder = absolute_path(settings.folder, settings.working_folder);
  return settings;
}

}  // namespace

bool publishes(const CheckedRequest &request, bool is_service_public) {
  return std::ranges::any_of(request.media(), [&](const MediaReference &reference) {
    if (!reference.clip) return reference.source == MediaSource::file;
    return !is_service_public || reference.part.is_frame || publishes(*reference.clip, is_service_public);
  });
}

std::vector<Problem> publish_problems(const RunSettings &run, bool may_publish) {
  std::vector<Problem> problems;
  if (!may_publish && run.publish_folder.empty() && run.publish_url.empty()) return problems;
  const bool is_fetched = may_publish && is_public_address(service_address(run.base_url, kBaseUrl));
  for (std::string &problem : problems_of(publish_settings_of(run), is_fetched))
    problems.push_back({"publish-url", std::move(problem)});
  return problems;
}

ReferencePolicy reference_policy(const RunSettings &run) {
  const std::string address = service_address(run.base_url, kBaseUrl);
  return {.publishes = publish_settings_of(run).is_set_up(),
          .is_service_public = address.empty() || is_public_address(address),
          .refuses_private_hosts = is_public_address(address)};
}

std::vector<Problem> connection_problems(const RunSettings &run) {
  std::vector<Problem> problems;
  const std::string address = service_address(run.base_url, kBaseUrl);
  const bool is_excused = address.empty() && run.dry_run;
  if (std::string problem = address_problem(address, kBaseUrl); !problem.empty() && !is_excused)
    problems.push_back({"base-url", std::move(problem)});
  for (std::string &problem : problems_of(HttpSettings{run.proxy, run.tls_ca_file}))
    problems.push_back({"", std::move(problem)});
  if (std::string problem = header_problem("The property user-agent", run.user_agent); !problem.empty())
    problems.push_back({"user-agent", std::move(problem)});
  return problems;
}

Result<void> check_for_key(const std::vector<std::string> &texts, const RunSettings &run) {
  const auto key = find_api_key(run.api_key, run.api_key_file);
  const bool is_shown =
      key && std::ranges::any_of(texts, [&](const std::string &text) { return shows_key(text, key->value); });
  return is_shown ? Result<void>(Error{ErrorKind::settings, kKeyInRequest}) : Result<void>();
}

Result<ClipPlan> plan_clip(const ClipRequest &request, const RunSettings &run) {
  std::vector<Problem> problems;
  ClipPlan plan;
  GenerationJob &job = plan.job;
  plan.http = {run.proxy, run.tls_ca_file};
  job.task_id = run.task_id;
  job.store = store_root(run.store);
  job.reuse = run.reuse;
  if (run.on_unknown == OnUnknownSubmit::fail) job.may_submit = MaySubmit::unless_in_doubt;
  const bool is_request = !request.model.empty() && request.fields.find("prompt");
  bool may_publish = false;
  if (auto checked = check_request(*Catalog::shared(), request, reference_policy(run))) {
    job.model = checked->model();
    job.identity.request = meaning_of(checked->spec(), checked->body());
    plan.warnings = checked->warnings();
    may_publish = publishes(*checked, reference_policy(run).is_service_public);
    job.endpoint.api = checked->api();
    job.request = std::move(*checked);
  } else if (!is_request && !run.task_id.empty()) {
    plan_attach(request, job);
  } else {
    problems = std::move(checked).error();
    may_publish = true;
  }
  if (std::string problem = task_id_problem(run.task_id); !problem.empty())
    problems.push_back({"task-id", std::move(problem)});
  job.endpoint.base_url = service_address(run.base_url, kBaseUrl);
  job.older_base_url = older_service_address(run.base_url, kBaseUrl);
  job.identity.base_url = meaning_of_base_url(job.endpoint.base_url);
  job.identity.api = to_word(job.endpoint.api);
  job.identity.take = request.take;

  auto key = find_api_key(run.api_key, run.api_key_file);
  // All other problems are dropped, because their texts may quote the value.
  if (key && has_key(request, run, key->value)) problems = {{"", kKeyInRequest}};
  for (Problem &problem : connection_problems(run)) problems.push_back(std::move(problem));
  if (!run.dry_run) {
    if (key)
      job.endpoint.api_key = std::move(*key);
    else
      job.no_key = key.error().text;
    // A stored clip needs no key, and only the generation finds out whether the clip is stored. So a missing
    // key is reported here only along with other problems.
    if (!job.no_key.empty() && !problems.empty()) problems.push_back({"api-key", job.no_key});
  }
  job.publish = publish_settings_of(run);
  job.reference_identity = run.reference_identity;
  job.with_prompt = run.with_prompt;
  job.publish.refuses_private_hosts = is_public_address(job.endpoint.base_url);
  std::ranges::move(publish_problems(run, may_publish), std::back_inserter(problems));
  if (run.max_download_size == 0)
    problems.push_back({"max-download-size",
                        "max-download-size is 0: every clip would be paid for and then refused. Raise it."});
  if (run.poll_interval_ms > 0 && run.poll_interval_ms < kShortestPollIntervalMs)
    problems.push_back({"poll-interval", "poll-interval is " + std::to_string(run.poll_interval_ms) +
                                             " ms. Set it to 0, from history, or to 10 ms and more."});
  for (const std::string &problem : {max_amount_problem(run.max_amount), max_amount_variable_problem()})
    if (!problem.empty()) problems.push_back({"max-amount", problem});
  job.max_amount = run.max_amount;
  if (const char *max_amount = g_getenv(kMaxAmountVariable))
    job.max_amount =
        job.max_amount.tightened_by({parse_number<double>(max_amount).value_or(0), kMaxAmountVariable});
  if (const char *max_tasks = g_getenv("GENCLIP_MAX_TASKS"); max_tasks && *max_tasks) {
    const auto value = parse_number<unsigned>(max_tasks);
    if (!value)
      problems.push_back(
          {"", "GENCLIP_MAX_TASKS must be how many tasks may run at once: 1 or more, or 0 for no limit."});
    job.max_tasks = value.value_or(0);
  }
  const char *project = g_getenv("GENCLIP_PROJECT");
  job.project = run.project.empty() && project ? project : run.project;
  if (!problems.empty())
    return with_ending({ErrorKind::settings, problems_text(problems)}, {Outcome::not_submitted});

  if (!run.dry_run)
    for (std::string &warning : warnings_of(job.endpoint.api_key, job.endpoint.base_url, "base-url"))
      plan.warnings.push_back(std::move(warning));

  job.endpoint.http_timeout = std::chrono::seconds(run.http_timeout_s);
  job.endpoint.user_agent = run.user_agent;
  job.poll_interval = std::chrono::milliseconds(run.poll_interval_ms);
  job.timeout = std::chrono::seconds(run.timeout_s);
  job.retries = run.retries;
  job.store_max_size = run.store_max_size;
  job.media_check.depth = run.check_media;
  job.media_check.fetch = {job.endpoint.http_timeout, run.user_agent};
  job.download = {job.endpoint.http_timeout, run.max_download_size, run.user_agent};
  return plan;
}

}  // namespace genclip
