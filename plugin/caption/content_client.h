// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One question to the text gateway (§4.4): asked, tried again where that helps, read as it comes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "plugin/base/clock.h"
#include "plugin/caption/content_wire.h"
#include "plugin/http/http_client.h"

namespace genclip {

struct ContentAnswer {
  std::string text;
  std::string finish_reason;
  uint64_t prompt_tokens = 0;
  uint64_t output_tokens = 0;
  uint64_t total_tokens = 0;
  bool cut_short = false;  // MAX_TOKENS: the text is what there was room for
};

struct ContentClientSettings {
  std::string llm_base_url;
  std::string api_key;
  std::string user_agent;  // empty: genclip's own
  bool stream = false;
  unsigned retries = 3;
  std::chrono::milliseconds timeout{60000};  // one exchange, whole; 0 for ever
};

// What a caller may want to hear while it waits, all in its own thread.
struct ContentListener {
  // Text as it comes. Once it returns true something of it is out, and a failure is final: what was said
  // cannot be unsaid.
  std::function<bool(std::string_view)> on_text = {};
  // Before another try is sent, which begins the text anew; false forbids it (a budget).
  std::function<bool()> on_retry = {};
};

// Blocking; every thread may ask at the same time. Borrows clock, which must outlive this.
class ContentClient {
 public:
  ContentClient(std::shared_ptr<HttpClient> http, ContentClientSettings settings, Clock &clock);

  // Errors: not_authorized (401, 402, 403), not_found (404), settings (another 4xx), busy (429), open_read
  // (5xx, no connection), read (broken or without a finishReason), timed_out, failed (blocked), cancelled.
  Result<ContentAnswer> ask(const ContentRequest &request, const ContentListener &listener,
                            GCancellable *cancellable) const;

 private:
  struct Failure;

  Result<ContentAnswer, Failure> try_once(const std::string &url, const std::string &body,
                                          const ContentListener &listener, bool &said,
                                          GCancellable *cancellable) const;

  const std::shared_ptr<HttpClient> http_;
  const ContentClientSettings settings_;
  Clock &clock_;
};

}  // namespace genclip
