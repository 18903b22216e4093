// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Classifies answers and failures. Only the retry loop waits.
#include "plugin/caption/content_client.h"

#include <algorithm>
#include <vector>

#include "plugin/caption/caption_text.h"
#include "plugin/caption/question_fault.h"
#include "plugin/caption/stream_parser.h"
#include "plugin/caption/surrogate_halves.h"
#include "plugin/http/display_line.h"
#include "plugin/http/retry_policy.h"

namespace genclip {

using std::chrono::milliseconds;

// Why a try ended, and whether another one makes sense.
struct ContentClient::Failure {
  Error error;
  bool transient = false;
  std::optional<milliseconds> wait = {};
  std::optional<ContentAnswer> answer = {};  // better than none, if no other try brings a whole one
  bool stale = false;                        // as HttpError
};

namespace {

constexpr size_t kMaxAnswer = 8 << 20;
constexpr size_t kMaxMessage = 2000;
constexpr size_t kMaxReason = 100;
// For a caption, a service that asks for a longer wait counts as unavailable.
constexpr milliseconds kLongestAskedWait{120000};

ErrorKind kind_of(unsigned status) {
  if (status == 401 || status == 402 || status == 403) return ErrorKind::not_authorized;
  if (status == 404) return ErrorKind::not_found;
  if (status == 408) return ErrorKind::timed_out;
  if (status == 429) return ErrorKind::busy;
  if (status >= 400 && status < 500) return ErrorKind::settings;
  return ErrorKind::open_read;
}

const char *advice(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::not_authorized:
      return " Check api-key, api-key-file or GENCLIP_API_KEY, and the credits of the account.";
    case ErrorKind::not_found: return " Check llm-base-url and model.";
    case ErrorKind::settings: return " Check the properties that make up the request.";
    case ErrorKind::busy: return " Send fewer requests (interval, max-in-flight) or wait.";
    default: return " Try again later.";
  }
}

Error refused(unsigned status, const ServiceFault &fault, const std::string &api_key) {
  Error error;
  error.kind = kind_of(status);
  error.text = "The text gateway refused the request (" + std::to_string(status) + ")";
  // A gateway may say anything, so its message is made safe to show.
  error.service_message = display_line(fault.message, kMaxMessage, api_key);
  if (!error.service_message.empty()) error.text += ": " + error.service_message;
  if (!error.text.ends_with('.')) error.text += '.';
  if (fault.daily_quota)
    error.text += " The daily quota is used up.";
  else
    error.text += advice(error.kind);
  error.http_status = status;
  return error;
}

// Tells programs that the same request may be answered later: neither it nor the settings are wrong.
Error for_now(Error error) {
  error.details.push_back({"retry", true});
  return error;
}

Error took_too_long(Error error) {
  error.details.push_back({kTookTooLong, true});
  return error;
}

Error error_of(const HttpError &fault) {
  Error error = fault.transient ? for_now(fault.error) : fault.error;
  const bool had_request = fault.maybe_sent && error.kind == ErrorKind::timed_out;
  return had_request ? took_too_long(std::move(error)) : error;
}

Error blocked(const std::string &reason, const char *what) {
  return {ErrorKind::failed,
          std::string("The model withheld the caption: ") + what + " was blocked (" + reason +
              "). Change the prompt, or set on-error=skip to continue without it.",
          {},
          {},
          0,
          reason};
}

// Puts the pieces together.
struct Gathering {
  const std::string &api_key;
  ContentAnswer answer;
  std::optional<ServiceFault> fault;
  std::string block_reason;
  HalfJoiner halves;
  std::optional<uint64_t> candidate = {};  // Whose text is the answer.
  std::optional<uint64_t> finished = {};   // Whose reason the answer has.

  // A text that was withheld or cut short is not whole because another piece ends well.
  bool replaces_reason(const std::string &reason) const {
    if (is_blocking(answer.finish_reason)) return false;
    return is_blocking(reason) || !is_output_limit(answer.finish_reason);
  }

  void add(const Json &document, const ContentListener &listener, bool &said) {
    ContentPiece piece = read_content_piece(document, candidate);
    if (piece.fault && !fault) fault = std::move(piece.fault);
    // A gateway may make up any word here, and people see it.
    if (!piece.block_reason.empty()) block_reason = display_line(piece.block_reason, kMaxReason, api_key);
    if (!candidate && !caption_text(piece.text).empty()) {
      candidate = piece.candidate;
      if (finished != candidate) answer.finish_reason.clear();
    }
    if (!piece.finish_reason.empty() && replaces_reason(piece.finish_reason)) {
      answer.finish_reason = display_line(piece.finish_reason, kMaxReason, api_key);
      finished = piece.candidate;
    }
    // Counts of a stream are running totals.
    if (piece.prompt_tokens) answer.prompt_tokens = *piece.prompt_tokens;
    if (piece.output_tokens) answer.output_tokens = *piece.output_tokens;
    if (piece.total_tokens) answer.total_tokens = *piece.total_tokens;
    // Some gateways do not tell the total.
    answer.total_tokens = std::max(answer.total_tokens, answer.prompt_tokens + answer.output_tokens);
    if (!fault) add_text(halves.push(piece.text), listener, said);
  }

  void add_text(const std::string &text, const ContentListener &listener, bool &said) {
    if (text.empty()) return;
    answer.text += text;
    if (listener.on_text && !is_blocking(answer.finish_reason) && listener.on_text(text)) said = true;
  }
};

}  // namespace

ContentClient::ContentClient(std::shared_ptr<HttpClient> http, ContentClientSettings settings, Clock &clock)
    : http_(std::move(http)), settings_(std::move(settings)), clock_(clock), key_(settings_.api_key) {}

Result<ContentAnswer, ContentClient::Failure> ContentClient::try_once(
    const std::string &url, const SharedText &body, const std::string &key, const ContentListener &listener,
    bool &said, ContentTry &used, GCancellable *cancellable) const {
  const auto deadline = clock_.now() + settings_.timeout;
  HttpRequest post;
  post.method = HttpRequest::Method::post;
  post.url = url;
  post.bearer_key = key;
  post.body = body;
  post.content_type = "application/json";
  post.timeout = settings_.timeout;
  post.whole_timeout = settings_.timeout;
  post.user_agent = settings_.user_agent;
  auto exchange = http_->open(post, cancellable);
  if (!exchange) {
    used.was_sent = exchange.error().maybe_sent;
    used.is_told = !used.was_sent;
    return Failure{error_of(exchange.error()), exchange.error().transient, {}, {}, exchange.error().stale};
  }

  const unsigned status = (*exchange)->reply().status;
  const bool good = status >= 200 && status < 300;
  StreamParser parser;
  Gathering gathering{key, {}, {}, {}, {}};
  std::vector<Json> documents;
  std::optional<Failure> broken;
  bool is_cut = false;  // its end has not come
  size_t total = 0;
  while (!broken) {
    const auto bytes = (*exchange)->read();
    if (!bytes) {
      broken = Failure{error_of(bytes.error()), bytes.error().transient};
      is_cut = true;
      break;
    }
    total += bytes->size();
    const std::string_view text(reinterpret_cast<const char *>(bytes->data()), bytes->size());
    const auto fed = !text.empty() ? parser.feed(text, documents) : parser.finish(documents);
    if (!fed) broken = Failure{fed.error(), true};
    is_cut = !fed && text.empty();
    for (const Json &document : documents) gathering.add(document, good ? listener : ContentListener{}, said);
    documents.clear();
    if (text.empty()) break;
    if (total > kMaxAnswer)
      broken = Failure{{ErrorKind::read, "The text gateway's answer is larger than 8 MiB."}, false};
    if (settings_.timeout.count() > 0 && clock_.now() > deadline) {
      broken = Failure{took_too_long(for_now(
                           {ErrorKind::timed_out, "The text gateway did not complete its answer in time."})),
                       true};
      is_cut = true;
    }
  }
  if (broken && broken->error.kind == ErrorKind::cancelled) return *std::move(broken);
  is_cut = is_cut && !parser.has_ended(!settings_.stream);
  gathering.add_text(gathering.halves.finish(), good ? listener : ContentListener{}, said);

  used.prompt_tokens = gathering.answer.prompt_tokens;
  used.output_tokens = gathering.answer.output_tokens;
  used.total_tokens = gathering.answer.total_tokens;
  // What a broken answer has told so far is not all.
  const bool is_finished = !gathering.answer.finish_reason.empty();
  const bool is_whole = !broken || (is_finished && !is_cut);
  const bool has_counts = used.prompt_tokens + used.output_tokens + used.total_tokens > 0;
  used.is_told = !good || gathering.fault || (is_whole && has_counts);
  if (!good || gathering.fault) {
    const ServiceFault fault = gathering.fault.value_or(ServiceFault{});
    if (!fault.withheld.empty()) {
      Failure withheld{blocked(display_line(fault.withheld, kMaxReason, key), "the question")};
      if (!fault.message.empty())
        withheld.error.service_message = display_line(fault.message, kMaxMessage, key);
      return withheld;
    }
    const unsigned code = !good ? status : fault.code >= 400 ? static_cast<unsigned>(fault.code) : 500;
    Failure failure{refused(code, fault, key), is_transient_status(code) && !fault.daily_quota,
                    fault.retry_delay};
    // Credits can be bought, a quota of a day is there again tomorrow, and a server may be mended.
    if (failure.transient || code == 402 || code == 429 || code >= 500)
      failure.error = for_now(std::move(failure.error));
    if (const auto wait = retry_after_of((*exchange)->reply(), clock_.wall_now())) failure.wait = wait;
    return failure;
  }
  if (!gathering.block_reason.empty()) return Failure{blocked(gathering.block_reason, "the question")};
  if (is_blocking(gathering.answer.finish_reason))
    return Failure{blocked(gathering.answer.finish_reason, "the answer")};
  ContentAnswer &answer = gathering.answer;
  answer.cut_short = is_output_limit(answer.finish_reason);
  if (is_cut && is_finished) {
    // Some gateways write a finishReason into each piece, so it does not show that this one was the last.
    answer.broken_off = true;
    broken->transient = true;
    broken->answer = std::move(answer);
  }
  // What does not belong to an answer may stand behind its end.
  if (broken && (is_cut || !is_finished)) return *std::move(broken);
  // Models are known for such answers, and say something when they are asked again.
  if (!has_text(answer) && !answer.cut_short) return Failure{*shortcoming(answer), true, {}, answer};
  if (!is_finished)
    return Failure{{ErrorKind::read, "The text gateway's answer ended before the model finished."}, true};
  return std::move(answer);
}

std::string ContentClient::key() const {
  MutexLock lock(mutex_);
  return key_.value;
}

bool ContentClient::renew_key(const std::string &key, Error &refusal) {
  if (refusal.http_status != 401) return false;
  MutexLock lock(mutex_);
  if (key_.value != key) return true;  // Another thread was faster.
  return renew(key_, refusal);
}

Result<ContentAnswer> ContentClient::ask(const ContentRequest &request, const ContentListener &listener,
                                         GCancellable *cancellable) {
  const std::string url = content_url(settings_.llm_base_url, request.model, settings_.stream);
  const SharedText body = content_body(request);
  const RetryPolicy policy(settings_.retries);
  bool said = false;
  bool was_stale = false;
  std::optional<ContentAnswer> second_best;
  for (unsigned attempt = 1;;) {
    const std::string key = this->key();
    ContentTry used;
    auto answer = try_once(url, body, key, listener, said, used, cancellable);
    if (listener.on_try_ended) listener.on_try_ended(used);
    if (answer) return *std::move(answer);
    Failure &failure = answer.error();
    // What was said of it cannot be replaced by another one.
    if (said || (failure.answer && (!second_best || failure.answer->text.size() >= second_best->text.size())))
      second_best = std::move(failure.answer);
    const auto give_up = [&]() -> Result<ContentAnswer> {
      if (second_best && failure.transient) return *std::move(second_best);
      return std::move(failure.error);
    };
    std::optional<milliseconds> wait = milliseconds(0);
    // A connection of its own would not have failed, so the next try is beside the retries, once.
    const bool is_stale = failure.stale && !std::exchange(was_stale, true);
    if (!is_stale && (said || !renew_key(key, failure.error))) {
      wait = policy.delay_before(attempt++, failure.wait);
      if (!failure.transient || said || !wait || *wait > kLongestAskedWait) return give_up();
    }
    if (listener.on_failure) listener.on_failure(failure.error, *wait);
    if (!clock_.sleep_until(clock_.now() + *wait, cancellable)) return cancelled();
    if (listener.on_retry && !listener.on_retry()) return give_up();
  }
}

}  // namespace genclip
