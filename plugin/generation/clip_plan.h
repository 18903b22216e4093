// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Turns what a user sets, by properties or on a command line, into a job.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/generation/generation_job.h"
#include "plugin/generation/run_settings.h"
#include "plugin/http/http_client.h"

namespace genclip {

struct ClipPlan {
  GenerationJob job;
  std::vector<std::string> warnings;
  HttpSettings http;
};

// What a run needs, or every problem at once in one error (ErrorKind::settings). Reads the files of the key
// and of a certificate authority, and the environment; never the store, nor the network. A dry run needs
// neither key nor base URL. A missing key alone is no problem: a stored clip needs none, and generating
// another one fails with `no_key`.
// With a task ID the request may lack model or prompt: attach to the task, whatever it was asked for.
Result<ClipPlan> plan_clip(const ClipRequest &request, const RunSettings &run);

}  // namespace genclip
