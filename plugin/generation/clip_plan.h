// SPDX-License-Identifier: LGPL-2.1-or-later
//
// From what a user sets, as properties or as words of a command, to a job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/generation/generation_job.h"
#include "plugin/http/http_client.h"

namespace genclip {

// What a run is told, before anything judged it. The defaults are the element's.
struct ClipWish {
  // With a task ID it may lack model or prompt: attach to the task, whatever it was asked for.
  ClipRequest request;
  std::string task_id;
  std::string base_url;  // Empty: $GENCLIP_BASE_URL.
  std::string api_key;   // See find_api_key.
  std::string api_key_file;
  std::string store;  // Empty: $GENCLIP_STORE, else in the user's cache folder.
  uint64_t store_max_size = 0;
  unsigned poll_interval_ms = 5000;
  unsigned timeout_s = 1800;
  unsigned http_timeout_s = 30;
  unsigned retries = 5;
  bool reuse = true;
  MediaCheck check_media = MediaCheck::none;
  bool dry_run = false;
  uint64_t max_download_size = uint64_t{4} << 30;
  std::string user_agent;
  HttpSettings http;
};

struct ClipPlan {
  GenerationJob job;
  std::vector<std::string> warnings;
  HttpSettings http;
};

// What a run needs, or every problem at once in one error (ErrorKind::settings). Reads the files of the key
// and of a certificate authority, and the environment; never the store, nor the network. A dry run needs
// neither key nor base URL. A key that is missing is no problem by itself: a clip that is stored needs none,
// and a generation of another fails with `no_key`.
Result<ClipPlan> plan_clip(const ClipWish &wish);

}  // namespace genclip
