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
  ClipIdentity identity;
  // What stands for each reference in the identity, in the order of CheckedRequest::media(). Empty: all stand
  // there as they were given.
  std::vector<std::string> names;
  // Both by the index in CheckedRequest::media().
  std::map<size_t, IdentifiedFile> files;
  std::map<size_t, std::shared_ptr<const IdentifiedRequest>> clips;  // The requests of clips inside.
};

// Reads the files. Fetches URLs if the job identifies these by their content, too, and `may_fetch`. Errors
// name the reference. Blocks for the disk and the network.
Result<IdentifiedRequest> identify_request(const GenerationJob &job, const GenerationServices &services,
                                           bool may_fetch, GCancellable *cancellable);

// The job that makes a clip which another job's request refers to. `identified`: that clip's request, which
// the job then is of, whatever its files contain by now; null: it is not identified yet.
GenerationJob job_of_inner(const GenerationJob &outer, const CheckedRequest &inner,
                           std::shared_ptr<const IdentifiedRequest> identified);

// Whether a file of this machine, which may change at any time, is part of the request.
bool names_files(const CheckedRequest &request);
// How many clips are made for the request, itself included, if none is stored.
size_t count_links(const CheckedRequest &request);

}  // namespace genclip
