// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Checks the media that a request refers to before it is submitted, all in parallel.
#pragma once

#include <gio/gio.h>

#include <chrono>

#include "plugin/base/clock.h"
#include "plugin/base/result.h"
#include "plugin/catalog/check_request.h"
#include "plugin/http/http_client.h"
#include "plugin/task/media_fetch.h"
#include "plugin/task/media_verdict.h"

namespace genclip {

struct MediaCheckOptions {
  MediaCheck depth = MediaCheck::none;
  MediaFetchOptions fetch;
  unsigned retries = 2;                  // For each reference, after a transient failure.
  std::chrono::seconds time_limit{120};  // For all of them together.
  // For one probe. GStreamer 1.22 may swallow the error of a damaged file; then only this limit ends the
  // probe.
  std::chrono::seconds probe_limit{15};
  uint64_t max_bytes = uint64_t{256} << 20;  // Of one medium, unless its own limit is smaller.
};

// ErrorKind::settings names every problem of every reference. Ends with ErrorKind::cancelled within
// milliseconds after `cancellable` is. Does not check assets (assetId://), which the service has already.
// Blocks; checks up to eight references at a time, each on a thread that has ended when this returns.
Result<void> check_media(HttpClient &http, Clock &clock, const CheckedRequest &request,
                         const MediaCheckOptions &options, GCancellable *cancellable);

}  // namespace genclip
