// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A loop of exchanges, each of which resumes where the file ends.
#include "plugin/generation/download.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "plugin/base/media_end.h"
#include "plugin/base/shown_text.h"
#include "plugin/generation/download_fault.h"
#include "plugin/generation/generation_log.h"
#include "plugin/http/http_url.h"
#include "plugin/task/service_message.h"

namespace genclip {
namespace {

// The most that a power cut may cost: this many bytes, or those of this time if they are more.
constexpr uint64_t kCheckpointEvery = uint64_t{16} << 20;
constexpr auto kLeastBetweenCheckpoints = std::chrono::seconds(1);
// Starts writing early: a sync has little left to wait for, and other machines, which see only what has left
// this one, see the clip grow.
constexpr uint64_t kWriteBehind = uint64_t{4} << 20;
constexpr auto kWriteEvery = std::chrono::seconds(1);
constexpr size_t kMaxMessage = 16 * 1024;
constexpr auto kMessagePatience = std::chrono::milliseconds(500);
constexpr auto kLeastPatience = std::chrono::seconds(1);
// A server that changes the clip with each answer must not keep a run for ever.
constexpr unsigned kMaxBegun = 8;
// After so many parts in a row that brought nothing new, all of the clip is asked for.
constexpr unsigned kMostIdleParts = 2;

gint64 in_ms(std::chrono::milliseconds time) { return time.count(); }

bool is_same_host(const std::string &url, const std::string &base_url) {
  const auto one = parse_http_url(url);
  const auto other = parse_http_url(base_url);
  return one && other && is_https(one->get()) == is_https(other->get()) &&
         g_ascii_strcasecmp(host_of(one->get()).c_str(), host_of(other->get()).c_str()) == 0;
}

}  // namespace

Result<MediaContainer> Download::run(std::vector<ResultUrl> urls, PartState part, GCancellable *cancellable) {
  if (auto taken = take_over(std::move(part)); !taken) return std::move(taken).error();
  choice_.take(std::move(urls), arrived());
  last_end_ = most_ = have_;
  GST_CAT_INFO(generation_category(), "%s: downloads; has %" G_GUINT64_FORMAT " bytes", name(), have_);
  auto container = transfer(cancellable);
  // Helps a run after a power cut or on another machine. Not after a failed sync, as no later one can be
  // trusted.
  if (!container && have_ > part_.synced && !part_.boot.empty()) static_cast<void>(save_checkpoint());
  return container;
}

Result<MediaContainer> Download::transfer(GCancellable *cancellable) {
  for (;;) {
    had_ = have_;
    received_ = 0;
    is_html_ = false;
    auto next = exchange(cancellable);
    if (!next) return std::move(next).error();
    if (*next == Next::done) return *container_;
    // Bytes that were dropped and came again are no progress: a server could repeat these for ever.
    if (have_ > most_) {
      patience_.progressed(have_ - most_);
      most_ = have_;
      choice_.progressed();
    }
    if (received_ > 0) overlap_ = next_overlap(overlap_, received_, have_ - std::min(have_, had_));
    if (auto went_on = go_on(cancellable); !went_on) return std::move(went_on).error();
  }
}

// Waits as long as the patience says, and gets the URL of the next exchange.
Result<void> Download::go_on(GCancellable *cancellable) {
  if (have_ > behind_) begin_writing();
  failure_.is_web_page = is_html_ && received_ > 0;
  if (choice_.go_on(failure_, arrived())) {
    log_other_url();
    return {};
  }
  const auto step = patience_.after(failure_.setback, has_arrived(), clock_.now(), failure_.wished_pause);
  if (step.kind == DownloadPatience::Step::give_up) return give_up();
  if (step.kind == DownloadPatience::Step::again || step.pause.count() > 0)
    GST_CAT_INFO(generation_category(),
                 "%s: has %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " bytes, again in %" G_GINT64_FORMAT
                 " ms: %s",
                 name(), have_, part_.total, in_ms(step.pause), log_text(failure_.error).c_str());
  if (step.pause.count() > 0 && !clock_.sleep_until(clock_.now() + step.pause, cancellable))
    return cancelled();
  if (step.kind == DownloadPatience::Step::again) return {};
  GST_CAT_INFO(generation_category(), "%s: asks the task for a fresh URL: %s", name(),
               log_text(failure_.error).c_str());
  auto fresh = hooks_.fresh_urls(has_arrived() ? std::nullopt : std::optional(patience_.limit()));
  if (!fresh) return std::move(fresh).error();
  choice_.take(std::move(fresh).value(), arrived());
  return {};
}

// The patience with the current URL is spent.
Result<void> Download::give_up() {
  switch (choice_.give_up(failure_, arrived())) {
    case UrlChoice::LastResort::none: return with_payment(with_wish(failure_.error, failure_.wished_pause));
    case UrlChoice::LastResort::compare: all_ = true; break;
    case UrlChoice::LastResort::change_over:
      if (have_ > 0)
        if (auto begun = begin_anew(); !begun) return begun;
  }
  log_other_url();
  return {};
}

void Download::log_other_url() const {
  GST_CAT_INFO(generation_category(), "%s: tries the answer's URL in %s: %s", name(),
               choice_.current()->field.c_str(), log_text(failure_.error).c_str());
}

UrlChoice::Arrived Download::arrived() const {
  return {has_arrived(), have_ > 0 ? std::string_view(part_.field) : std::string_view()};
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
  if (have_ == part_.total) {
    // The host may have more of the clip by now, and no reader shall get a part of it before.
    const auto begin = head();
    if (!begin) return begin.error();
    const auto container = probe_container(*begin);
    const auto end =
        container ? clip_end_of(*file_, container->media_type) : Result<MediaEnd>(MediaEnd::unknown);
    if (!end) return end.error();
    if (*end == MediaEnd::cut) {
      all_ = true;
      stump_size_ = have_;
      stump_at_ = clock_.now();
      return {};
    }
  }
  const auto announced = announce();
  if (!announced) return announced.error();
  return {};
}

uint64_t Download::first_wanted() const { return all_ ? 0 : have_ - std::min(have_, overlap_); }

HttpRequest Download::request_for(const std::string &url) const {
  HttpRequest request;
  request.method = HttpRequest::Method::get;
  request.url = url;
  request.follow_redirects = true;
  request.visited = visited_;
  request.timeout = options_.http_timeout;
  request.user_agent = options_.user_agent;
  // A server that hangs does not hold the run beyond its time, as long as there is nothing to lose.
  if (!has_arrived()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(patience_.limit() - clock_.now());
    const auto most = std::max<std::chrono::milliseconds>(left, kLeastPatience);
    request.timeout = request.timeout.count() == 0 ? most : std::min(request.timeout, most);
  }
  if (!asks_for_part()) return request;
  request.headers.emplace_back("Range", "bytes=" + std::to_string(first_wanted()) + "-");
  if (const std::string condition = condition_for(part_); !condition.empty())
    request.headers.emplace_back("If-Range", condition);
  return request;
}

Download::Next Download::retry(Setback setback, Error error,
                               std::optional<std::chrono::milliseconds> wished) {
  failure_ = {setback, std::move(error), wished};
  return Next::retry;
}

// A host that closes before the first byte tells no more about the clip than one that answers 404. A host
// that cannot be reached, or hangs, is tried again as often as `retries` says.
Download::Next Download::broke_off(HttpError broken) {
  const bool was_closed = broken.maybe_sent && broken.error.kind != ErrorKind::timed_out;
  const bool is_missing = was_closed && !has_arrived() && retries_.retries() > 0;
  return retry(is_missing ? Setback::missing : Setback::broken, std::move(broken.error));
}

Result<Download::Next> Download::exchange(GCancellable *cancellable) {
  // A restart found every byte in place.
  if (container_ && have_ == part_.total && !all_) return judge_end();
  if (!choice_.current()) return retry(Setback::refused, no_url());
  GST_CAT_DEBUG(generation_category(), "%s: asks for its bytes from %" G_GUINT64_FORMAT " on", name(),
                asks_for_part() ? first_wanted() : 0);
  auto body = http_.open(request_for(choice_.current()->url), cancellable);
  if (!body) {
    HttpError &broken = body.error();
    broken.error = of_media(std::move(broken.error));
    if (broken.error.kind == ErrorKind::cancelled) return std::move(broken.error);
    // It leads there on purpose, and perhaps elsewhere from a fresh URL.
    if (broken.leads_astray) return retry(Setback::refused, std::move(broken.error));
    // A redirect that leads nowhere is the host's answer, as a 404 is.
    if (broken.error.http_status != 0) return retry(Setback::missing, std::move(broken.error));
    if (!broken.transient) return retry(Setback::lasting, std::move(broken.error));
    return broke_off(std::move(broken));
  }
  auto usable = judge_status(**body);
  if (usable && *usable == Next::done) usable = place((*body)->reply());
  if (!usable || *usable != Next::done) return usable;
  return receive(**body, cancellable);
}

// Done: the body is worth reading.
Result<Download::Next> Download::judge_status(HttpBody &body) {
  const HttpReply &reply = body.reply();
  const auto refused = [&](Setback setback) {
    const bool wants_key =
        (reply.status == 401 || reply.status == 403) &&
        is_same_host(reply.final_url.empty() ? choice_.current()->url : reply.final_url, options_.base_url);
    Error error = wants_key ? key_wanted(reply) : url_refused(reply, has_arrived());
    error.service_message = message_in(body);
    error.text += it_says(error.service_message);
    return retry(setback, std::move(error));
  };
  switch (reply.status) {
    case 200:
    case 203:  // A proxy on the way has changed something; the bytes show what.
    case 206: return Next::done;
    case 201:  // Some services answer with it as with 200. A text amid a clip may say to wait.
      if (have_ == 0 || !is_text(reply)) return Next::done;
      break;
    case 400:  // Some object stores answer an expired signature with it.
    case 401:
    case 410: return refused(Setback::refused);
    case 403:
    case 404: return refused(Setback::missing);
    case 407: return proxy_refused(reply);
    case 412:
    case 416:
      if (asks_for_part()) return ask_for_all(no_more_ranges(reply));
      break;
    default: break;
  }
  Error error = download_refused(reply);
  if (reply.status / 100 == 3) return retry(Setback::missing, std::move(error));
  const bool is_later = is_not_yet(reply.status);
  if (!is_later && !is_transient_status(reply.status) && reply.status < 500)
    return retry(Setback::lasting, std::move(error));
  return retry(Setback::busy, std::move(error), retry_after_of(reply, clock_.wall_now(), kLongestWish));
}

// The sentence for people in the body of a refusal. Only what comes at once: it is not worth a wait.
std::string Download::message_in(HttpBody &body) const {
  const bool may_be_text =
      is_text(body.reply()) || !body.reply().header("Content-Type");  // and some hosts name no type
  if (!may_be_text || !unasked_encoding(body.reply()).empty()) return {};
  body.wait_at_most(kMessagePatience);
  const auto bytes = body.read();
  if (!bytes) return {};
  const std::string_view text(reinterpret_cast<const char *>(bytes->data()),
                              std::min(bytes->size(), kMaxMessage));
  Secrets secrets = options_.secrets ? *options_.secrets : Secrets();
  for (const ResultUrl &url : choice_.urls()) secrets.add_url(url.url);
  secrets.add_url(body.reply().final_url);
  return service_message_in(text, secrets);
}

// Finds the offset of the body. What else the answer says about the clip counts only after its bytes were
// compared.
Result<Download::Next> Download::place(const HttpReply &reply) {
  const auto answer = read_clip_answer(reply, asks_for_part());
  if (!answer || answer->first > first_wanted()) return ask_for_all(other_part(reply));
  if (answer->total > options_.max_size) return too_large(answer->total, options_.max_size);
  answer_ = *answer;
  encoding_ = unasked_encoding(reply);
  is_html_ = is_html(reply);
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
// another version; with another tag the bytes may be the same. Another address has to show first that it has
// a clip.
Result<Download::Next> Download::place_whole(const HttpReply &reply) {
  if (have_ > 0 && is_page(reply)) return retry(Setback::missing, page_instead(reply));
  if (has_other_length() && !choice_.is_comparing())
    if (auto begun = begin_anew(); !begun) return std::move(begun).error();
  return Next::done;
}

bool Download::has_other_length() const {
  ClipAnswer length_only;
  length_only.total = answer_.total;
  return is_another_version(part_, have_, length_only);
}

Result<Download::Next> Download::receive(HttpBody &body, GCancellable *cancellable) {
  for (;;) {
    if (g_cancellable_is_cancelled(cancellable)) return cancelled();
    auto bytes = body.read();
    if (!bytes) {
      HttpError &broken = bytes.error();
      if (!broken.transient) return with_payment(std::move(broken.error));
      broken.error = with_stock(std::move(broken.error));
      return broke_off(std::move(broken));
    }
    if (bytes->empty()) return finish();
    received_ += bytes->size();
    auto accepted = accept(*bytes);
    if (!accepted || *accepted != Next::done) return accepted;
  }
}

// The answer has ended. Finds out whether that is the end of the clip.
Result<Download::Next> Download::finish() {
  if (have_ == 0) return retry(Setback::missing, clip_is_empty());
  const bool ended_here_before = position_ == last_end_;
  last_end_ = position_;
  const auto cut = [this] { return retry(Setback::broken, with_stock(ended_early())); };
  if (position_ < have_ || have_ < part_.total) {
    // A whole answer that ends at the same place twice proves that the length told before was another
    // version's.
    if (!answer_.is_part && answer_.is_chunked && ended_here_before) return begin_anew(clip_changed());
    const bool is_idle = answer_.is_part && have_ == had_;
    if (is_idle && ++idle_parts_ >= kMostIdleParts) {
      idle_parts_ = 0;
      return ask_for_all(with_stock(ended_early()));
    }
    return cut();
  }
  if (!container_) {
    auto announced = announce();
    if (!announced || *announced != Next::done) return announced;
  }
  if (part_.total == 0 && (answer_.is_part || !answer_.is_chunked)) {
    // Here a cut may look like the end. The clip's structure may tell them apart; otherwise a second answer
    // that ends at the same place confirms the end.
    const auto end = clip_end_of(*file_, container_->media_type);
    if (!end) return end.error();
    if (*end == MediaEnd::cut || (*end == MediaEnd::unknown && !ended_here_before)) return cut();
    part_.total = have_;
    is_stump_ = false;
    return Next::done;
  }
  return judge_end();
}

// The file has all that was announced. A host may announce as much of a clip as is written so far. So if its
// structure shows that something is missing, all of it is asked for again later. If the same bytes come, the
// clip is like that.
Result<Download::Next> Download::judge_end() {
  const auto end = clip_end_of(*file_, container_->media_type);
  if (!end) return end.error();
  is_stump_ = *end == MediaEnd::cut;
  const bool is_confirmed =
      stump_size_ == have_ && clock_.now() - stump_at_ >= DownloadPatience::kGrowthPause;
  if (!is_stump_ || is_confirmed) {
    part_.total = have_;
    return Next::done;
  }
  if (stump_size_ != have_) {
    stump_size_ = have_;
    stump_at_ = clock_.now();
  }
  all_ = true;
  return retry(Setback::growing, not_whole_yet());
}

// Compares the bytes that are there already, and appends the others.
Result<Download::Next> Download::accept(std::span<const std::byte> bytes) {
  std::array<std::byte, 16 * 1024> known;
  while (!bytes.empty() && position_ < have_) {
    const size_t count =
        static_cast<size_t>(std::min<uint64_t>({bytes.size(), have_ - position_, known.size()}));
    const auto read = file_->read_at(position_, std::span(known).first(count));
    if (!read) return read.error();
    if (*read != count || std::memcmp(known.data(), bytes.data(), count) != 0 ||
        (choice_.is_comparing() && has_other_length())) {
      if (choice_.is_comparing()) return differs(bytes);
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
  return container_ || position_ < have_ || !is_worth_probing() ? Next::done : announce();
}

// Another address has other bytes. They are a clip's if those up to `next` begin like one. Nothing is dropped
// before all addresses were asked.
Result<Download::Next> Download::differs(std::span<const std::byte> next) {
  std::vector<std::byte> head(static_cast<size_t>(std::min<uint64_t>(position_, kContainerProbeSize)));
  const auto read = file_->read_at(0, head);
  if (!read) return read.error();
  head.resize(*read);
  head.insert(head.end(), next.begin(), next.end());
  const auto container = probe_container(std::span(head).first(std::min(head.size(), kContainerProbeSize)));
  if (container && may_be_result(container->media_type, options_.wanted)) choice_.found_other_bytes();
  return retry(Setback::lasting, clip_changed());
}

// Once all bytes of the file were compared with the answer, the bytes that follow are of the answer's
// version. That is written to the journal before any of them, so that a later run does not attribute them to
// the old version.
Result<void> Download::adopt_when_compared() {
  if (is_adopted_ || position_ < have_) return {};
  is_adopted_ = true;
  all_ = false;
  PartState adopted = part_;
  adopted.field = choice_.current()->field;
  if (answer_.total != 0) adopted.total = answer_.total;
  // A part may omit a validator that an earlier answer gave; that one stays.
  if (answer_.first == 0 || adopted.etag.empty()) adopted.etag = answer_.etag;
  if (answer_.first == 0 || adopted.last_modified.empty()) adopted.last_modified = answer_.last_modified;
  const bool is_news = adopted.total != part_.total || adopted.etag != part_.etag ||
                       adopted.last_modified != part_.last_modified || adopted.field != part_.field;
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
  idle_parts_ = 0;
  GST_CAT_LOG(generation_category(),
              "%s: %" G_GSIZE_FORMAT " bytes more, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, name(),
              bytes.size(), have_, part_.total);
  if (have_ - behind_ >= kWriteBehind || clock_.now() >= write_due_) begin_writing();
  if (have_ - part_.synced < kCheckpointEvery || clock_.now() < checkpoint_due_) return Next::done;
  if (auto saved = save_checkpoint(); !saved) return std::move(saved).error();
  return Next::done;
}

void Download::begin_writing() {
  file_->begin_sync(behind_, have_ - behind_);
  behind_ = have_;
  write_due_ = clock_.now() + kWriteEvery;
}

Result<std::vector<std::byte>> Download::head() const {
  std::vector<std::byte> head(static_cast<size_t>(std::min<uint64_t>(have_, kContainerProbeSize)));
  const auto count = file_->read_at(0, head);
  if (!count) return count.error();
  head.resize(*count);
  return head;
}

// Announces the clip to its readers if the bytes are media. Done: they are.
Result<Download::Next> Download::announce() {
  const auto begin = head();
  if (!begin) return begin.error();
  container_ = probe_container(*begin);
  if (!container_) {
    if (auto knows = check_typefinding(); !knows) return std::move(knows).error();
    if (const std::string sound = sound_type(*begin); !sound.empty())
      return drop_other(Setback::other_kind, other_kind(sound, options_.wanted.value_or(ResultKind::video)));
    auto dropped = drop_other(Setback::missing, no_media());
    if (dropped && !encoding_.empty()) return retry(Setback::lasting, compressed(encoding_));
    return dropped;
  }
  if (!may_be_result(container_->media_type, options_.wanted)) {
    const std::string type = container_->media_type;
    return drop_other(Setback::other_kind, other_kind(type, *options_.wanted));
  }
  was_media_ = true;
  if (auto saved = save_checkpoint(); !saved) return std::move(saved).error();
  clip_.start(file_, part_.total);
  clip_.advance(have_);
  return Next::done;
}

// Drops bytes that are not the clip's, which no reader has seen. The clip did not change because of them.
Result<Download::Next> Download::drop_other(Setback setback, Error why) {
  container_.reset();
  const uint64_t most = most_;
  if (auto begun = begin_anew(); !begun) return std::move(begun).error();
  most_ = most;
  --begun_;
  return retry(setback, std::move(why));
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
  have_ = most_ = position_ = behind_ = last_end_ = 0;
  all_ = false;
  container_.reset();
  // A clip that grows has its own patience.
  const bool has_grown = std::exchange(stump_size_, 0) != 0;
  if (was_read) return clip_changed_amid_reading();
  if (!has_grown && ++begun_ > kMaxBegun) return clip_keeps_changing();
  return {};
}

Result<Download::Next> Download::begin_anew(Error why) {
  choice_.dropped_for_current();
  if (auto begun = begin_anew(); !begun) return std::move(begun).error();
  return retry(Setback::broken, std::move(why));
}

// Keeps the bytes that are there until an answer differs from them.
Download::Next Download::ask_for_all(Error why) {
  all_ = true;
  return retry(Setback::broken, std::move(why));
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
