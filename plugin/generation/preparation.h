// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Makes the references of a request into what the service takes, URLs, right before the request is submitted.
#pragma once

#include <vector>

#include "plugin/base/result.h"
#include "plugin/catalog/check_request.h"
#include "plugin/generation/request_identity.h"
#include "plugin/store/clip_record.h"

namespace genclip {

class Generation;

struct PreparedRequest {
  CheckedRequest request;
  std::vector<UsedReference> references;  // For the record.
};

// Checks the references first, as `check-media` says, and files always. Then makes the clips that it refers
// to, which may be paid for, takes frames of them, and publishes files and frames. For the generation's
// thread; blocks until the clips are made. An error says what to do; what was made until then is stored.
Result<PreparedRequest> prepare_request(Generation &generation);

// That part of its checks which needs no network: those of the files of the request, and of the clips that
// have to be made for it. Checks nothing if the clip is there, or has a task. Blocks for the disk.
Result<void> check_files(const GenerationJob &job, const IdentifiedRequest &identified,
                         const GenerationServices &services, GCancellable *cancellable);

}  // namespace genclip
