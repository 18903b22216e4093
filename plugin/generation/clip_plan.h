// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Turns what a user sets, by properties or on a command line, into a job.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/catalog/media_reference.h"
#include "plugin/catalog/run_settings.h"
#include "plugin/generation/generation_job.h"
#include "plugin/http/http_client.h"

namespace genclip {

struct ClipPlan {
  GenerationJob job;
  std::vector<std::string> warnings;
  HttpSettings http;
};

// What references may be in that run. Reads the environment. While no address of a service is known, its
// clips may be referred to as those of a public one.
ReferencePolicy reference_policy(const RunSettings &run);

// What is wrong with the service's address, the proxy and the file of a certificate authority. A dry run may
// lack an address; one that is set has to be usable, as all that a dry run calls valid has to run.
std::vector<Problem> connection_problems(const RunSettings &run);

// True if the run publishes something, should no clip of the request be stored. Whole clips have a URL of the
// service, which a public one can fetch.
bool publishes(const CheckedRequest &request, bool is_service_public);

// What is wrong with how this run publishes: with what is set for it, and, if it may publish, with what the
// environment has, which is set for many runs.
std::vector<Problem> publish_problems(const RunSettings &run, bool may_publish);

// Refuses the texts of a request, as they were given, if one of them shows the key, because messages about
// them might quote it. Reads the file of the key.
Result<void> check_for_key(const std::vector<std::string> &texts, const RunSettings &run);

// What a run needs, or every problem at once in one error (ErrorKind::settings). Reads the files of the key
// and of a certificate authority, and the environment; never the store, nor the network. A dry run needs
// neither key nor base URL. A request that shows the key is refused, in a dry run too, and nothing else is
// told of it. A missing key alone is no problem: a stored clip needs none, and generating another one fails
// with `no_key`. An application may change its current folder during a run: whatever the run opens later,
// relative paths are of the folder that is current now. With a task ID the request may lack model or prompt:
// attach to the task, whatever it was asked for.
Result<ClipPlan> plan_clip(const ClipRequest &request, const RunSettings &run);

}  // namespace genclip
