// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One loop of exchanges; each goes on where the file ends.
#include "plugin/generation/download.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "plugin/generation/content_range.h"

namespace genclip {
namespace {

constexpr size_t kChunk = 128 * 1024;
constexpr uint64_t kCheckpointEvery = uint64_t{16} << 20;
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

}  // namespace

std::string current_boot() {
  std::array<std::byte, 64> bytes;
  auto file = FileSystem::posix().open("/proc/sys/kernel/random/boot_id", FileSystem::Mode::read);
  if (!file) return "unknown";
  const auto count = (*file)->read_at(0, bytes);
  if (!count || *count == 0) return "unknown";
  std::string id(reinterpret_cast<const char *>(bytes.data()), *count);
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

Result<MediaContainer> Download::run(std::string url, PartState part, GCancellable *cancellable) {
  if (auto taken = take_over(std::move(part)); !taken) return std::move(taken).error();
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
      if (fresh_urls == 1) continue;  // Later ones wait: the service may need a moment to sign anew.
    }
    const auto pause = retries_.delay_before(++failures, wished_pause_);
    if (!pause) return last_failure_;
    if (!clock_.sleep_until(clock_.now() + *pause, cancellable)) return cancelled();
  }
}

Result<void> Download::take_over(PartState part) {
  const auto size = file_->size();
  if (!size) return size.error();
  const std::string boot = current_boot();
  // After a power cut only what was synced is sure to be what was written.
  uint64_t trusted = part.boot == boot ? *size : std::min(*size, part.synced);
  if (part.boot.empty() || (part.total != 0 && trusted > part.total)) trusted = 0;
  if (trusted < *size)
    if (auto cut = file_->truncate(trusted); !cut) return cut;

  part_ = trusted == 0 ? PartState{} : std::move(part);
  part_.boot = boot;
  have_ = trusted;
  if (have_ == 0) return {};
  // With its size unknown the clip is announced by the answer that tells it.
  if (part_.total == 0) return {};
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
  if (have_ == 0) return request;
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
  auto body = http_.open(request_for(url), cancellable);
  if (!body) {
    HttpError &broken = body.error();
    if (!broken.transient) return std::move(broken.error);
    return retry(Next::again, std::move(broken.error));
  }
  const HttpReply &reply = (*body)->reply();
  auto usable = judge_status(reply);
  if (!usable || *usable != Next::done) return usable;
  usable = place_answer(reply);
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
    case 416:
      return start_over(with_status(ErrorKind::read, "The server does not let the download go on.", reply));
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

// Finds where the answer begins and how long the clip is.
Result<Download::Next> Download::place_answer(const HttpReply &reply) {
  uint64_t total = 0;
  if (reply.status == 206) {
    const auto range = parse_content_range(reply.header("Content-Range").value_or(""));
    if (!range || range->first > have_)
      return start_over(
          with_status(ErrorKind::read, "The server sent another part of the clip than asked for.", reply));
    begin_ = range->first;
    total = range->total;
  } else {
    begin_ = 0;
    total = parse_length(reply.header("Content-Length").value_or(""));
  }
  position_ = begin_;
  if (total > options_.max_size) return too_large(total);
  if (total != 0 && part_.total != 0 && total != part_.total) {
    if (reply.status == 206)
      return start_over(with_status(ErrorKind::read, "The clip changed while it was downloaded.", reply));
    if (auto back = go_back_to(0); !back) return std::move(back).error();
  }
  if (total != 0) part_.total = total;
  const std::string etag = reply.header("ETag").value_or("");
  part_.etag = etag.starts_with("W/") ? "" : etag;  // If-Range takes strong ones only.
  part_.last_modified = reply.header("Last-Modified").value_or("");
  return Next::done;
}

Result<Download::Next> Download::receive(HttpBody &body, GCancellable *cancellable) {
  std::vector<std::byte> chunk(kChunk);
  for (;;) {
    if (g_cancellable_is_cancelled(cancellable)) return cancelled();
    auto count = body.read(chunk);
    if (!count) {
      Error &error = count.error().error;
      if (error.kind == ErrorKind::cancelled) return std::move(error);
      return retry(Next::again, std::move(error));
    }
    if (*count == 0) break;
    auto accepted = accept(std::span(chunk).first(*count));
    if (!accepted || *accepted != Next::done) return accepted;
  }
  if (have_ == 0)
    return retry(Next::again, {ErrorKind::read, "The server sent an empty clip. Run again to fetch it."});
  if (have_ < part_.total)
    return retry(Next::again, {ErrorKind::read, "The download ended early, at " + std::to_string(have_) +
                                                    " of " + std::to_string(part_.total) +
                                                    " bytes. Run again: it goes on where it stopped."});
  return container_ ? Next::done : announce();  // A clip shorter than a probe.
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
      // An answer from the first byte on may go on from here: all before it is the same in both.
      if (begin_ != 0) return start_over({ErrorKind::read, "The clip changed while it was downloaded."});
      if (auto back = go_back_to(position_); !back) return std::move(back).error();
      break;
    }
    position_ += count;
    bytes = bytes.subspan(count);
  }
  if (!bytes.empty())
    if (auto appended = append(bytes); !appended) return std::move(appended).error();
  if (container_) clip_.advance(have_);
  const bool worth_probing = have_ >= kContainerProbeSize || have_ == part_.total;
  return container_ || !worth_probing ? Next::done : announce();
}

Result<void> Download::append(std::span<const std::byte> bytes) {
  if (have_ + bytes.size() > options_.max_size) return too_large(have_ + bytes.size());
  if (auto written = file_->write_at(have_, bytes); !written) {
    written.error().text += " " + std::to_string(have_) + " of " +
                            (part_.total != 0 ? std::to_string(part_.total) : "an unknown number of") +
                            " bytes are stored.";
    return written;
  }
  have_ += bytes.size();
  position_ = have_;
  return have_ - part_.synced >= kCheckpointEvery ? save_checkpoint() : Result<void>();
}

// Tells the readers, if it is a clip. Done: it is.
Result<Download::Next> Download::announce() {
  std::vector<std::byte> head(static_cast<size_t>(std::min<uint64_t>(have_, kContainerProbeSize)));
  const auto count = file_->read_at(0, head);
  if (!count) return count.error();
  container_ = probe_container(std::span(head).first(*count));
  if (!container_) {
    if (auto back = go_back_to(0); !back) return std::move(back).error();
    return retry(Next::fresh_url,
                 {ErrorKind::wrong_type,
                  "What the service offers as the clip is no video and no image, perhaps an error "
                  "page. The task is done and paid: run again later to fetch it."});
  }
  if (auto saved = save_checkpoint(); !saved) return std::move(saved).error();
  clip_.start(file_, part_.total);
  clip_.advance(have_);
  return Next::done;
}

// Forgets all bytes from `size` on; fails when a reader has had any.
Result<void> Download::go_back_to(uint64_t size) {
  if (container_ && !clip_.restart()) {
    // Nothing vouches for the file from now on, so the next run begins anew.
    part_ = PartState{};
    if (auto saved = hooks_.checkpoint(part_); !saved) return saved;
    return Error{
        ErrorKind::read,
        "The clip changed on the server while it was being read. Run again: it will be fetched anew."};
  }
  container_.reset();
  have_ = std::min(have_, size);
  part_.synced = std::min(part_.synced, size);
  part_.total = 0;
  return file_->truncate(have_);
}

Result<Download::Next> Download::start_over(Error why) {
  if (auto back = go_back_to(0); !back) return std::move(back).error();
  part_.etag.clear();
  part_.last_modified.clear();
  return retry(Next::again, std::move(why));
}

Result<void> Download::save_checkpoint() {
  if (auto synced = file_->sync(); !synced) return synced;
  part_.synced = have_;
  return hooks_.checkpoint(part_);
}

Error Download::too_large(uint64_t size) const {
  return {ErrorKind::read, "The clip has " + std::to_string(size) + " bytes, more than max-download-size (" +
                               std::to_string(options_.max_size) +
                               "). Raise it and run again to fetch the clip."};
}

}  // namespace genclip
