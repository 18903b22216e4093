// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Checks the media that a request refers to before it is submitted, all in parallel: local files here, URLs
// by their servers, and clips that are not generated yet by what their requests ask for.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <map>
#include <memory>

#include "plugin/base/clock.h"
#include "plugin/base/local_file.h"
#include "plugin/base/result.h"
#include "plugin/catalog/check_request.h"
#include "plugin/http/http_client.h"
#include "plugin/task/media_fetch.h"
#include "plugin/task/media_verdict.h"

namespace genclip {

struct MediaCheckOptions {
  MediaCheck depth = MediaCheck::none;  // Of URLs; local files are always checked in full.
  MediaFetchOptions fetch;
  unsigned retries = 2;                  // For each reference, after a transient failure.
  std::chrono::seconds time_limit{120};  // For all of them together.
  // For one probe. GStreamer 1.22 may swallow the error of a damaged file; then only this limit ends the
  // probe.
  std::chrono::seconds probe_limit{15};
  uint64_t max_bytes =
      uint64_t{256} << 20;  // To fetch for one URL, unless the medium's own limit is smaller.

  bool operator==(const MediaCheckOptions &) const = default;
};

// The files that references stand for, by the reference's index in request.media().
using LocalMedia = std::map<size_t, std::shared_ptr<const LocalFile>>;

// ErrorKind::settings names every problem of every reference; it has the detail "retry" if each may have
// passed by the next check. Ends with ErrorKind::cancelled within milliseconds after `cancellable` is. Does
// not check references that are neither URLs nor in `locals`, such as assets (assetId://), which the service
// has already. A clip that is not in `locals` needs no look: what it will be is known (expected_facts).
// Blocks; checks up to eight references at a time, each on a thread that has ended when this returns. `http`
// may be null if the depth is none, because then nothing is fetched.
Result<void> check_media(HttpClient *http, Clock &clock, const CheckedRequest &request,
                         const LocalMedia &locals, const MediaCheckOptions &options,
                         GCancellable *cancellable);

}  // namespace genclip
