// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What identifies a request that refers to files, or to clips that are not made yet.
//
// A file's name says little: the same picture has many, and a name may stand for another picture tomorrow. So
// a file counts by its content ("sha256:HEX"), and a clip by what identifies its own request ("genclip:KEY",
// "genclip:KEY#last"), whatever picture it turns out to be. Both are known before anything is paid.
#pragma once

#include <gio/gio.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/local_file.h"
#include "plugin/generation/generation_job.h"

namespace genclip {

struct IdentifiedFile {
  std::shared_ptr<const LocalFile> file;
  std::string sha256;  // Hexadecimal.
};

struct IdentifiedRequest {
  // Whose folder in the store is the request's: one of the next three (choose_folder).
  ClipIdentity identity;
  // One for all requests that the service cannot tell apart. New clips have it.
  ClipIdentity meaning;
  // What versions before 2026-11-26 made of this request, where that is another one.
  std::optional<ClipIdentity> older;
  // What 0.3.0 made of it, likewise: only the address as it was spelled.
  std::optional<ClipIdentity> spelled_address;
  bool has_older_folder = false;  // `identity` is one of the older ones.
  // What stands for each reference where the request is shown, in the order of CheckedRequest::media().
  // Empty: all stand there as they were given.
  std::vector<std::string> names;
  // Both by the index in CheckedRequest::media().
  std::map<size_t, IdentifiedFile> files;
  std::map<size_t, std::shared_ptr<const IdentifiedRequest>> clips;  // The requests of clips inside.
};

// Chooses the folder of an older version if that has at least as much for this job as the new one (Claim),
// and anything at all. Everything else begins in the new folder, under whose lock all that mean the same
// meet, so that it is paid once. For a folder without a record, what the ledger knows counts. Reads up to
// three records, and the ledger if the new folder has not all of the clip.
void choose_folder(IdentifiedRequest &request, const GenerationJob &job, const GenerationServices &services);

// The same request with another take, and the folder that this one has.
IdentifiedRequest with_take(IdentifiedRequest request, unsigned take, const GenerationJob &job,
                            const GenerationServices &services);

// For a plan of many requests: each ledger is read once. What others write to it meanwhile is left to the
// runs.
GenerationServices services_of_plan(GenerationServices services);

// A request that has no references, or whose identity is known.
IdentifiedRequest identified_as(const ClipIdentity &identity);

// Reads the files, and chooses the folder. Fetches URLs if the job identifies these by their content, too,
// and `may_fetch`. Errors name the reference. Blocks for the disk and the network.
Result<IdentifiedRequest> identify_request(const GenerationJob &job, const GenerationServices &services,
                                           bool may_fetch, GCancellable *cancellable);

// The job that makes a clip which another job's request refers to. `identified`: that clip's request, which
// the job then is of, whatever its files contain by now; null: it is not identified yet.
GenerationJob job_of_inner(const GenerationJob &outer, const CheckedRequest &inner,
                           std::shared_ptr<const IdentifiedRequest> identified);

// The address of the service as earlier versions spelled it.
const std::string &spelled_base_url(const GenerationJob &job);

// Whether a file of this machine, which may change at any time, is part of the request.
bool names_files(const CheckedRequest &request);

}  // namespace genclip
