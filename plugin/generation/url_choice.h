// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decides which URL of the task's last answer a download asks. Pure.
//
// An answer may name a clip at several URLs, and beside it other results, other versions of it, or its input.
// As long as no byte has arrived, all URLs of the clip are asked before the task is asked for another answer.
// The other URLs are asked only if the clip's own has a picture, or shows a web page time after time: while
// the clip is merely late, another one may be there already. Once bytes have arrived, their URL is kept until
// the patience with it is spent. Then each other URL of the clip is asked for all of it, to compare these
// bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "plugin/base/error.h"
#include "plugin/catalog/model_spec.h"
#include "plugin/generation/download_patience.h"
#include "plugin/task/clip_result.h"

namespace genclip {

// Why an exchange did not bring the rest of the clip.
struct DownloadFailure {
  Setback setback = Setback::broken;
  Error error;
  DownloadPatience::Wish wished_pause = std::nullopt;
  bool is_web_page = false;  // What came is an HTML page.
};

class UrlChoice {
 public:
  // What the download has of the clip.
  struct Arrived {
    bool any = false;             // A byte of it was served, even if it was dropped since.
    std::string_view field = {};  // ResultUrl::field of the bytes in the file; empty: the file has none.
  };

  // A host may show a page until the clip is there, but rarely behind a fresh URL, too.
  static constexpr unsigned kPagesOfAPlayer = 2;

  // `wanted`: what the model makes; nothing: unknown.
  explicit UrlChoice(std::optional<ResultKind> wanted) : wanted_(wanted) {}

  // Begins with the URLs of another answer.
  void take(std::vector<ResultUrl> urls, const Arrived &arrived);
  const std::vector<ResultUrl> &urls() const { return urls_; }
  // The one to ask; null if the answer has none.
  const ResultUrl *current() const { return current_ < urls_.size() ? &urls_[current_] : nullptr; }
  // Results of the task that are left beside the current one.
  std::vector<ResultUrl> further_results() const;

  // The file has more bytes of the clip than ever before.
  void progressed() { comparison_.reset(); }
  // After an exchange. True: another URL of the answer is the current one now. If not, `failure` becomes the
  // one of this answer's failures that decides what follows.
  bool go_on(DownloadFailure &failure, const Arrived &arrived);

  enum class LastResort {
    none,         // `failure` is the one to tell.
    compare,      // Asks the current URL, another one now, for all of the clip: no byte may be dropped.
    change_over,  // Asks the current URL, another one now, whose bytes take the place of those in the file.
  };
  // After the patience with the URL of the bytes is spent.
  LastResort give_up(DownloadFailure &failure, const Arrived &arrived);
  // True while other URLs are compared: then nothing is dropped, as another one may have the rest.
  bool is_comparing() const { return comparison_.has_value(); }
  // The current URL has a clip, but other bytes of it.
  void found_other_bytes();
  // It is known that the bytes in the file are of no use; those of the current URL come next.
  void dropped_for_current();

 private:
  size_t of_bytes(const Arrived &arrived) const;
  bool is_same_clip(const ResultUrl &url) const;
  bool is_beside_web_page(const ResultUrl &url) const;
  void count_web_page(const DownloadFailure &failure);

  struct Comparison {
    DownloadFailure first;                       // Is told if none of them helps.
    size_t next = 0;                             // The next one of urls_.
    std::optional<size_t> other = std::nullopt;  // The first one whose clip has other bytes.
  };

  const std::optional<ResultKind> wanted_;
  std::vector<ResultUrl> urls_;
  size_t current_ = 0;
  std::optional<DownloadFailure> deciding_;  // Of those with this answer's URLs.
  std::optional<Comparison> comparison_;
  bool has_changed_over_ = false;  // Once in a run, so that two halves of different clips do not take turns.
  // How often the first URL answered with a web page, as long as no URL of the clip did otherwise.
  std::optional<unsigned> web_pages_ = 0;
};

}  // namespace genclip
