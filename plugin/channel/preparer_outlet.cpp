// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/preparer_outlet.h"

#include <utility>

namespace genclip {
namespace {

bool is_same(const ItemStatus &one, const ItemStatus &other) {
  return one.state == other.state && one.reason == other.reason && one.media == other.media;
}

}  // namespace

ItemStatus PreparerOutlet::status(const std::string &id, uint64_t turn) const {
  MutexLock lock(mutex_);
  if (const auto exact = shown_.find({id, turn}); exact != shown_.end()) return exact->second.status;
  const auto once = shown_.find({id, 0});
  return once != shown_.end() && !once->second.is_fresh ? once->second.status : ItemStatus();
}

double PreparerOutlet::spent() const {
  MutexLock lock(mutex_);
  return spent_;
}

void PreparerOutlet::show(const PlannedWish &wish, ItemStatus status) {
  {
    MutexLock lock(mutex_);
    Shown &shown = shown_[wish.key];
    shown.is_fresh = wish.is_fresh;
    if (is_same(shown.status, status)) return;
    shown.status = status;
  }
  tell([&](PreparerListener &listener) { listener.on_item(wish.key.id, wish.key.turn, status); });
}

void PreparerOutlet::forget(const WishKey &key) {
  Shown dropped;  // With what it holds, which goes without the lock.
  MutexLock lock(mutex_);
  const auto found = shown_.find(key);
  if (found == shown_.end()) return;
  std::swap(dropped, found->second);
  shown_.erase(found);
  lock.unlock();
  dropped = Shown();
  lock.lock();
}

void PreparerOutlet::spend(double credits) {
  MutexLock lock(mutex_);
  spent_ += credits;
}

void PreparerOutlet::tell(const std::function<void(PreparerListener &)> &call) {
  {
    MutexLock lock(mutex_);
    if (is_closed_) return;
    is_telling_ = true;
    teller_ = std::this_thread::get_id();
  }
  call(listener_);
  MutexLock lock(mutex_);
  is_telling_ = false;
  changed_.notify_all();
}

void PreparerOutlet::close() {
  MutexLock lock(mutex_);
  is_closed_ = true;
  while (is_telling_ && teller_ != std::this_thread::get_id()) changed_.wait(lock);
}

}  // namespace genclip
