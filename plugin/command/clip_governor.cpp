// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/clip_governor.h"

#include <algorithm>

namespace genclip {

ClipGovernor::ClipGovernor(const GovernorSettings &settings, const std::vector<bool> &is_paid)
    : jobs_(std::max(settings.jobs, 1u)), fail_fast_(settings.fail_fast), width_(jobs_) {
  for (size_t clip = 0; clip < is_paid.size(); ++clip) (is_paid[clip] ? paid_ : unpaid_).insert(clip);
}

std::optional<size_t> ClipGovernor::next(Time now) {
  const bool begins_paid = halt_ == Halt::none || halt_ == Halt::paused;
  auto &queue = !paid_.empty() && begins_paid ? paid_ : unpaid_;
  if (queue.empty()) return std::nullopt;
  const bool may_begin = &queue == &paid_ ? under_way_.size() < jobs_ : may_begin_unpaid(now);
  if (!may_begin) return std::nullopt;
  const size_t clip = *queue.begin();
  queue.erase(queue.begin());
  under_way_[clip] = {halvings_, ends_};
  return clip;
}

bool ClipGovernor::may_begin_unpaid(Time now) const {
  return halt_ == Halt::none && !awaits_end_ && under_way_.size() < width_ &&
         (!held_until_ || now >= *held_until_);
}

std::optional<ClipGovernor::Time> ClipGovernor::wakes_at() const {
  const bool waits = halt_ == Halt::none && !awaits_end_ && !unpaid_.empty() && under_way_.size() < width_;
  return waits ? held_until_ : std::nullopt;
}

void ClipGovernor::accepted() {
  refused_since_.reset();
  refusals_ = 0;
}

// The service has room for another one, so refusals before it count no more.
void ClipGovernor::made(size_t clip) {
  end(clip);
  accepted();
  width_ = std::min(width_ + 1, jobs_);
}

void ClipGovernor::failed(size_t clip) {
  end(clip);
  if (fail_fast_) halt(Halt::failed);
}

void ClipGovernor::refused(size_t clip, Time now, std::optional<std::chrono::milliseconds> wished) {
  const bool is_news = under_way_.at(clip).halvings == halvings_;
  end(clip);
  unpaid_.insert(clip);
  if (!under_way_.empty())
    refused_since_.reset();
  else if (!refused_since_)
    refused_since_ = now;
  if (is_news) {
    width_ = std::max(width_ / 2, 1u);
    ++halvings_;
    ++refusals_;
  }
  const auto own =
      std::min(kFirstHold * (int64_t{1} << std::min(std::max(refusals_, 1u) - 1, 16u)), kLongestOwnHold);
  const Time until = now + wished.value_or(own);
  held_until_ = held_until_ ? std::max(*held_until_, until) : until;
  const bool is_over_patience = refused_since_ && now - *refused_since_ >= kPatience;
  if (is_over_patience || (wished && *wished >= kLongestHold)) halt(Halt::paused);
}

// One that has ended since this one began may have given back what it had reserved.
void ClipGovernor::over_budget(size_t clip) {
  const bool has_ended = under_way_.at(clip).ends != ends_;
  if (under_way_.size() == 1 && !has_ended) return spent(clip);
  under_way_.erase(clip);
  unpaid_.insert(clip);
  awaits_end_ = !has_ended;
}

void ClipGovernor::spent(size_t clip) {
  end(clip);
  unpaid_.insert(clip);
  halt(Halt::paused);
}

bool ClipGovernor::is_over() const {
  if (!under_way_.empty()) return false;
  if (halt_ == Halt::none) return paid_.empty() && unpaid_.empty();
  return halt_ != Halt::paused || paid_.empty();
}

std::vector<size_t> ClipGovernor::pending() const {
  std::vector<size_t> all(paid_.begin(), paid_.end());
  all.insert(all.end(), unpaid_.begin(), unpaid_.end());
  std::sort(all.begin(), all.end());
  return all;
}

void ClipGovernor::end(size_t clip) {
  under_way_.erase(clip);
  ++ends_;
  awaits_end_ = false;
}

// A pause keeps paid clips going, so a failure after it may still end these.
void ClipGovernor::halt(Halt why) {
  if (halt_ == Halt::none || (halt_ == Halt::paused && why == Halt::failed)) halt_ = why;
}

}  // namespace genclip
