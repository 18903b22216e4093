// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Brings a clip onto the disk, over cut connections, restarts, servers that ignore Range, and expired URLs.
//
// A paid clip may take many exchanges to arrive. Bytes of two versions of it must never be joined, and what
// servers say about versions (ETag, dates, lengths) may be wrong or missing. So the bytes prove themselves:
// each resumed exchange asks for some bytes that are there already, and appends only after these were equal.
// If they differ, all of the clip is asked for and compared, and the download begins anew only when that
// differs too. It fails if a reader has had a byte of the old version.
//
// The end of a connection does not prove the end of a clip. A clip is whole when it has the length that was
// told. Without a length, the last chunk of a chunked body, the structure of the media, or a second answer
// that ends at the same place has to confirm it. If the structure shows that something is missing though the
// end is proved, the host may still be writing the clip: only a second answer with the same bytes, some
// seconds later, makes it whole. After a power cut only synced bytes can be trusted, so the
// journal notes how many these are.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/result.h"
#include "plugin/catalog/model_spec.h"
#include "plugin/generation/clip_answer.h"
#include "plugin/generation/download_patience.h"
#include "plugin/generation/growing_clip.h"
#include "plugin/generation/url_choice.h"
#include "plugin/http/http_client.h"
#include "plugin/http/retry_policy.h"
#include "plugin/http/secrets.h"
#include "plugin/store/clip_record.h"
#include "plugin/store/media_container.h"
#include "plugin/task/clip_result.h"

namespace genclip {

struct DownloadOptions {
  std::chrono::milliseconds http_timeout{30000};
  uint64_t max_size = uint64_t{4} << 30;
  std::string user_agent;
  std::string boot = {};                     // current_boot()
  std::string log_name = {};                 // Of the clip.
  std::string base_url = {};                 // The service's, whose own host may want the key.
  const Secrets *secrets = nullptr;          // Kept out of texts. Borrowed.
  std::optional<ResultKind> wanted = {};     // What the model makes; nothing: unknown.
  std::optional<Clock::Time> deadline = {};  // Of media that were never served; nothing: none.

  bool operator==(const DownloadOptions &) const = default;
};

// One use, one thread. Borrows everything it is given, which must outlive it.
class Download {
 public:
  struct Hooks {
    // Asks the task for URLs that are not the expired ones, until `until` at the latest; nothing: as long as
    // it takes.
    std::function<Result<std::vector<ResultUrl>>(std::optional<Clock::Time> until)> fresh_urls;
    // Puts `part` into the journal, durably.
    std::function<Result<void>(const PartState &part)> checkpoint;
    // Removes the file, puts `part` into the journal, then makes an empty file. Readers of the old file keep
    // it.
    std::function<Result<std::shared_ptr<File>>(const PartState &part)> begin_file;
  };

  Download(HttpClient &http, Clock &clock, const RetryPolicy &retries, DownloadOptions options, Hooks hooks,
           std::shared_ptr<File> file, GrowingClip &clip)
      : http_(http),
        clock_(clock),
        retries_(retries),
        options_(std::move(options)),
        hooks_(std::move(hooks)),
        file_(std::move(file)),
        clip_(clip),
        patience_(retries, clock.now(), options_.deadline),
        choice_(options_.wanted) {}

  // Resumes behind those bytes of the file that `part` describes. Returns the type of a whole clip: every
  // byte is in the file (not yet synced), their number is the one that the server told, and they begin like
  // media.
  Result<MediaContainer> run(std::vector<ResultUrl> urls, PartState part, GCancellable *cancellable);

  // Bytes of the clip in the file.
  uint64_t size() const { return have_; }
  // Results of the task that are left beside the whole clip.
  std::vector<ResultUrl> further_results() const { return choice_.further_results(); }
  // The structure of the whole clip shows that something is missing; the host sent it twice so.
  bool is_stump() const { return is_stump_; }

 private:
  enum class Next { done, retry };

  Result<MediaContainer> transfer(GCancellable *cancellable);
  Result<void> go_on(GCancellable *cancellable);
  Result<void> give_up();
  void log_other_url() const;
  UrlChoice::Arrived arrived() const;
  bool has_arrived() const { return was_media_ || have_ > 0; }
  Result<void> take_over(PartState part);
  bool asks_for_part() const { return have_ > 0 && !all_; }
  uint64_t first_wanted() const;
  HttpRequest request_for(const std::string &url) const;
  Result<Next> exchange(GCancellable *cancellable);
  Result<Next> judge_status(HttpBody &body);
  std::string message_in(HttpBody &body) const;
  Result<Next> place(const HttpReply &reply);
  Result<Next> place_part(const HttpReply &reply);
  Result<Next> place_whole(const HttpReply &reply);
  bool has_other_length() const;
  Result<Next> receive(HttpBody &body, GCancellable *cancellable);
  Result<Next> finish();
  Result<Next> judge_end();
  Result<Next> accept(std::span<const std::byte> bytes);
  Result<Next> append(std::span<const std::byte> bytes);
  Result<Next> differs(std::span<const std::byte> next);
  Result<void> adopt_when_compared();
  void begin_writing();
  Result<std::vector<std::byte>> head() const;
  Result<Next> announce();
  Result<Next> drop_other(Setback setback, Error why);
  Result<void> begin_anew();
  Result<Next> begin_anew(Error why);
  Next ask_for_all(Error why);
  Result<void> save_checkpoint();
  Error with_stock(Error error) const;
  const char *name() const { return options_.log_name.c_str(); }
  bool is_worth_probing() const {
    return have_ >= kContainerProbeSize || (have_ > 0 && have_ == part_.total);
  }
  Next retry(Setback setback, Error error, std::optional<std::chrono::milliseconds> wished = std::nullopt);
  Next broke_off(HttpError broken);

  HttpClient &http_;
  Clock &clock_;
  const RetryPolicy &retries_;
  const DownloadOptions options_;
  const Hooks hooks_;
  std::shared_ptr<File> file_;
  GrowingClip &clip_;
  DownloadPatience patience_;

  UrlChoice choice_;
  const std::shared_ptr<VisitedHosts> visited_ = remember_hosts();
  PartState part_;       // The version that the bytes in the file belong to.
  uint64_t have_ = 0;    // Bytes in the file, all of them of that version.
  uint64_t most_ = 0;    // The most that it had of that version.
  uint64_t behind_ = 0;  // The system was asked to begin writing up to here.
  Clock::Time write_due_ = {};
  Clock::Time checkpoint_due_ = {};
  unsigned begun_ = 0;               // How often this run began anew because the clip had changed.
  bool was_media_ = false;           // Bytes of the clip were served, even if they were dropped since.
  uint64_t overlap_ = kMostOverlap;  // How many bytes that are there a resumed exchange asks for again.
  uint64_t received_ = 0;            // Bytes of the current body.
  uint64_t had_ = 0;                 // Bytes in the file before the current exchange.
  unsigned idle_parts_ = 0;          // In a row: parts that ended as they said, and brought nothing new.
  bool all_ = false;                 // Requests no range: the next answer is compared from its first byte on.

  ClipAnswer answer_;          // The current answer.
  bool is_html_ = false;       // Its type is that of a web page.
  std::string encoding_;       // The encoding of the current answer, if any.
  uint64_t position_ = 0;      // The offset of its next byte; below have_ the byte is compared, not written.
  bool is_adopted_ = false;    // All bytes of the file were compared with it.
  uint64_t last_end_ = 0;      // Where the last answer without a proven end ended.
  uint64_t stump_size_ = 0;    // The announced size of a clip of which something is missing; 0: none.
  Clock::Time stump_at_ = {};  // When it had come first.
  bool is_stump_ = false;
  std::optional<MediaContainer> container_;  // Once it is known, the readers have the file.

  DownloadFailure failure_;  // Of the last exchange.
};

}  // namespace genclip
