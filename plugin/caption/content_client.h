// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Asks the text gateway one question (§4.4): tries again where that helps, and reads the answer as it
// arrives.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "plugin/base/clock.h"
#include "plugin/base/mutex.h"
#include "plugin/caption/content_answer.h"
#include "plugin/caption/content_wire.h"
#include "plugin/http/api_key.h"
#include "plugin/http/http_client.h"

namespace genclip {

struct ContentClientSettings {
  std::string llm_base_url;
  ApiKey api_key;
  std::string user_agent;  // empty: genclip's own
  bool stream = false;
  unsigned retries = 3;
  std::chrono::milliseconds timeout{60000};  // one exchange, whole; 0 for ever
};

// What one try has used.
struct ContentTry {
  // The counts are the gateway's. It has told them as well when it refused the request, or when that was not
  // sent: then there are none.
  bool is_told = false;
  uint64_t prompt_tokens = 0;
  uint64_t output_tokens = 0;
  uint64_t total_tokens = 0;
  bool was_sent = true;  // False: it surely did not reach the gateway.
};

// Called while the caller waits, on its own thread.
struct ContentListener {
  // The text as it arrives. Once this returns true, a part of the text has left, and cannot be taken back; so
  // a failure is final then.
  std::function<bool(std::string_view)> on_text = {};
  // Called when a try has ended, well or not, before all that follows from it.
  std::function<void(const ContentTry &)> on_try_ended = {};
  // Called when a try failed and another one follows after that pause; at once with a renewed key.
  std::function<void(const Error &failure, std::chrono::milliseconds pause)> on_failure = {};
  // Called before a further try is sent, with which the text begins anew. False forbids it (a budget).
  std::function<bool()> on_retry = {};
};

// Blocking; every thread may ask at the same time. After a 401, a question reads the file of the key again,
// and is repeated, beside its retries, as long as it finds another key there; all threads use that one from
// then on. Borrows clock, which must outlive this.
class ContentClient {
 public:
  ContentClient(std::shared_ptr<HttpClient> http, ContentClientSettings settings, Clock &clock);

  // The answer has no text, or has broken off, only if each try within the retries has brought no more than
  // that. Errors: not_authorized (401, 402, 403), not_found (404), settings (another 4xx), busy (429),
  // open_read (5xx, no connection), read (broken or without a finishReason), timed_out, failed (blocked),
  // cancelled.
  Result<ContentAnswer> ask(const ContentRequest &request, const ContentListener &listener,
                            GCancellable *cancellable) EXCLUDES(mutex_);

  // The key that the next question is sent with.
  std::string key() const EXCLUDES(mutex_);

 private:
  struct Failure;

  Result<ContentAnswer, Failure> try_once(const std::string &url, const SharedText &body,
                                          const std::string &key, const ContentListener &listener, bool &said,
                                          ContentTry &used, GCancellable *cancellable) const;
  // True: the error is a refusal of `key`, and there is another one now. Reads the file under the lock, so
  // that it is read once for all threads that have the refused key.
  bool renew_key(const std::string &key, Error &refusal) EXCLUDES(mutex_);

  const std::shared_ptr<HttpClient> http_;
  const ContentClientSettings settings_;
  Clock &clock_;
  mutable Mutex mutex_;
  ApiKey key_ GUARDED_BY(mutex_);
};

}  // namespace genclip
