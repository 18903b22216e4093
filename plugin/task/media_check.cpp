// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Several threads take the references in turn; one cancellable ends them all.
#include "plugin/task/media_check.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "plugin/base/gref.h"
#include "plugin/http/retry_policy.h"
#include "plugin/task/image_size.h"
#include "plugin/task/media_format.h"
#include "plugin/task/media_probe.h"

namespace genclip {
namespace {

constexpr size_t kMaxThreads = 8;

using Look = Result<MediaFacts, MediaFailure>;

class Lookout {
 public:
  Lookout(HttpClient &http, Clock &clock, const CheckedRequest &request, const MediaCheckOptions &options)
      : http_(http),
        clock_(clock),
        request_(request),
        options_(options),
        retries_(options.retries),
        end_(clock.now() + options.time_limit),
        cancellable_(GRef<GCancellable>::adopt(g_cancellable_new())),
        all_done_(GRef<GCancellable>::adopt(g_cancellable_new())) {
    for (const MediaReference &reference : request.media())
      if (!reference.asset) findings_.push_back({&reference, {}});
  }

  Result<void> run(GCancellable *cancellable) {
    if (findings_.empty()) return {};
    const gulong connection =
        cancellable ? g_cancellable_connect(cancellable, G_CALLBACK(pass_on), cancellable_.get(), nullptr)
                    : 0;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < std::min(kMaxThreads, findings_.size()); ++i)
      threads.emplace_back([this] { look_at_next(); });
    wait();
    for (std::thread &thread : threads) thread.join();
    if (cancellable) g_cancellable_disconnect(cancellable, connection);
    if (cancellable && g_cancellable_is_cancelled(cancellable)) return cancelled();
    const auto problems = media_problems(request_, findings_, options_.depth);
    if (problems.empty()) return {};
    return Error{ErrorKind::settings, problems_text(problems)};
  }

 private:
  static void pass_on(GCancellable *, GCancellable *to) { g_cancellable_cancel(to); }

  // Waits until all references are checked or the time is over.
  void wait() {
    if (clock_.sleep_until(end_, all_done_.get())) g_cancellable_cancel(cancellable_.get());
  }

  void look_at_next() {
    for (size_t i; (i = next_++) < findings_.size();) {
      look_at(findings_[i]);
      if (++done_ == findings_.size()) g_cancellable_cancel(all_done_.get());
    }
  }

  void look_at(MediaFinding &finding) {
    for (unsigned attempt = 1;; ++attempt) {
      Look look =
          options_.depth == MediaCheck::full
              ? look_into(*finding.reference)
              : fetch_media_headers(http_, finding.reference->url, options_.fetch, cancellable_.get());
      if (look) {
        finding.facts = std::move(*look);
        return;
      }
      const auto pause = look.error().transient ? retries_.delay_before(attempt) : std::nullopt;
      if (pause && clock_.sleep_until(clock_.now() + *pause, cancellable_.get())) continue;
      finding.failure =
          g_cancellable_is_cancelled(cancellable_.get())
              ? "could not be checked within " + std::to_string(options_.time_limit.count()) + " s"
              : std::move(look.error().text);
      return;
    }
  }

  Look look_into(const MediaReference &reference) {
    const FieldSpec *field = request_.spec().find(reference.field);
    const Bounds bytes = field ? field->media.bytes : Bounds();
    const uint64_t max_bytes = bytes.upper ? static_cast<uint64_t>(*bytes.upper) : options_.max_bytes;
    auto fetched = fetch_media(http_, reference.url, max_bytes, options_.fetch, cancellable_.get());
    if (!fetched) return std::move(fetched).error();
    if (!fetched->whole) {
      if (bytes.upper) return fetched->facts;
      return MediaFailure{ErrorKind::settings,
                          "is larger than " + std::to_string(max_bytes >> 20) +
                              " MiB, which is too large to probe; check-media=headers does not probe it"};
    }
    if (!may_be(fetched->facts.media_type, reference.kind) || !needs_measures(request_, reference))
      return fetched->facts;
    // GStreamer cannot decode some formats at all, and others not from a file.
    const TemporaryFile &file = fetched->file;
    if (const auto size =
            image_size(format_name(fetched->facts.media_type),
                       [&](uint64_t offset, size_t size) { return file.read_at(offset, size); })) {
      fetched->facts.width = size->width;
      fetched->facts.height = size->height;
      return fetched->facts;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - clock_.now());
    const auto patience = std::min<std::chrono::milliseconds>(left, options_.probe_limit);
    if (auto probed = probe_media(file.uri(), reference.kind, patience, fetched->facts, cancellable_.get());
        !probed)
      return MediaFailure{probed.error().kind, std::move(probed.error().text)};
    return fetched->facts;
  }

  HttpClient &http_;
  Clock &clock_;
  const CheckedRequest &request_;
  const MediaCheckOptions &options_;
  const RetryPolicy retries_;
  const Clock::Time end_;
  const GRef<GCancellable> cancellable_;  // Ends all checks.
  const GRef<GCancellable> all_done_;
  // The thread that took a number writes the finding of that number.
  std::vector<MediaFinding> findings_;
  std::atomic<size_t> next_ = 0;
  std::atomic<size_t> done_ = 0;
};

}  // namespace

Result<void> check_media(HttpClient &http, Clock &clock, const CheckedRequest &request,
                         const MediaCheckOptions &options, GCancellable *cancellable) {
  if (options.depth == MediaCheck::none) return {};
  return Lookout(http, clock, request, options).run(cancellable);
}

}  // namespace genclip
