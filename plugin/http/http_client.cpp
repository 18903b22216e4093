// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The blocking side: checks a request, follows its redirects, collects its body.
#include "plugin/http/http_client.h"

#include <algorithm>
#include <deque>

#include "plugin/base/local_file.h"
#include "plugin/base/mutex.h"
#include "plugin/http/exchange_log.h"
#include "plugin/http/handover.h"
#include "plugin/http/http_session.h"
#include "plugin/http/http_url.h"
#include "plugin/http/io_thread.h"
#include "plugin/http/soup_exchange.h"
#include "plugin/http/visited_hosts.h"

namespace genclip {
namespace {

using Method = HttpRequest::Method;

constexpr unsigned kMaxRedirects = 10;
// A whole call may take this many of its timeouts, so that a body that trickles in does not last for ever.
constexpr int kTimeoutsPerCall = 10;
constexpr std::chrono::milliseconds kForEver = std::chrono::hours(24 * 365);  // Can be added to any time.

std::chrono::milliseconds patience(std::chrono::milliseconds timeout) {
  return timeout.count() == 0 ? kForEver : std::min(timeout, kForEver);
}

std::chrono::milliseconds answer_patience(const HttpRequest &request) {
  return request.answer_timeout.count() == 0 ? patience(request.timeout)
                                             : std::max(patience(request.timeout), request.answer_timeout);
}

HttpError before_sending(Error error) { return {std::move(error), false, false}; }

bool fits_header(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char letter) {
    return (static_cast<unsigned char>(letter) < ' ' && letter != '\t') || letter == 0x7f;
  });
}

std::string misfit_text(const char *what) {
  return std::string(what) + " contains a line break or another control character.";
}

Result<void, HttpError> check_headers(const HttpRequest &request) {
  for (const auto &[what, value] : {std::pair("The API key", &request.bearer_key),
                                    {"The property user-agent", &request.user_agent},
                                    {"A content type", &request.content_type}})
    if (std::string problem = header_problem(what, *value); !problem.empty())
      return before_sending({ErrorKind::settings, std::move(problem)});
  for (const auto &[name, value] : request.headers) {
    const bool is_name = !name.empty() && name.find_first_of(" \t:") == name.npos && fits_header(name);
    if (!is_name || !fits_header(value))
      return before_sending({ErrorKind::settings, misfit_text("A request header")});
    // A redirect would carry it to another host.
    if (g_ascii_strcasecmp(name.c_str(), "Authorization") == 0)
      return before_sending({ErrorKind::settings, "The API key must not be given as a header."});
  }
  return {};
}

// A reply and the way to its body.
class SoupBody final : public HttpBody {
 public:
  SoupBody(std::shared_ptr<SoupExchange> exchange, std::shared_ptr<Handover> handover, ExchangeLog log,
           GCancellable *cancellable)
      : exchange_(std::move(exchange)),
        handover_(std::move(handover)),
        log_(std::move(log)),
        cancellable_(GRef<GCancellable>::share(cancellable)) {}

  ~SoupBody() override {
    IoThread::get().post([exchange = std::move(exchange_)] { exchange->drop(); });
    log_.finish(reply_.status);
  }

  Result<void, HttpError> wait_for_head() {
    IoThread::get().post([exchange = exchange_] { exchange->start(); });
    auto head = handover_->wait_for_head(cancellable_.get());
    if (!head) return failed(std::move(head).error());
    reply_ = std::move(head).value();
    return {};
  }

  const HttpReply &reply() const override { return reply_; }

  Result<std::span<const std::byte>, HttpError> read() override {
    if (!asked_) ask();
    const auto count = handover_->take_chunk(chunk_, cancellable_.get());
    if (!count) return failed(count.error());
    log_.count(*count);
    // Asks for the next chunk, which arrives while this one is used.
    if (*count > 0) ask();
    return std::span<const std::byte>(chunk_).first(*count);
  }

  void wait_at_most(std::chrono::milliseconds time) override { handover_->set_timeout(time); }

 private:
  void ask() {
    asked_ = true;
    handover_->begin_chunk();
    IoThread::get().post(
        [exchange = exchange_, handover = handover_] { exchange->read(handover->take_used()); });
  }

  HttpError failed(HttpError error) {
    log_.fail(error.error);
    return error;
  }

  std::shared_ptr<SoupExchange> exchange_;
  const std::shared_ptr<Handover> handover_;
  ExchangeLog log_;
  const GRef<GCancellable> cancellable_;
  HttpReply reply_;
  std::vector<std::byte> chunk_;
  bool asked_ = false;  // The first chunk was asked for. Each chunk that is taken asks for the next.
};

class SoupHttpClient final : public HttpClient {
 public:
  explicit SoupHttpClient(const HttpSettings &settings)
      : session_(IoThread::owned(new HttpSession(settings))) {
    // Started here and not by the first exchange, so that its exit handler is registered before those of its
    // users and runs after them.
    IoThread::get();
  }

  Result<HttpReply, HttpError> call(const HttpRequest &request, GCancellable *cancellable) override {
    const auto deadline = std::chrono::steady_clock::now() + kTimeoutsPerCall * answer_patience(request);
    auto body = follow(request, SoupExchange::End::as_said, cancellable);
    if (!body) return std::move(body).error();
    HttpReply reply = (*body)->reply();
    // What has arrived may begin with the ID of a paid task.
    const auto too_large = [&request, &reply] {
      Error error{ErrorKind::read, "The answer is larger than " + std::to_string(request.max_body) +
                                       " bytes, which is not plausible. Check the address."};
      error.http_status = reply.status;
      return HttpError{std::move(error), true, false, std::move(reply)};
    };
    for (;;) {
      auto bytes = (*body)->read();
      if (!bytes) {
        bytes.error().begun = std::move(reply);
        return std::move(bytes).error();
      }
      if (bytes->empty()) return reply;
      const size_t room = request.max_body - reply.body.size();
      reply.body.append(reinterpret_cast<const char *>(bytes->data()), std::min(bytes->size(), room));
      if (bytes->size() > room) return too_large();
      if (std::chrono::steady_clock::now() > deadline)
        return HttpError{{ErrorKind::timed_out, "The answer arrives too slowly. Try again later."},
                         true,
                         true,
                         std::move(reply)};
    }
  }

  Result<std::unique_ptr<HttpBody>, HttpError> open(const HttpRequest &request,
                                                    GCancellable *cancellable) override {
    return follow(request, SoupExchange::End::proven, cancellable);
  }

 private:
  Result<std::unique_ptr<HttpBody>, HttpError> follow(const HttpRequest &request, SoupExchange::End end,
                                                      GCancellable *cancellable) {
    if (auto fits = check_headers(request); !fits) return std::move(fits).error();
    const bool may_follow =
        request.follow_redirects && request.method != Method::post && request.bearer_key.empty();
    HttpRequest hop = request;
    const auto visited = request.visited ? request.visited : remember_hosts();
    for (unsigned redirects = 0;; ++redirects) {
      if (g_cancellable_is_cancelled(cancellable)) return before_sending(cancelled());
      auto url = parse_http_url(hop.url);
      if (!url) return before_sending(std::move(url).error());
      if (request.bearer_key.empty()) {
        hop.headers = request.headers;
        for (auto &header : visited->visit(url->get())) hop.headers.push_back(std::move(header));
      }
      auto body = send(hop, *url, end, cancellable);
      if (!body || !may_follow || !is_redirect((*body)->reply().status)) return body;
      const auto location = (*body)->reply().header("Location");
      if (!location) return body;
      const auto refused = [&body](Error error) {
        error.http_status = (*body)->reply().status;
        return HttpError{std::move(error), true, false};
      };
      if (redirects == kMaxRedirects)
        return refused({ErrorKind::open_read, host_of(url->get()) + " redirects more than " +
                                                  std::to_string(kMaxRedirects) + " times."});
      auto target = redirect_target(url->get(), *location);
      if (!target) {
        HttpError astray = refused(std::move(target).error());
        astray.leads_astray = true;
        return astray;
      }
      visited->keep_cookies(url->get(), (*body)->reply());
      hop.url = std::move(target).value();
    }
  }

  Result<std::unique_ptr<HttpBody>, HttpError> send(const HttpRequest &hop, const GRef<GUri> &url,
                                                    SoupExchange::End end, GCancellable *cancellable) {
    if (!hop.bearer_key.empty() && !is_https(url.get()) && !is_loopback(url.get()))
      warn_of_key_in_clear(host_of(url.get()));
    auto handover = std::make_shared<Handover>(
        host_of(url.get()),
        Handover::Patience{patience(hop.timeout), answer_patience(hop), patience(hop.whole_timeout)});
    auto exchange = IoThread::owned(new SoupExchange(session_, handover, hop, url, end));
    auto body =
        std::make_unique<SoupBody>(std::move(exchange), std::move(handover), ExchangeLog(hop), cancellable);
    if (auto head = body->wait_for_head(); !head) return std::move(head).error();
    return std::unique_ptr<HttpBody>(std::move(body));
  }

  const std::shared_ptr<HttpSession> session_;
};

struct SharedClients {
  Mutex mutex;
  std::deque<std::pair<HttpSettings, std::weak_ptr<HttpClient>>> clients GUARDED_BY(mutex);
};

}  // namespace

std::string header_problem(const char *what, std::string_view value) {
  return fits_header(value) ? "" : misfit_text(what);
}

std::shared_ptr<VisitedHosts> remember_hosts() { return std::make_shared<VisitedHosts>(); }

std::optional<std::string> HttpReply::header(std::string_view name) const {
  const auto is_it = [name](const auto &header) {
    return header.first.size() == name.size() &&
           g_ascii_strncasecmp(header.first.data(), name.data(), name.size()) == 0;
  };
  const auto found = std::find_if(headers.begin(), headers.end(), is_it);
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

std::shared_ptr<HttpClient> HttpClient::shared(const HttpSettings &given) {
  // The file is read with the first connection, when the current folder may be another one.
  HttpSettings settings = given;
  settings.tls_ca_file = absolute_path(given.tls_ca_file);
  static auto &shared = *new SharedClients;  // Never destroyed: threads may outlive main().
  MutexLock lock(shared.mutex);
  std::erase_if(shared.clients, [](const auto &entry) { return entry.second.expired(); });
  for (const auto &[known, client] : shared.clients)
    if (known == settings)
      if (auto alive = client.lock()) return alive;
  auto client = std::make_shared<SoupHttpClient>(settings);
  shared.clients.emplace_back(settings, client);
  return client;
}

}  // namespace genclip
