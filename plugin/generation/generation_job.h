// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All settings of a generation, fixed before it starts.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "plugin/account/decision.h"
#include "plugin/base/clock.h"
#include "plugin/base/file_system.h"
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/run_settings.h"
#include "plugin/core/clip_run.h"
#include "plugin/generation/boot_id.h"
#include "plugin/generation/download.h"
#include "plugin/http/http_client.h"
#include "plugin/publish/publish_settings.h"
#include "plugin/store/clip_path.h"
#include "plugin/task/media_check.h"
#include "plugin/task/task_client.h"

namespace genclip {

class HeldLinks;
class KnownCharges;
struct IdentifiedRequest;

// How a run works. Runs of one process whose options differ in anything share no generation: each has its
// own limits, and meets the others in the store, as runs of two processes do.
struct JobOptions {
  unsigned result = 1;  // Which of the task's results, from 1.
  TaskEndpoint endpoint;
  std::string no_key;  // Why the endpoint has no key, for when one is needed; empty when it has one.
  std::chrono::milliseconds poll_interval{};  // 0: as in RunSettings.
  std::chrono::seconds timeout{};             // From submit, or from attaching to a task; 0: for ever.
  unsigned retries = 0;
  // A submit that is refused for now ends the run at once, with "retry-after" (seconds, 0: not told) among
  // the error's details: the caller has more clips, and waits with all of them.
  bool submit_once = false;
  MaySubmit may_submit = MaySubmit::even_in_doubt;  // This clip, and those that its request refers to.
  uint64_t store_max_size = 0;                      // Bytes, 0: no limit.
  ClipLimit max_amount;
  // Credits that count towards `max_amount`, too: what the run for which a link is made has paid, or may have
  // paid, before it; what earlier tries have paid for links.
  double paid_before = 0;
  unsigned max_tasks = 0;         // Of the store at once, 0: any number.
  bool with_prompt = false;       // In clip.xmp.
  std::string project;            // Whose account it is; may be empty.
  MediaCheckOptions media_check;  // Before a submit.
  PublishSettings publish;
  ReferenceIdentity reference_identity = ReferenceIdentity::url;
  DownloadOptions download;

  bool operator==(const JobOptions &) const = default;
};

// What a run is to bring, and how.
struct GenerationJob : JobOptions {
  std::optional<CheckedRequest> request;  // Nothing: attach to `task_id`, whatever it was asked for.
  ClipIdentity identity;
  std::string older_base_url;  // Of the digests of earlier versions; empty: the endpoint's.
  // The request by its content, if somebody has read that already.
  std::shared_ptr<const IdentifiedRequest> identified;
  std::string model;    // Empty when only the task is known.
  std::string task_id;  // Set: attach to it, submit nothing.
  std::string store;    // Folder of the clip store.
  bool reuse = true;
  std::string own_task;  // What this user has paid for already: its clip is served also without `reuse`.
  std::weak_ptr<HeldLinks> held;            // Of a link of a chain: what keeps the links in the store.
  std::weak_ptr<HeldLinks> held_for_later;  // What keeps them for runs that come later; null: nothing does.
};

// What a generation works with; tests replace these.
struct GenerationServices {
  std::shared_ptr<HttpClient> http;
  Clock *clock = &Clock::system();           // Borrowed; outlives every generation.
  FileSystem *files = &FileSystem::posix();  // Likewise.
  std::string boot = current_boot();
  // For a plan of many requests: what the ledger knew when it began. Null: it is read for each request.
  std::shared_ptr<KnownCharges> charges = nullptr;
};

}  // namespace genclip
