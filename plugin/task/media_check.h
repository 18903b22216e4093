// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Looks at the media that a request refers to before it is submitted, all at once.
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
  unsigned retries = 2;                  // Of one reference, after a transient failure.
  std::chrono::seconds time_limit{120};  // For all of them together.
  // Of one probe. GStreamer 1.22 may swallow the error of a damaged file, and then only this ends it.
  std::chrono::seconds probe_limit{15};
  uint64_t max_bytes = uint64_t{256} << 20;  // Of one that is looked into, where no limit says less.
};

// ErrorKind::settings: every problem of every reference. Cancelled: `cancellable` was, within milliseconds.
// Assets (assetId://) are with the service already and are not looked at. Blocks; up to eight references are
// looked at side by side, each on a thread that is over when this returns.
Result<void> check_media(HttpClient &http, Clock &clock, const CheckedRequest &request,
                         const MediaCheckOptions &options, GCancellable *cancellable);

}  // namespace genclip
