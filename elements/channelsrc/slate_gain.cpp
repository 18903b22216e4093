// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/slate_gain.h"

#include <utility>

#include "plugin/base/background_work.h"
#include "plugin/base/disk_thread.h"

namespace genclip {

SlateGain::SlateGain(VettingRequest request, std::shared_ptr<Vetter> vetter)
    : request_(std::move(request)),
      vetter_(std::move(vetter)),
      cancellable_(GRef<GCancellable>::adopt(g_cancellable_new())) {}

void SlateGain::give(const std::shared_ptr<DecodedClip> &clip) {
  std::optional<double> known;
  bool must_find = false;
  {
    MutexLock lock(mutex_);
    known = db_;
    if (!known) {
      std::erase_if(waiting_, [](const auto &each) { return each.expired(); });
      waiting_.push_back(clip);
      must_find = !std::exchange(is_over_, true);
    }
  }
  if (known) clip->set_gain(*known);
  if (must_find)
    on_disk_thread(
        [self = shared_from_this(), working = std::make_shared<BackgroundWork>()] { self->find(); });
}

void SlateGain::find() {
  const auto vetted = vetter_->vet(request_, cancellable_.get());
  std::vector<std::weak_ptr<DecodedClip>> waiting;
  {
    MutexLock lock(mutex_);
    if (!vetted || vetted->is_loudness_unknown) {
      const ErrorKind kind = vetted ? ErrorKind::timed_out : vetted.error().kind;
      is_over_ = kind == ErrorKind::wrong_type || kind == ErrorKind::settings;
      problem_ = "The slate is silent, because its loudness is not known: " +
                 (vetted ? vetted->gain_note : vetted.error().text);
      return;
    }
    db_ = vetted->gain_db;
    problem_.clear();
    waiting.swap(waiting_);
  }
  for (const auto &each : waiting)
    if (const auto clip = each.lock()) clip->set_gain(vetted->gain_db);
}

std::string SlateGain::problem() {
  MutexLock lock(mutex_);
  return problem_;
}

void SlateGain::cancel() { g_cancellable_cancel(cancellable_.get()); }

}  // namespace genclip
