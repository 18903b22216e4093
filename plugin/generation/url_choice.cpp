// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/url_choice.h"

#include <algorithm>
#include <utility>

#include "plugin/catalog/media_extension.h"

namespace genclip {

void UrlChoice::take(std::vector<ResultUrl> urls, const Arrived &arrived) {
  urls_ = std::move(urls);
  current_ = of_bytes(arrived);
  comparison_.reset();
}

// The URL in the place of the answer that the bytes came from.
size_t UrlChoice::of_bytes(const Arrived &arrived) const {
  const auto found = std::find_if(urls_.begin(), urls_.end(),
                                  [&](const ResultUrl &url) { return url.field == arrived.field; });
  return arrived.field.empty() || found == urls_.end() ? 0 : static_cast<size_t>(found - urls_.begin());
}

// Where the model is unknown, another URL may be a picture of the clip.
bool UrlChoice::is_same_clip(const ResultUrl &url) const {
  return wanted_ && !url.is_further && !url.may_differ;
}

// The first URL is of a page that shows the clip, and this one of a file beside it.
bool UrlChoice::is_beside_web_page(const ResultUrl &url) const {
  return wanted_ == ResultKind::video && web_pages_.value_or(0) >= kPagesOfAPlayer && !url.is_further &&
         media_type_of_path(urls_.front().url).empty() && media_type_of_path(url.url).starts_with("video/");
}

// Anything else at a URL of the clip says that the clip may be late.
void UrlChoice::count_web_page(const DownloadFailure &failure) {
  if (!current() || !is_same_clip(*current())) return;
  if (!failure.is_web_page || failure.setback != Setback::missing)
    web_pages_.reset();
  else if (web_pages_ && current_ == 0)
    ++*web_pages_;
}

bool UrlChoice::go_on(DownloadFailure &failure, const Arrived &arrived) {
  const bool is_no_clip = failure.setback == Setback::other_kind;
  if (arrived.any && !is_no_clip) {
    deciding_.reset();
    return false;
  }
  count_web_page(failure);
  const bool waits_longer = deciding_ && may_lag(failure.setback) && !may_lag(deciding_->setback);
  if (!deciding_ || waits_longer || deciding_->setback == Setback::lasting) deciding_ = failure;
  for (size_t next = current_ + 1; next < urls_.size(); ++next) {
    if (!is_no_clip && !is_same_clip(urls_[next]) && !is_beside_web_page(urls_[next])) continue;
    current_ = next;
    return true;
  }
  failure = *std::exchange(deciding_, std::nullopt);
  current_ = of_bytes(arrived);
  return false;
}

// Half a clip is of no use, and the URL that was given up still has all of it if it comes back. So if no
// other one has the bytes behind those in the file, they give way to a clip of other bytes.
UrlChoice::LastResort UrlChoice::give_up(DownloadFailure &failure, const Arrived &arrived) {
  if (!arrived.any || !current() || !is_same_clip(*current())) return LastResort::none;
  if (!comparison_) comparison_ = Comparison{failure};
  while (comparison_->next < urls_.size()) {
    const size_t next = comparison_->next++;
    if (next == current_ || urls_[next].field == arrived.field || !is_same_clip(urls_[next])) continue;
    current_ = next;
    return LastResort::compare;
  }
  if (const auto other = std::exchange(comparison_->other, std::nullopt); other && !has_changed_over_) {
    has_changed_over_ = true;
    current_ = *other;
    return LastResort::change_over;
  }
  failure = comparison_->first;
  return LastResort::none;
}

void UrlChoice::found_other_bytes() {
  if (comparison_ && !comparison_->other) comparison_->other = current_;
}

void UrlChoice::dropped_for_current() {
  if (comparison_) comparison_->other = current_;
}

std::vector<ResultUrl> UrlChoice::further_results() const {
  std::vector<ResultUrl> further;
  for (size_t i = current() && current()->is_further ? current_ + 1 : 0; i < urls_.size(); ++i)
    if (urls_[i].is_further) further.push_back(urls_[i]);
  return further;
}

}  // namespace genclip
