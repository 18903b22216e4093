// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/clip_kitchen.h"

#include <libsoup/soup.h>

#include <utility>

namespace genclip::sim {
namespace {

constexpr size_t kCooks = 2;

}  // namespace

ClipKitchen::ClipKitchen(const ClipLayout &layout, std::optional<std::string> served, size_t most_kept)
    : layout_(layout),
      served_(std::move(served)),
      most_kept_(most_kept),
      stopped_(GRef<GCancellable>::adopt(g_cancellable_new())) {
  for (size_t i = 0; i < kCooks; ++i) cooks_.emplace_back([this] { cook(); });
}

ClipKitchen::~ClipKitchen() {
  {
    MutexLock lock(mutex_);
    g_cancellable_cancel(stopped_.get());
    changed_.notify_all();
  }
  for (auto &cook : cooks_) cook.join();
}

void ClipKitchen::order(const ClipOrder &order) {
  MutexLock lock(mutex_);
  Dish &dish = dishes_[order];
  dish.used = ++uses_;
  if (std::exchange(dish.is_ordered, true)) return;
  if (served_) {
    dish.result = make(order);
    dish.outcome = Result<void>();
    return;
  }
  waiting_.push_back(order);
  changed_.notify_all();
}

std::optional<Result<RenderedClip>> ClipKitchen::look(const ClipOrder &wanted) {
  order(wanted);
  MutexLock lock(mutex_);
  return dishes_[wanted].result;
}

std::optional<Result<void>> ClipKitchen::outcome(const ClipOrder &wanted) {
  {
    MutexLock lock(mutex_);
    if (const auto dish = dishes_.find(wanted); dish != dishes_.end() && dish->second.outcome)
      return dish->second.outcome;
  }
  order(wanted);
  MutexLock lock(mutex_);
  return dishes_[wanted].outcome;
}

void ClipKitchen::cook() {
  MutexLock lock(mutex_);
  for (;;) {
    while (waiting_.empty() && !g_cancellable_is_cancelled(stopped_.get())) changed_.wait(lock);
    if (g_cancellable_is_cancelled(stopped_.get())) return;
    const ClipOrder order = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    auto result = make(order);
    lock.lock();
    Dish &dish = dishes_[order];
    dish.outcome = result ? Result<void>() : result.error();
    dish.result = std::move(result);
    make_room();
  }
}

Result<RenderedClip> ClipKitchen::make(const ClipOrder &order) const {
  RenderedClip clip;
  if (served_) {
    clip.bytes = GRef<GBytes>::adopt(g_bytes_new(served_->data(), served_->size()));
  } else {
    auto rendered = render_clip(order, layout_, stopped_.get());
    if (!rendered) return rendered.error();
    clip.bytes = *rendered;
  }
  GStringPtr sum(g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, clip.bytes.get()));
  clip.etag = "\"" + std::string(sum.get()).substr(0, 32) + "\"";
  const auto now = GRef<GDateTime>::adopt(g_date_time_new_now_utc());
  clip.last_modified = GStringPtr(soup_date_time_to_string(now.get(), SOUP_DATE_HTTP)).get();
  if (order.image) clip.content_type = "image/png";
  return clip;
}

// A simulator that runs for days must not keep every clip; it keeps those used last.
void ClipKitchen::make_room() {
  const auto size = [](const Dish &dish) {
    return dish.result && *dish.result ? g_bytes_get_size((*dish.result)->bytes.get()) : 0;
  };
  for (;;) {
    size_t kept = 0, full = 0;
    auto oldest = dishes_.end();
    for (auto at = dishes_.begin(); at != dishes_.end(); ++at) {
      const size_t bytes = size(at->second);
      if (bytes == 0) continue;
      kept += bytes;
      ++full;
      if (oldest == dishes_.end() || at->second.used < oldest->second.used) oldest = at;
    }
    if (kept <= most_kept_ || full < 2) return;
    oldest->second.result.reset();
    oldest->second.is_ordered = false;
  }
}

}  // namespace genclip::sim
