// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/source_verdict.h"

#include <algorithm>
#include <utility>

namespace genclip {
namespace {

constexpr auto kFirstVettingPause = std::chrono::minutes(1);  // A busy machine needs some time.
constexpr auto kLongestVettingPause = std::chrono::minutes(10);

}  // namespace

void SourceVerdict::give_up(ItemState state, bool until_reload) {
  over_ = state;
  until_ = until_reload ? Until::reload : Until::end_of_run;
}

bool SourceVerdict::retry() {
  if (!over_ || until_ != Until::retry) return false;
  over_.reset();
  return true;
}

std::chrono::minutes SourceVerdict::pause() {
  auto length = kLongestVettingPause;
  if (bad_vettings_ < 4)
    length = std::min<std::chrono::minutes>(length, kFirstVettingPause * (1 << bad_vettings_));
  ++bad_vettings_;
  let_be();
  return length;
}

void SourceVerdict::let_be() {
  over_ = ItemState::failed;
  until_ = Until::vetted_again;
}

bool SourceVerdict::pass() { return std::exchange(bad_vettings_, 0) > 0; }

bool SourceVerdict::forgive() {
  if (!over_ || until_ == Until::end_of_run || until_ == Until::retry) return false;
  over_.reset();
  return true;
}

bool SourceVerdict::reload() {
  bad_vettings_ = 0;
  return forgive();
}

}  // namespace genclip
