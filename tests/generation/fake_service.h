// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A task API and a media server behind a FakeHttpClient: counts costs, and misbehaves on demand.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/mutex.h"
#include "tests/support/fake_http_client.h"

namespace genclip::test {

// Any thread. Set the switches before the first request, or between two runs.
class FakeService {
 public:
  explicit FakeService(std::string clip) : clip_(std::move(clip)) {}

  FakeAnswer operator()(const HttpRequest &request) EXCLUDES(mutex_);

  // What it does.
  unsigned polls = 2;        // Queries of a task before it is completed.
  bool takes_ranges = true;  // Else a 200 with all of it.
  bool sends_etag = true;    // Strong, made of the clip.
  bool sends_length = true;  // Content-Length and a range's total.
  unsigned expired = 0;      // So many media requests are answered with `expired_status` …
  unsigned expired_status = 403;
  unsigned missing_urls = 0;         // So many completed answers have no URL.
  std::deque<size_t> cuts;           // The next media answers break off after so many bytes of their body.
  std::deque<FakeAnswer> odd_media;  // … or are these.
  std::deque<FakeAnswer> odd_submits;
  bool loses_submit_answers = false;    // Accepts, then breaks the connection.
  std::string failure;                  // Every task fails with this.
  bool knows_no_task = false;           // Queries are answered with 404 …
  std::optional<FakeAnswer> odd_query;  // … or with this.
  // The answers that tell the amount: "submit", "processing", "completed", "failed", or several of these.
  std::string tells_amount = "completed";
  std::string amount = "2.5";  // As JSON; empty: it is not told.
  std::string results;         // JSON members of a completed answer, instead of video_url.
  std::string model;           // What tasks say that they are of; empty: nothing.

  void set_clip(std::string clip) EXCLUDES(mutex_);
  std::string clip() const EXCLUDES(mutex_);

  // What it has seen.
  unsigned submits() const EXCLUDES(mutex_);
  unsigned queries() const EXCLUDES(mutex_);
  // Media requests, and their Range headers (empty: none).
  std::vector<std::string> ranges() const EXCLUDES(mutex_);
  // Bytes of the clip that were sent, cuts counted as they fell.
  size_t media_bytes() const EXCLUDES(mutex_);

 private:
  FakeAnswer submit() REQUIRES(mutex_);
  FakeAnswer query(const std::string &task_id) REQUIRES(mutex_);
  FakeAnswer media(const HttpRequest &request) REQUIRES(mutex_);
  FakeAnswer whole_or_part(const HttpRequest &request) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::string clip_ GUARDED_BY(mutex_);
  unsigned submits_ GUARDED_BY(mutex_) = 0;
  unsigned queries_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, unsigned> queries_of_ GUARDED_BY(mutex_);
  std::vector<std::string> ranges_ GUARDED_BY(mutex_);
  size_t media_bytes_ GUARDED_BY(mutex_) = 0;
};

// The value of a header that was sent, or empty.
std::string header_of(const HttpRequest &request, const std::string &name);

}  // namespace genclip::test
