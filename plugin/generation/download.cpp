// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One loop of exchanges; each goes on where the file ends.
#include "plugin/generation/download.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "plugin/generation/content_range.h"
#include "plugin/store/media_end.h"

namespace genclip {
namespace {

// What a power cut may cost: that much, or what comes in that time where it is more.
constexpr uint64_t kCheckpointEvery = uint64_t{16} << 20;
constexpr auto kLeastBetweenCheckpoints = std::chrono::seconds(1);
// The disk is kept at work, so that a sync finds little left to wait for.
constexpr uint64_t kWriteBehind = uint64_t{4} << 20;
// Without a validator the last bytes are asked for again and compared, so that two clips are never joined.
constexpr uint64_t kOverlap = 4096;
constexpr unsigned kMaxFreshUrls = 3;

Error with_status(ErrorKind kind, std::string text, const HttpReply &reply) {
  Error error{kind, std::move(text), "HTTP " + std::to_string(reply.status) + " for the clip"};
  error.http_status = reply.status;
  return error;
}

constexpr char kExpired[] =
    "The clip's URL has expired and the service gives none that works. The clip is paid: run again later, or "
    "ask the "
    "service for it by its task ID.";

constexpr char kNoMedia[] =
    "What the service offers as the clip is no video and no image, perhaps an error page. The task is done "
    "and paid: "
    "run again later to fetch it.";

constexpr char kChanged[] = "The clip changed on the server while it was downloaded.";

// What no clip is sent as. Only where bytes are at stake: some servers call any clip text/plain.
bool is_page(const HttpReply &reply) {
  constexpr const char *kTypes[] = {"text/html", "application/json", "application/xml", "text/xml",
                                    "application/problem+json"};
  const std::string type = reply.header("Content-Type").value_or("");
  return std::any_of(std::begin(kTypes), std::end(kTypes), [&](const char *page) {
    return g_ascii_strncasecmp(type.c_str(), page, std::strlen(page)) == 0;
  });
}

// If-Range takes strong ones only.
std::string strong_etag(const HttpReply &reply) {
  const std::string etag = reply.header("ETag").value_or("");
  return etag.starts_with("W/") ? "" : etag;
}

bool is_chunked(const HttpReply &reply) {
  return g_ascii_strcasecmp(reply.header("Transfer-Encoding").value_or("").c_str(), "chunked") == 0;
}

}  // namespace

Result<MediaContainer> Download::run(std::string url, PartState part, GCancellable *cancellable) {
  if (auto taken = take_over(std::move(part)); !taken) return std::move(taken).error();
  auto container = transfer(std::move(url), cancellable);
  // For a run after a power cut, or on another machine. After a failed sync no other one can be believed.
  if (!container && have_ > part_.synced && !part_.boot.empty()) static_cast<void>(save_checkpoint());
  return container;
}

Result<MediaContainer> Download::transfer(std::string url, GCancellable *cancellable) {
  unsigned failures = 0;
  unsigned fresh_urls = 0;
  for (;;) {
    const uint64_t before = have_;
    auto next = exchange(url, cancellable);
    if (!next) return std::move(next).error();
    if (*next == Next::done) return *container_;
    if (have_ > before) failures = fresh_urls = 0;
    if (*next == Next::fresh_url) {
      if (++fresh_urls > kMaxFreshUrls) return last_failure_;
      auto fresh = hooks_.fresh_url();
      if (!fresh) return std::move(fresh).error();
      url = std::move(fresh).value();
      // Later ones wait: the service may need a moment to sign anew.
      if (fresh_urls == 1 && !url.empty()) continue;
    }
    const auto pause = retries_.delay_before(++failures, wished_pause_);
    if (!pause) return last_failure_;
    if (!clock_.sleep_until(clock_.now() + *pause, cancellable)) return cancelled();
  }
}

Result<void> Download::take_over(PartState part) {
  const auto size = file_->size();
  if (!size) return size.error();
  // After a power cut only what was synced is sure to be what was written.
  const bool same_boot = !part.boot.empty() && part.boot == options_.boot;
  uint64_t trusted = same_boot ? *size : std::min(*size, part.synced);
  if (part.total != 0 && trusted > part.total) trusted = 0;
  part_ = std::move(part);
  part_.boot = options_.boot;
  if (trusted == 0 && *size == 0) {
    const uint64_t restarts = part_.restarts;
    part_ = PartState{};
    part_.boot = options_.boot;
    part_.restarts = restarts;
    return {};
  }
  if (trusted == 0) return begin_anew();
  if (trusted < *size)
    if (auto cut = file_->truncate(trusted); !cut) return cut;
  part_.synced = std::min(part_.synced, trusted);
  have_ = behind_ = trusted;
  // With its size unknown the clip is announced by the answer that tells it.
  if (part_.total == 0 || !is_worth_probing()) return {};
  const auto announced = announce();
  if (!announced) return announced.error();
  return {};
}

HttpRequest Download::request_for(const std::string &url) const {
  HttpRequest request;
  request.method = HttpRequest::Method::get;
  request.url = url;
  request.follow_redirects = true;
  request.timeout = options_.http_timeout;
  request.user_agent = options_.user_agent;
  if (have_ == 0 || all_) return request;
  const std::string &validator = !part_.etag.empty() ? part_.etag : part_.last_modified;
  const uint64_t from = validator.empty() ? have_ - std::min(have_, kOverlap) : have_;
  request.headers.emplace_back("Range", "bytes=" + std::to_string(from) + "-");
  if (!validator.empty()) request.headers.emplace_back("If-Range", validator);
  return request;
}

Download::Next Download::retry(Next next, Error error, std::optional<std::chrono::milliseconds> wished) {
  last_failure_ = std::move(error);
  wished_pause_ = wished;
  return next;
}

Result<Download::Next> Download::exchange(const std::string &url, GCancellable *cancellable) {
  if (container_ && have_ == part_.total) return Next::done;  // A restart found every byte in place.
  if (url.empty())
    return retry(Next::fresh_url,
                 {ErrorKind::not_found,
                  "The task is done, but the service gives no URL of its clip. Run again later "
                  "to ask anew, or ask the service for the clip by its task ID."});
  auto body = http_.open(request_for(url), cancellable);
  if (!body) {
    HttpError &broken = body.error();
    if (!broken.transient) return std::move(broken.error);
    return retry(Next::again, std::move(broken.error));
  }
  const HttpReply &reply = (*body)->reply();
  auto usable = judge_status(reply);
  if (!usable || *usable != Next::done) return usable;
  if (reply.status == 416) return usable;  // All bytes are there.
  usable = reply.status == 206 ? place_part(reply) : place_whole(reply);
  if (!usable || *usable != Next::done) return usable;
  return receive(**body, cancellable);
}

// Done: there is a body worth reading.
Result<Download::Next> Download::judge_status(const HttpReply &reply) {
  switch (reply.status) {
    case 200:
    case 206: return Next::done;
    case 401:
    case 403: return retry(Next::fresh_url, with_status(ErrorKind::not_authorized, kExpired, reply));
    case 404:
    case 410: return retry(Next::fresh_url, with_status(ErrorKind::not_found, kExpired, reply));
    case 416: return judge_range(reply);
    default: break;
  }
  Error error = with_status(ErrorKind::open_read,
                            "The clip cannot be downloaded (HTTP " + std::to_string(reply.status) +
                                "). It is paid and waits at the service: run again to fetch it.",
                            reply);
  if (!is_transient_status(reply.status)) return error;
  const auto wished = reply.header("Retry-After");
  return retry(Next::again, std::move(error),
               wished ? parse_retry_after(*wished, clock_.wall_now()) : std::nullopt);
}

// Nothing is left to send: where the length was unknown, that may be the end.
Result<Download::Next> Download::judge_range(const HttpReply &reply) {
  const bool validated = !part_.etag.empty() || !part_.last_modified.empty();
  const uint64_t total = parse_unsatisfied_range(reply.header("Content-Range").value_or(""));
  if (all_ || !validated || part_.total != 0 || total != have_ || have_ == 0)
    return ask_for_all(with_status(ErrorKind::read, "The server does not let the download go on.", reply));
  part_.total = have_;
  return announce();
}

// Finds where a 206 begins.
Result<Download::Next> Download::place_part(const HttpReply &reply) {
  const auto range = parse_content_range(reply.header("Content-Range").value_or(""));
  if (!range || range->first > have_)
    return ask_for_all(
        with_status(ErrorKind::read, "The server sent another part of the clip than asked for.", reply));
  const std::string etag = strong_etag(reply);
  const bool other_length = range->total != 0 && part_.total != 0 && range->total != part_.total;
  const bool other_etag = !etag.empty() && !part_.etag.empty() && etag != part_.etag;
  if (other_length || other_etag) return ask_for_all(with_status(ErrorKind::read, kChanged, reply));
  if (range->total > options_.max_size) return too_large(range->total);
  if (range->total != 0) part_.total = range->total;
  if (part_.etag.empty()) part_.etag = etag;
  position_ = range->first;
  is_part_ = position_ != 0;
  return Next::done;
}

// A 200 is the clip from its first byte on, asked for or not.
Result<Download::Next> Download::place_whole(const HttpReply &reply) {
  const uint64_t total = parse_length(reply.header("Content-Length").value_or(""));
  if (have_ > 0 && is_page(reply))
    return retry(Next::fresh_url, with_status(ErrorKind::wrong_type, kNoMedia, reply));
  if (total > options_.max_size) return too_large(total);
  if (total != 0 && part_.total != 0 && total != part_.total)
    if (auto begun = begin_anew(); !begun) return std::move(begun).error();
  if (total != 0) part_.total = total;
  part_.etag = strong_etag(reply);
  part_.last_modified = reply.header("Last-Modified").value_or("");
  position_ = 0;
  is_part_ = false;
  return Next::done;
}

Result<Download::Next> Download::receive(HttpBody &body, GCancellable *cancellable) {
  for (;;) {
    if (g_cancellable_is_cancelled(cancellable)) return cancelled();
    auto bytes = body.read();
    if (!bytes) {
      HttpError &broken = bytes.error();
      if (!broken.transient) return std::move(broken.error);
      return retry(Next::again, with_stock(std::move(broken.error)));
    }
    if (bytes->empty()) return finish(body.reply());
    auto accepted = accept(*bytes);
    if (!accepted || *accepted != Next::done) return accepted;
  }
}

// The answer has ended; whether that is the clip's end is another question.
Result<Download::Next> Download::finish(const HttpReply &reply) {
  if (have_ == 0)
    return retry(Next::again, {ErrorKind::read, "The server sent an empty clip. Run again to fetch it."});
  const auto ended_early = [this] {
    return retry(Next::again, with_stock({ErrorKind::read,
                                          "The download ended early. Run again: it goes on "
                                          "where it stopped."}));
  };
  if (position_ < have_ || have_ < part_.total) return ended_early();
  if (!container_) {
    auto announced = announce();
    if (!announced || *announced != Next::done) return announced;
  }
  // With no length, and no chunks that tell the end, a cut looks like one.
  if (part_.total == 0 && !is_chunked(reply)) {
    const auto end = media_end_of(*file_, *container_);
    if (!end) return end.error();
    if (*end == MediaEnd::cut) return ended_early();
  }
  part_.total = have_;
  return Next::done;
}

// Compares what is known, appends what is new.
Result<Download::Next> Download::accept(std::span<const std::byte> bytes) {
  std::array<std::byte, 16 * 1024> known;
  while (!bytes.empty() && position_ < have_) {
    const size_t count =
        static_cast<size_t>(std::min<uint64_t>({bytes.size(), have_ - position_, known.size()}));
    const auto read = file_->read_at(position_, std::span(known).first(count));
    if (!read) return read.error();
    if (*read != count || std::memcmp(known.data(), bytes.data(), count) != 0) {
      // The last bytes differ: how many more of them, only the whole clip tells.
      if (is_part_) return ask_for_all({ErrorKind::read, kChanged});
      if (auto begun = begin_anew(); !begun) return std::move(begun).error();
      return retry(Next::again, {ErrorKind::read, kChanged});
    }
    position_ += count;
    bytes = bytes.subspan(count);
  }
  if (position_ == have_) all_ = false;
  if (!bytes.empty())
    if (auto appended = append(bytes); !appended || *appended != Next::done) return appended;
  if (container_) clip_.advance(have_);
  return container_ || !is_worth_probing() ? Next::done : announce();
}

Result<Download::Next> Download::append(std::span<const std::byte> bytes) {
  const uint64_t end = have_ + bytes.size();
  if (end > options_.max_size) return too_large(end);
  if (part_.total != 0 && end > part_.total)
    return ask_for_all(
        {ErrorKind::read, "The server sent more than the clip's length. Run again to fetch it."});
  if (auto written = file_->write_at(have_, bytes); !written) return with_stock(std::move(written).error());
  position_ = have_ = end;
  if (have_ - behind_ >= kWriteBehind) {
    file_->begin_sync(behind_, have_ - behind_);
    behind_ = have_;
  }
  if (have_ - part_.synced < kCheckpointEvery || clock_.now() < checkpoint_due_) return Next::done;
  if (auto saved = save_checkpoint(); !saved) return std::move(saved).error();
  return Next::done;
}

// Tells the readers, if it is a clip. Done: it is.
Result<Download::Next> Download::announce() {
  std::vector<std::byte> head(static_cast<size_t>(std::min<uint64_t>(have_, kContainerProbeSize)));
  const auto count = file_->read_at(0, head);
  if (!count) return count.error();
  container_ = probe_container(std::span(head).first(*count));
  if (!container_) {
    if (auto begun = begin_anew(); !begun) return std::move(begun).error();
    return retry(Next::fresh_url, {ErrorKind::wrong_type, kNoMedia});
  }
  if (auto saved = save_checkpoint(); !saved) return std::move(saved).error();
  clip_.start(file_, part_.total);
  clip_.advance(have_);
  return Next::done;
}

// Forgets all bytes; fails when a reader has had any. Others read the file too: it is replaced, never
// rewritten.
Result<void> Download::begin_anew() {
  const bool was_read = !clip_.restart();
  PartState begun;
  begun.boot = options_.boot;
  begun.restarts = part_.restarts + 1;
  auto file = hooks_.begin_file(begun);
  if (!file) return std::move(file).error();
  file_ = std::move(file).value();
  part_ = std::move(begun);
  have_ = position_ = behind_ = 0;
  all_ = false;
  container_.reset();
  if (was_read)
    return Error{
        ErrorKind::read,
        "The clip changed on the server while it was being read. Run again: it will be fetched anew."};
  return {};
}

// The bytes that are there are kept until an answer differs from them.
Download::Next Download::ask_for_all(Error why) {
  all_ = true;
  return retry(Next::again, std::move(why));
}

Result<void> Download::save_checkpoint() {
  checkpoint_due_ = clock_.now() + kLeastBetweenCheckpoints;
  if (auto synced = file_->sync(); !synced) {
    // Bytes that were not synced may be gone by now, or go later.
    part_.boot.clear();
    static_cast<void>(hooks_.checkpoint(part_));
    return with_stock(std::move(synced).error());
  }
  part_.synced = have_;
  auto saved = hooks_.checkpoint(part_);
  return saved ? saved : with_stock(std::move(saved).error());
}

// Says what there is of the clip, and what is missing.
Error Download::with_stock(Error error) const {
  error.text += " " + std::to_string(have_) + " bytes of the clip are stored";
  error.text += part_.total > have_ ? ", " + std::to_string(part_.total - have_) + " are missing."
                                    : "; how many are missing is unknown.";
  return error;
}

Error Download::too_large(uint64_t size) const {
  return {ErrorKind::read, "The clip has " + std::to_string(size) + " bytes, more than max-download-size (" +
                               std::to_string(options_.max_size) +
                               "). Raise it and run again to fetch the clip."};
}

}  // namespace genclip
