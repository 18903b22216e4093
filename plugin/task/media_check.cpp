// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Several threads take the references in turn; one cancellable ends them all.
#include "plugin/task/media_check.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "plugin/base/gref.h"
#include "plugin/base/image_size.h"
#include "plugin/base/media_end.h"
#include "plugin/http/retry_policy.h"
#include "plugin/task/media_format.h"
#include "plugin/task/media_probe.h"

namespace genclip {
namespace {

constexpr size_t kMaxThreads = 8;

using Look = Result<MediaFacts, MediaFailure>;

class Lookout {
 public:
  Lookout(HttpClient *http, Clock &clock, const CheckedRequest &request, const LocalMedia &locals,
          const MediaCheckOptions &options)
      : http_(http),
        clock_(clock),
        request_(request),
        options_(options),
        retries_(options.retries),
        end_(clock.now() + options.time_limit),
        cancellable_(GRef<GCancellable>::adopt(g_cancellable_new())),
        all_done_(GRef<GCancellable>::adopt(g_cancellable_new())) {
    for (size_t i = 0; i < request.media().size(); ++i) {
      const MediaReference &reference = request.media()[i];
      const auto local = locals.find(i);
      const bool is_local = local != locals.end();
      if (!is_local && reference.clip) {
        MediaFacts expected = expected_facts(*reference.clip, reference.part);
        findings_.push_back({.reference = &reference, .facts = std::move(expected), .is_expected = true});
        continue;
      }
      const bool is_url = reference.source == MediaSource::url;
      const MediaCheck depth = is_local ? MediaCheck::full : is_url ? options.depth : MediaCheck::none;
      if (depth == MediaCheck::none) continue;
      looks_.push_back({findings_.size(), is_local ? local->second : nullptr});
      findings_.push_back({&reference, {}, depth});
    }
    if (options.depth == MediaCheck::none) return;
    for (const MediaReference &reference : request.untyped_urls()) {
      looks_.push_back({findings_.size(), nullptr});
      findings_.push_back({&reference, {}, options.depth});
    }
  }

  Result<void> run(GCancellable *cancellable) {
    if (!looks_.empty())
      if (auto looked = look_at_all(cancellable); !looked) return looked;
    const auto problems = media_problems(request_, findings_);
    if (problems.empty()) return {};
    Error error{ErrorKind::settings, problems_text(problems)};
    // Each failure is one problem.
    const auto passing =
        std::ranges::count_if(findings_, [](const MediaFinding &finding) { return finding.may_pass; });
    if (static_cast<size_t>(passing) == problems.size()) error.details.push_back({"retry", true});
    return error;
  }

 private:
  Result<void> look_at_all(GCancellable *cancellable) {
    const gulong connection =
        cancellable ? g_cancellable_connect(cancellable, G_CALLBACK(pass_on), cancellable_.get(), nullptr)
                    : 0;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < std::min(kMaxThreads, looks_.size()); ++i)
      threads.emplace_back([this] { look_at_next(); });
    wait();
    for (std::thread &thread : threads) thread.join();
    if (cancellable) g_cancellable_disconnect(cancellable, connection);
    if (cancellable && g_cancellable_is_cancelled(cancellable)) return cancelled();
    return {};
  }

  static void pass_on(GCancellable *, GCancellable *to) { g_cancellable_cancel(to); }

  // Waits until all references are checked or the time is over.
  void wait() {
    if (clock_.sleep_until(end_, all_done_.get())) g_cancellable_cancel(cancellable_.get());
  }

  void look_at_next() {
    for (size_t i; (i = next_++) < looks_.size();) {
      look_at(findings_[looks_[i].finding], looks_[i].file.get());
      if (++done_ == looks_.size()) g_cancellable_cancel(all_done_.get());
    }
  }

  void look_at(MediaFinding &finding, const LocalFile *local) {
    for (unsigned attempt = 1;; ++attempt) {
      Look look =
          local ? look_into(*local, *finding.reference)
          : finding.depth == MediaCheck::full
              ? look_into(*finding.reference)
              : fetch_media_headers(*http_, finding.reference->url, options_.fetch, cancellable_.get());
      if (look) {
        finding.facts = std::move(*look);
        return;
      }
      const auto pause = look.error().transient ? retries_.delay_before(attempt) : std::nullopt;
      if (pause && clock_.sleep_until(clock_.now() + *pause, cancellable_.get())) continue;
      const bool is_late = g_cancellable_is_cancelled(cancellable_.get());
      finding.may_pass = is_late || look.error().transient;
      finding.failure =
          is_late ? "could not be checked within " + std::to_string(options_.time_limit.count()) + " s"
                  : std::move(look.error().text);
      return;
    }
  }

  Look look_into(const MediaReference &reference) {
    const FieldSpec *field = request_.spec().find(reference.field);
    const Bounds bytes = field ? field->media.bytes : Bounds();
    const uint64_t max_bytes = bytes.upper ? static_cast<uint64_t>(*bytes.upper) : options_.max_bytes;
    auto fetched = fetch_media(*http_, reference.url, max_bytes, options_.fetch, cancellable_.get());
    if (!fetched) return std::move(fetched).error();
    if (!fetched->whole) {
      if (bytes.upper) return fetched->facts;
      return MediaFailure{ErrorKind::settings,
                          "is larger than " + std::to_string(max_bytes >> 20) +
                              " MiB, which is too large to probe; check-media=headers does not probe it"};
    }
    return measure(reference, fetched->file, fetched->facts);
  }

  // Without the network, however large the file is.
  Look look_into(const LocalFile &file, const MediaReference &reference) {
    MediaFacts facts;
    const auto size = file.size();
    if (!size) return MediaFailure{size.error().kind, "cannot be read"};
    facts.bytes = *size;
    facts.media_type = sniff_media_type(file.read_at(0, kSniffedBytes));
    return measure(reference, file, std::move(facts));
  }

  // Adds to `facts` what the content tells, where the model has a limit for it. Whether a medium is all
  // there, the model need not say: the service would make a clip of half a picture, or fail.
  template <typename File>
  Look measure(const MediaReference &reference, const File &file, MediaFacts facts) {
    if (!may_be(facts.media_type, reference.kind)) return facts;
    const auto read = [&](uint64_t offset, size_t size) {
      return g_cancellable_is_cancelled(cancellable_.get()) ? std::string() : file.read_at(offset, size);
    };
    const uint64_t size = facts.bytes.value_or(0);
    if (const auto extent = media_extent(facts.media_type, size, read); extent.end == MediaEnd::cut)
      return MediaFailure{ErrorKind::wrong_type, cut_text(extent, size)};
    if (!reference.kind || !needs_measures(request_, reference)) return facts;
    // GStreamer cannot decode some formats at all, and others not from a file.
    if (const auto pixels = image_size(format_name(facts.media_type), read)) {
      facts.width = pixels->width;
      facts.height = pixels->height;
      return facts;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - clock_.now());
    const auto patience = std::min<std::chrono::milliseconds>(left, options_.probe_limit);
    if (auto probed = probe_media(file.uri(), *reference.kind, patience, facts, cancellable_.get()); !probed)
      return MediaFailure{probed.error().kind, std::move(probed.error().text)};
    return facts;
  }

  HttpClient *const http_;  // Null: no URL is looked at.
  Clock &clock_;
  const CheckedRequest &request_;
  const MediaCheckOptions &options_;
  const RetryPolicy retries_;
  const Clock::Time end_;
  const GRef<GCancellable> cancellable_;  // Ends all checks.
  const GRef<GCancellable> all_done_;
  struct LookOrder {
    size_t finding;
    std::shared_ptr<const LocalFile> file;  // Null for a URL.
  };
  std::vector<LookOrder> looks_;
  // The thread that took a look's number writes the finding of that look.
  std::vector<MediaFinding> findings_;
  std::atomic<size_t> next_ = 0;
  std::atomic<size_t> done_ = 0;
};

}  // namespace

Result<void> check_media(HttpClient *http, Clock &clock, const CheckedRequest &request,
                         const LocalMedia &locals, const MediaCheckOptions &options,
                         GCancellable *cancellable) {
  if (request.media().empty() && request.untyped_urls().empty())
    return {};  // As most are: nothing is made for them.
  return Lookout(http, clock, request, locals, options).run(cancellable);
}

}  // namespace genclip
