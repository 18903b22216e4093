// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/clip_kitchen.h"

#include <libsoup/soup.h>

namespace genclip::sim {
namespace {

constexpr size_t kCooks = 2;
constexpr size_t kMostKept = 512 << 20;

}  // namespace

ClipKitchen::ClipKitchen(const ClipLayout &layout, std::optional<std::string> served)
    : layout_(layout), served_(std::move(served)), stopped_(GRef<GCancellable>::adopt(g_cancellable_new())) {
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
  const auto [dish, is_new] = dishes_.try_emplace(order);
  dish->second.used = ++uses_;
  if (!is_new) return;
  if (served_) {
    dish->second.result = make(order);
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
    dishes_[order].result = std::move(result);
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
    if (kept <= kMostKept || full < 2) return;
    dishes_.erase(oldest);
  }
}

}  // namespace genclip::sim
