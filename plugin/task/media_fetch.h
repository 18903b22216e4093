// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Asks a reference's server for its size and type, or for all of it. Never sends a key: the server may belong
// to anyone.
#pragma once

#include <chrono>
#include <string>

#include "plugin/base/result.h"
#include "plugin/http/http_client.h"
#include "plugin/task/media_facts.h"
#include "plugin/task/temporary_file.h"

namespace genclip {

struct MediaFetchOptions {
  std::chrono::milliseconds http_timeout{30000};
  std::string user_agent;
  std::chrono::milliseconds whole_timeout{0};  // Of one exchange, even with progress; 0: for ever.

  bool operator==(const MediaFetchOptions &) const = default;
};

// Why a medium could not be fetched.
struct MediaFailure {
  ErrorKind kind = ErrorKind::open_read;
  std::string text;  // Reads on from the reference's name: "cannot be fetched: …".
  bool transient = false;
};

// Type and size, by HEAD; by a GET of one byte where HEAD does not work, as with URLs that are signed for GET
// only; by a GET of which only the head is read where ranges do not work either.
Result<MediaFacts, MediaFailure> fetch_media_headers(HttpClient &http, const std::string &url,
                                                     const MediaFetchOptions &options,
                                                     GCancellable *cancellable);

struct FetchedMedia {
  MediaFacts facts;  // Type and size, by the bytes that came.
  TemporaryFile file;
  bool whole = false;  // False: larger than `max_bytes`.
};

Result<FetchedMedia, MediaFailure> fetch_media(HttpClient &http, const std::string &url, uint64_t max_bytes,
                                               const MediaFetchOptions &options, GCancellable *cancellable);

}  // namespace genclip
