// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A loop of exchanges, each of which resumes where the file ends.
#include "plugin/generation/download.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "plugin/generation/download_fault.h"
#include "plugin/generation/generation_log.h"
#include "plugin/store/media_end.h"

namespace genclip {
namespace {

// The most that a power cut may cost: this many bytes, or those of this time if they are more.
constexpr uint64_t kCheckpointEvery = uint64_t{16} << 20;
constexpr auto kLeastBetweenCheckpoints = std::chrono::seconds(1);
// Starts writing early, so that a sync has little left to wait for.
constexpr uint64_t kWriteBehind = uint64_t{4} << 20;
// The last bytes are requested again and compared whatever the server's validators say, because these may be
// wrong.
constexpr uint64_t kOverlap = 4096;
constexpr unsigned kMaxFreshUrls = 3;
// A server that changes the clip with each answer must not keep a run for ever.
constexpr unsigned kMaxBegun = 8;

gint64 in_ms(std::chrono::milliseconds time) { return time.count(); }

}  // namespace

Result<MediaContainer> Download::run(std::string url, PartState part, GCancellable *cancellable) {
  if (auto taken = take_over(std::move(part)); !taken) return std::move(taken).error();
  last_end_ = have_;
  GST_CAT_INFO(generation_category(), "%s: downloads; has %" G_GUINT64_FORMAT " bytes", name(), have_);
  auto container = transfer(std::move(url), cancellable);
  // Helps a run after a power cut or on another machine. Not after a failed sync, as no later one can be
  // trusted.
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
      GST_CAT_INFO(generation_category(), "%s: asks the task for a fresh URL: %s", name(),
                   log_text(last_failure_).c_str());
      auto fresh = hooks_.fresh_url();
      if (!fresh) return std::move(fresh).error();
      url = std::move(fresh).value();
      // Further ones wait, because the service may need a moment to sign a new URL.
      if (fresh_urls == 1 && !url.empty()) continue;
    }
    const auto pause = retries_.delay_before(++failures, wished_pause_);
    if (!pause) return last_failure_;
    GST_CAT_INFO(generation_category(),
                 "%s: has %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " bytes, again in %" G_GINT64_FORMAT
                 " ms: %s",
                 name(), have_, part_.total, in_ms(*pause), log_text(last_failure_).c_str());
    if (!clock_.sleep_until(clock_.now() + *pause, cancellable)) return cancelled();
  }
}

Result<void> Download::take_over(PartState part) {
  const auto size = file_->size();
  if (!size) return size.error();
  // After a power cut only synced bytes are certain. Bytes before the first sync have no validators in the
  // journal, and are few.
  const bool same_boot = !part.boot.empty() && part.boot == options_.boot && part.synced > 0;
  uint64_t trusted = same_boot ? *size : std::min(*size, part.synced);
  if (part.total != 0 && trusted > part.total) trusted = 0;
  const bool is_known = part.total != 0 || !part.etag.empty() || !part.last_modified.empty();
  part_ = std::move(part);
  part_.boot = options_.boot;
  if (trusted == 0 && (*size != 0 || is_known)) return begin_anew();
  if (trusted < *size)
    if (auto cut = file_->truncate(trusted); !cut) return cut;
  part_.synced = std::min(part_.synced, trusted);
  have_ = behind_ = trusted;
  // While its size is unknown, the clip is announced only after an answer that tells it.
  if (part_.total == 0 || !is_worth_probing()) return {};
  const auto announced = announce();
  if (!announced) return announced.error();
  return {};
}

uint64_t Download::first_wanted() const { return all_ ? 0 : have_ - std::min(have_, kOverlap); }

HttpRequest Download::request_for(const std::string &url) const {
  HttpRequest request;
  request.method = HttpRequest::Method::get;
  request.url = url;
  request.follow_redirects = true;
  request.timeout = options_.http_timeout;
  request.user_agent = options_.user_agent;
  if (!asks_for_part()) return request;
  request.headers.emplace_back("Range", "bytes=" + std::to_string(first_wanted()) + "-");
  if (const std::string condition = condition_for(part_); !condition.empty())
    request.headers.emplace_back("If-Range", condition);
  return request;
}

Download::Next Download::retry(Next next, Error error, std::optional<std::chrono::milliseconds> wished) {
  last_failure_ = std::move(error);
  wished_pause_ = wished;
  return next;
}

Result<Download::Next> Download::exchange(const std::string &url, GCancellable *cancellable) {
  if (container_ && have_ == part_.total) return Next::done;  // A restart found every byte in place.
  if (url.empty()) return retry(Next::fresh_url, no_url());
  GST_CAT_DEBUG(generation_category(), "%s: asks for its bytes from %" G_GUINT64_FORMAT " on", name(),
                asks_for_part() ? first_wanted() : 0);
  auto body = http_.open(request_for(url), cancellable);
  if (!body) {
    HttpError &broken = body.error();
    if (!broken.transient) return std::move(broken.error);
    return retry(Next::again, std::move(broken.error));
  }
  const HttpReply &reply = (*body)->reply();
  auto usable = judge_status(reply);
  if (usable && *usable == Next::done) usable = place(reply);
  if (!usable || *usable != Next::done) return usable;
  return receive(**body, cancellable);
}

// Done: the body is worth reading.
Result<Download::Next> Download::judge_status(const HttpReply &reply) {
  switch (reply.status) {
    case 200:
    case 206: return Next::done;
    case 400:  // Some object stores answer an expired signature with it.
    case 401:
    case 403:
    case 404:
    case 410: return retry(Next::fresh_url, url_refused(reply, have_ > 0));
    case 412:
    case 416:
      if (asks_for_part()) return ask_for_all(no_more_ranges(reply));
      break;
    default: break;
  }
  Error error = download_refused(reply);
  if (!is_transient_status(reply.status)) return error;
  return retry(Next::again, std::move(error), retry_after_of(reply, clock_.wall_now()));
}

// Finds the offset of the body. What else the answer says about the clip counts only after its bytes were
// compared.
Result<Download::Next> Download::place(const HttpReply &reply) {
  const auto answer = read_clip_answer(reply);
  if (!answer || answer->first > first_wanted()) return ask_for_all(other_part(reply));
  if (answer->total > options_.max_size) return too_large(answer->total, options_.max_size);
  answer_ = *answer;
  encoding_ = unasked_encoding(reply);
  is_adopted_ = false;
  position_ = answer_.first;
  auto placed = answer_.is_part ? place_part(reply) : place_whole(reply);
  if (!placed || *placed != Next::done) return placed;
  if (auto adopted = adopt_when_compared(); !adopted) return std::move(adopted).error();
  return Next::done;
}

Result<Download::Next> Download::place_part(const HttpReply &reply) {
  if (!is_another_version(part_, have_, answer_)) return Next::done;
  Error changed = clip_changed();
  changed.http_status = reply.status;
  return ask_for_all(std::move(changed));
}

// A 200 holds the clip from its first byte on, whether or not that was asked for. With another length it is
// another version; with another tag the bytes may be the same.
Result<Download::Next> Download::place_whole(const HttpReply &reply) {
  if (have_ > 0 && is_page(reply)) return retry(Next::fresh_url, page_instead(reply));
  ClipAnswer length_only;
  length_only.total = answer_.total;
  if (is_another_version(part_, have_, length_only))
    if (auto begun = begin_anew(); !begun) return std::move(begun).error();
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
    if (bytes->empty()) return finish();
    auto accepted = accept(*bytes);
    if (!accepted || *accepted != Next::done) return accepted;
  }
}

// The answer has ended. Finds out whether that is the end of the clip.
Result<Download::Next> Download::finish() {
  if (have_ == 0) return retry(Next::again, clip_is_empty());
  const bool ended_here_before = position_ == last_end_;
  last_end_ = position_;
  const auto cut = [this] { return retry(Next::again, with_stock(ended_early())); };
  if (position_ < have_ || have_ < part_.total) {
    // A whole answer that ends at the same place twice proves that the length told before was another
    // version's.
    return !answer_.is_part && answer_.is_chunked && ended_here_before ? begin_anew(clip_changed()) : cut();
  }
  if (!container_) {
    auto announced = announce();
    if (!announced || *announced != Next::done) return announced;
  }
  if (part_.total == 0 && (answer_.is_part || !answer_.is_chunked)) {
    // Without a length and without chunks a cut looks like the end. The clip's structure may tell them apart;
    // otherwise a second answer that ends at the same place confirms the end.
    const auto end = media_end_of(*file_, *container_);
    if (!end) return end.error();
    if (*end == MediaEnd::cut || (*end == MediaEnd::unknown && !ended_here_before)) return cut();
  }
  part_.total = have_;
  return Next::done;
}

// Compares the bytes that are there already, and appends the others.
Result<Download::Next> Download::accept(std::span<const std::byte> bytes) {
  std::array<std::byte, 16 * 1024> known;
  while (!bytes.empty() && position_ < have_) {
    const size_t count =
        static_cast<size_t>(std::min<uint64_t>({bytes.size(), have_ - position_, known.size()}));
    const auto read = file_->read_at(position_, std::span(known).first(count));
    if (!read) return read.error();
    if (*read != count || std::memcmp(known.data(), bytes.data(), count) != 0) {
      // The last bytes differ. Only the whole clip tells how many others do.
      if (answer_.first > 0) return ask_for_all(clip_changed());
      return begin_anew(clip_changed());
    }
    position_ += count;
    bytes = bytes.subspan(count);
  }
  if (auto adopted = adopt_when_compared(); !adopted) return std::move(adopted).error();
  if (!bytes.empty())
    if (auto appended = append(bytes); !appended || *appended != Next::done) return appended;
  if (container_) clip_.advance(have_);
  return container_ || !is_worth_probing() ? Next::done : announce();
}

// Once all bytes of the file were compared with the answer, the bytes that follow are of the answer's
// version. That is written to the journal before any of them, so that a later run does not attribute them to
// the old version.
Result<void> Download::adopt_when_compared() {
  if (is_adopted_ || position_ < have_) return {};
  is_adopted_ = true;
  all_ = false;
  PartState adopted = part_;
  if (answer_.total != 0) adopted.total = answer_.total;
  // A part may omit a validator that an earlier answer gave; that one stays.
  if (answer_.first == 0 || adopted.etag.empty()) adopted.etag = answer_.etag;
  if (answer_.first == 0 || adopted.last_modified.empty()) adopted.last_modified = answer_.last_modified;
  const bool is_news = adopted.total != part_.total || adopted.etag != part_.etag ||
                       adopted.last_modified != part_.last_modified;
  part_ = std::move(adopted);
  return is_news && have_ > 0 ? save_checkpoint() : Result<void>();
}

Result<Download::Next> Download::append(std::span<const std::byte> bytes) {
  const uint64_t end = have_ + bytes.size();
  if (end > options_.max_size) return too_large(end, options_.max_size);
  // The length told before was wrong, so the file may be a part of anything.
  if (part_.total != 0 && end > part_.total) return begin_anew(more_than_its_length());
  if (auto written = file_->write_at(have_, bytes); !written) return with_stock(std::move(written).error());
  position_ = have_ = end;
  GST_CAT_LOG(generation_category(),
              "%s: %" G_GSIZE_FORMAT " bytes more, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, name(),
              bytes.size(), have_, part_.total);
  if (have_ - behind_ >= kWriteBehind) {
    file_->begin_sync(behind_, have_ - behind_);
    behind_ = have_;
  }
  if (have_ - part_.synced < kCheckpointEvery || clock_.now() < checkpoint_due_) return Next::done;
  if (auto saved = save_checkpoint(); !saved) return std::move(saved).error();
  return Next::done;
}

// Announces the clip to its readers if the bytes are media. Done: they are.
Result<Download::Next> Download::announce() {
  std::vector<std::byte> head(static_cast<size_t>(std::min<uint64_t>(have_, kContainerProbeSize)));
  const auto count = file_->read_at(0, head);
  if (!count) return count.error();
  container_ = probe_container(std::span(head).first(*count));
  if (!container_) {
    if (auto knows = check_typefinding(); !knows) return std::move(knows).error();
    if (auto begun = begin_anew(); !begun) return std::move(begun).error();
    if (!encoding_.empty()) return compressed(encoding_);
    return retry(Next::fresh_url, no_media());
  }
  if (auto saved = save_checkpoint(); !saved) return std::move(saved).error();
  clip_.start(file_, part_.total);
  clip_.advance(have_);
  return Next::done;
}

// Drops all bytes; fails when a reader has had any. Replaces the file and never rewrites it, because other
// processes read it too.
Result<void> Download::begin_anew() {
  GST_CAT_INFO(generation_category(),
               "%s: drops the %" G_GUINT64_FORMAT " bytes that it has, and begins anew", name(), have_);
  const bool was_read = !clip_.restart();
  PartState begun;
  begun.boot = options_.boot;
  begun.restarts = part_.restarts + 1;
  auto file = hooks_.begin_file(begun);
  if (!file) return std::move(file).error();
  file_ = std::move(file).value();
  part_ = std::move(begun);
  have_ = position_ = behind_ = last_end_ = 0;
  all_ = false;
  container_.reset();
  if (was_read) return clip_changed_amid_reading();
  if (++begun_ > kMaxBegun) return clip_keeps_changing();
  return {};
}

Result<Download::Next> Download::begin_anew(Error why) {
  if (auto begun = begin_anew(); !begun) return std::move(begun).error();
  return retry(Next::again, std::move(why));
}

// Keeps the bytes that are there until an answer differs from them.
Download::Next Download::ask_for_all(Error why) {
  all_ = true;
  return retry(Next::again, std::move(why));
}

Result<void> Download::save_checkpoint() {
  checkpoint_due_ = clock_.now() + kLeastBetweenCheckpoints;
  GST_CAT_DEBUG(generation_category(),
                "%s: checkpoint at %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " bytes", name(), have_,
                part_.total);
  if (auto synced = file_->sync(); !synced) {
    // Bytes that were not synced may be lost already, or later.
    part_.boot.clear();
    static_cast<void>(hooks_.checkpoint(part_));
    return with_stock(std::move(synced).error());
  }
  part_.synced = have_;
  auto saved = hooks_.checkpoint(part_);
  return saved ? saved : with_stock(std::move(saved).error());
}

Error Download::with_stock(Error error) const {
  return genclip::with_stock(std::move(error), have_, part_.total);
}

}  // namespace genclip
