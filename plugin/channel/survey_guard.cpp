// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/survey_guard.h"

#include <algorithm>
#include <utility>

#include "plugin/base/clock.h"
#include "plugin/base/disk_thread.h"

namespace genclip {
namespace {

// Each of them takes a thread, and each take of an item has a name of its own.
constexpr size_t kMostUnderWay = 16;
constexpr auto kSurveyCancelLook = std::chrono::milliseconds(50);

struct SurveyEnd {
  Mutex mutex;
  CondVar changed;
  bool has_come GUARDED_BY(mutex) = false;
};

Survey that_hangs() {
  Survey survey;
  survey.hangs = true;
  return survey;
}

}  // namespace

void SurveyGuard::survey(const std::string &name, Look look, Tell tell, GCancellable *cancellable) {
  {
    MutexLock lock(mutex_);
    const bool has_room = under_way_.size() < kMostUnderWay || under_way_.contains(name);
    const bool is_new = has_room && under_way_.insert_or_assign(name, tell).second;
    lock.unlock();
    if (!is_new) return tell(that_hangs());
  }
  const auto end = std::make_shared<SurveyEnd>();
  on_disk_thread([self = shared_from_this(), name, end, look = std::move(look)]() mutable {
    Survey found = look();
    look = nullptr;  // With what it holds.
    {
      MutexLock lock(self->mutex_);
      const Tell told = std::move(self->under_way_.extract(name).mapped());
      lock.unlock();
      told(std::move(found));
    }
    MutexLock lock(end->mutex);
    end->has_come = true;
    end->changed.notify_all();
  });
  const auto limit = Clock::system().now() + patience_;
  MutexLock lock(end->mutex);
  while (!end->has_come) {
    const auto now = Clock::system().now();
    if (g_cancellable_is_cancelled(cancellable)) return;
    if (now >= limit) break;
    end->changed.wait_until(lock, std::min(limit, now + kSurveyCancelLook));
  }
  const bool has_come = end->has_come;
  lock.unlock();
  if (!has_come) tell(that_hangs());
}

}  // namespace genclip
