// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A network that follows a script and remembers every request.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/mutex.h"
#include "plugin/http/http_client.h"

namespace genclip::test {

// What comes back for one request.
struct FakeAnswer {
  HttpReply reply;
  // Instead of a reply; or, when `cut_at` is set, after so many bytes of the body.
  std::optional<HttpError> error;
  std::optional<size_t> cut_at;
  bool hangs = false;       // Until cancelled; a call that cannot be cancelled times out at once.
  size_t max_read = 65536;  // Bytes of one read, for bodies that come in drops.
};

FakeAnswer answer(unsigned status, std::string body, HttpHeaders headers = {});
// Surely not sent: no such host, connection refused.
FakeAnswer not_sent(std::string text = "Could not connect.");
// The connection broke after the request was written.
FakeAnswer lost(std::string text = "The connection broke.");
// `whole`, broken off after `count` bytes.
FakeAnswer cut_after(FakeAnswer whole, size_t count);
FakeAnswer hanging();

// Any thread. Like the real one it checks the cancellable first, and counts a cancelled call as sent.
class FakeHttpClient final : public HttpClient {
 public:
  struct Request {
    HttpRequest request;
    Clock::Time time;
    bool is_open;  // open(), not call()
    bool is_cancellable;
  };
  using Handler = std::function<FakeAnswer(const HttpRequest &)>;
  // Shared with the bodies.
  struct Limits {
    Mutex mutex;
    std::vector<std::chrono::milliseconds> all GUARDED_BY(mutex);
  };

  // Borrows the clock.
  explicit FakeHttpClient(const Clock &clock) : clock_(clock) {}

  // Answers are given in this order, one a request.
  void expect(FakeAnswer next) EXCLUDES(mutex_);
  void expect(FakeAnswer next, unsigned times) EXCLUDES(mutex_);
  // Whatever the script has no answer for; without it such a request fails for good and counts as unexpected.
  void otherwise(Handler handler) EXCLUDES(mutex_);
  // Called with no lock held between the record of a request and its answer: look at the disk, cancel,
  // advance.
  void before_answer(std::function<void(const HttpRequest &)> hook) EXCLUDES(mutex_);

  Result<HttpReply, HttpError> call(const HttpRequest &request, GCancellable *cancellable) override
      EXCLUDES(mutex_);
  Result<std::unique_ptr<HttpBody>, HttpError> open(const HttpRequest &request,
                                                    GCancellable *cancellable) override EXCLUDES(mutex_);

  std::vector<Request> requests() const EXCLUDES(mutex_);
  size_t count(HttpRequest::Method method) const EXCLUDES(mutex_);
  // Requests that nobody scripted, and answers that nobody fetched: both 0 at the end of a good test.
  size_t unexpected() const EXCLUDES(mutex_);
  size_t left() const EXCLUDES(mutex_);
  // How long at most the reads of bodies were to wait.
  std::vector<std::chrono::milliseconds> limits() const;

 private:
  Result<FakeAnswer, HttpError> next(const HttpRequest &request, GCancellable *cancellable, bool is_open)
      EXCLUDES(mutex_);

  const Clock &clock_;
  const std::shared_ptr<Limits> limits_ = std::make_shared<Limits>();
  mutable Mutex mutex_;
  std::deque<FakeAnswer> script_ GUARDED_BY(mutex_);
  Handler otherwise_ GUARDED_BY(mutex_);
  std::function<void(const HttpRequest &)> before_answer_ GUARDED_BY(mutex_);
  std::vector<Request> requests_ GUARDED_BY(mutex_);
  size_t unexpected_ GUARDED_BY(mutex_) = 0;
};

}  // namespace genclip::test
