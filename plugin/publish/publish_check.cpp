// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/publish/publish_check.h"

#include <algorithm>

#include "plugin/base/number.h"
#include "plugin/base/trimmed.h"
#include "plugin/http/redaction.h"
#include "plugin/task/media_fetch.h"

namespace genclip {
namespace {

constexpr std::chrono::milliseconds kFirstPause{250};
constexpr std::chrono::milliseconds kPatience{5000};
constexpr std::chrono::milliseconds kHttpTimeout{10000};

// Empty, or what is wrong: continues a sentence that begins with the URL.
std::string problem_of(const Result<MediaFacts, MediaFailure> &facts, uint64_t size) {
  if (!facts) return facts.error().text;
  if (!facts->bytes) return "is there, but its server does not tell its size";
  if (*facts->bytes != size)
    return "has " + counted(std::to_string(*facts->bytes), "byte") + ", but the file has " +
           std::to_string(size);
  return {};
}

}  // namespace

Result<void> check_public_url(HttpClient &http, Clock &clock, const std::string &url, uint64_t size,
                              GCancellable *cancellable) {
  MediaFetchOptions options;
  options.http_timeout = kHttpTimeout;
  const auto end = clock.now() + kPatience;
  for (auto pause = kFirstPause;; pause *= 2) {
    const std::string problem = problem_of(fetch_media_headers(http, url, options, cancellable), size);
    if (g_cancellable_is_cancelled(cancellable)) return cancelled();
    if (problem.empty()) return {};
    const auto now = clock.now();
    if (now >= end)
      return Error{
          ErrorKind::open_read,
          "The file was published, but " + redact_url(url) + " " + std::string(without_full_stop(problem)) +
              ". Correct publish-url or the publish command; or, if only this host cannot reach that "
              "address, set publish-check=none."};
    if (!clock.sleep_until(std::min(now + pause, end), cancellable)) return cancelled();
  }
}

}  // namespace genclip
