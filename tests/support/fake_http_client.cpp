// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Takes the next answer of the script.
#include "tests/support/fake_http_client.h"

#include <algorithm>
#include <cstring>

#include "plugin/base/gref.h"

namespace genclip::test {
namespace {

// Waits for the cancellable as a network call would; without one, the timeout is all that can end it.
HttpError hang(GCancellable *cancellable) {
  GPollFD cancelled_fd = {};
  if (!g_cancellable_make_pollfd(cancellable, &cancelled_fd))
    return {{ErrorKind::timed_out, "No answer in time."}, true, true};
  while (!g_cancellable_is_cancelled(cancellable)) g_poll(&cancelled_fd, 1, 1000);
  g_cancellable_release_fd(cancellable);
  return {cancelled(), true, false};
}

class FakeBody final : public HttpBody {
 public:
  FakeBody(FakeAnswer answer, std::shared_ptr<FakeHttpClient::Limits> limits, GCancellable *cancellable)
      : answer_(std::move(answer)),
        limits_(std::move(limits)),
        cancellable_(GRef<GCancellable>::share(cancellable)) {
    std::swap(body_, answer_.reply.body);
    if (!answer_.cut_at) answer_.error.reset();
    end_ = std::min(answer_.cut_at.value_or(body_.size()), body_.size());
  }

  const HttpReply &reply() const override { return answer_.reply; }

  Result<std::span<const std::byte>, HttpError> read() override {
    if (g_cancellable_is_cancelled(cancellable_.get())) return HttpError{cancelled(), true, false};
    if (at_ == end_ && answer_.hangs) return hang(cancellable_.get());
    if (at_ == end_ && answer_.error) return *answer_.error;
    if (at_ == end_) return std::span<const std::byte>();  // With a null pointer, as of the real one.
    const size_t count = std::min(end_ - at_, answer_.max_read);
    at_ += count;
    return std::as_bytes(std::span(body_)).subspan(at_ - count, count);
  }

  void wait_at_most(std::chrono::milliseconds time) override {
    MutexLock lock(limits_->mutex);
    limits_->all.push_back(time);
  }

 private:
  FakeAnswer answer_;
  const std::shared_ptr<FakeHttpClient::Limits> limits_;
  const GRef<GCancellable> cancellable_;
  std::string body_;
  size_t at_ = 0;
  size_t end_ = 0;
};

}  // namespace

FakeAnswer answer(unsigned status, std::string body, HttpHeaders headers) {
  FakeAnswer result;
  result.reply.status = status;
  result.reply.body = std::move(body);
  result.reply.headers = std::move(headers);
  return result;
}

FakeAnswer not_sent(std::string text) {
  FakeAnswer result;
  result.error = HttpError{{ErrorKind::open_read, std::move(text)}, false, true};
  return result;
}

FakeAnswer lost(std::string text) {
  FakeAnswer result;
  result.error = HttpError{{ErrorKind::read, std::move(text)}, true, true};
  return result;
}

FakeAnswer cut_after(FakeAnswer whole, size_t count) {
  whole.error = lost().error;
  whole.cut_at = count;
  return whole;
}

FakeAnswer hanging() {
  FakeAnswer result;
  result.hangs = true;
  return result;
}

void FakeHttpClient::expect(FakeAnswer next) { expect(std::move(next), 1); }

void FakeHttpClient::expect(FakeAnswer next, unsigned times) {
  MutexLock lock(mutex_);
  script_.insert(script_.end(), times, next);
}

void FakeHttpClient::otherwise(Handler handler) {
  MutexLock lock(mutex_);
  otherwise_ = std::move(handler);
}

void FakeHttpClient::before_answer(std::function<void(const HttpRequest &)> hook) {
  MutexLock lock(mutex_);
  before_answer_ = std::move(hook);
}

Result<FakeAnswer, HttpError> FakeHttpClient::next(const HttpRequest &request, GCancellable *cancellable,
                                                   bool is_open) {
  if (g_cancellable_is_cancelled(cancellable)) return HttpError{cancelled(), false, false};
  std::optional<FakeAnswer> scripted;
  Handler handler;
  std::function<void(const HttpRequest &)> hook;
  {
    MutexLock lock(mutex_);
    requests_.push_back({request, clock_.now(), is_open, cancellable != nullptr});
    if (!script_.empty()) {
      scripted = std::move(script_.front());
      script_.pop_front();
    } else if (!otherwise_) {
      ++unexpected_;
    }
    handler = otherwise_;
    hook = before_answer_;
  }
  if (hook) hook(request);
  if (g_cancellable_is_cancelled(cancellable)) return HttpError{cancelled(), true, false};
  if (!scripted && !handler)
    return HttpError{{ErrorKind::failed, "The test has no answer for " + request.url}, false, false};
  FakeAnswer result = scripted ? std::move(*scripted) : handler(request);
  if (result.hangs && !result.cut_at) return hang(cancellable);
  if (result.error && !result.cut_at) return std::move(*result.error);
  if (result.reply.final_url.empty()) result.reply.final_url = request.url;
  return result;
}

Result<HttpReply, HttpError> FakeHttpClient::call(const HttpRequest &request, GCancellable *cancellable) {
  auto given = next(request, cancellable, false);
  if (!given) return std::move(given).error();
  if (given->cut_at) {
    if (given->hangs) return hang(cancellable);
    HttpError broken = std::move(*given->error);
    broken.begun = std::move(given->reply);
    broken.begun->body.resize(std::min(broken.begun->body.size(), *given->cut_at));
    return broken;
  }
  return std::move(given->reply);
}

Result<std::unique_ptr<HttpBody>, HttpError> FakeHttpClient::open(const HttpRequest &request,
                                                                  GCancellable *cancellable) {
  auto given = next(request, cancellable, true);
  if (!given) return std::move(given).error();
  return std::unique_ptr<HttpBody>(
      std::make_unique<FakeBody>(std::move(given).value(), limits_, cancellable));
}

std::vector<FakeHttpClient::Request> FakeHttpClient::requests() const {
  MutexLock lock(mutex_);
  return requests_;
}

size_t FakeHttpClient::count(HttpRequest::Method method) const {
  MutexLock lock(mutex_);
  return static_cast<size_t>(std::count_if(requests_.begin(), requests_.end(),
                                           [=](const Request &one) { return one.request.method == method; }));
}

size_t FakeHttpClient::unexpected() const {
  MutexLock lock(mutex_);
  return unexpected_;
}

std::vector<std::chrono::milliseconds> FakeHttpClient::limits() const {
  MutexLock lock(limits_->mutex);
  return limits_->all;
}

size_t FakeHttpClient::left() const {
  MutexLock lock(mutex_);
  return script_.size();
}

}  // namespace genclip::test
