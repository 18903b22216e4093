// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Encodes stills, compares each picture with the previous request's, and collects the stills of a request.
#include "elements/captioner/still_maker.h"

#include <deque>
#include <utility>

#include "elements/captioner/still_choice.h"
#include "plugin/caption/frame_encoder.h"

namespace genclip {
namespace {

struct TimedStill {
  uint64_t time;
  Still still;
  Thumbnail thumbnail = {};  // of a picture of a window whose stills lie within it
};

class StillMaker {
 public:
  StillMaker(CaptionQueue &queue, DetachedWork &codecs, const StillSettings &settings)
      : queue_(queue), codecs_(codecs), settings_(settings) {}

  void make(const StillJob &job) {
    if (std::exchange(epoch_, job.epoch) != job.epoch) {
      kept_.clear();
      asked_.clear();
      gathers_ = false;
    }
    if (job.counts_as_changed) asked_.clear();
    if (job.is_completion()) return complete(job.slot);
    if (job.opens) {
      gathers_ = true;
      kept_.clear();
      failure_.reset();
    }
    if (gathers_ && !job.slot) return gather(job);
    SlotId slot = job.slot;
    if (slot && is_unchanged(job)) {
      queue_.tell(&CaptionSchedule::picture_unchanged, std::exchange(slot, 0));
      if (settings_.frames == 1) return;
    }
    auto made = encoded(*job.picture);
    if (!made) return;  // no longer needed
    Result<Still> &still = *made;
    if (!still) {
      if (slot) queue_.tell(&CaptionSchedule::still_failed, slot, std::move(still).error());
      return;
    }
    if (settings_.frames > 1) {
      kept_.push_back({job.time, *still});
      while (kept_.size() > settings_.frames) kept_.pop_front();
    }
    if (!slot) return;
    std::vector<Still> stills;
    for (const TimedStill &kept : kept_)
      if (distance(kept.time, job.time) < settings_.interval) stills.push_back(kept.still);
    if (kept_.empty()) stills.push_back(*std::move(still));
    queue_.tell(&CaptionSchedule::still_made, slot, std::move(stills));
  }

 private:
  std::optional<Result<Still>> encoded(const Picture &picture) {
    return codecs_.run([picture, size = settings_.max_frame_size](GCancellable *cancellable) {
      return encode_still(picture, size, cancellable);
    });
  }

  std::optional<Thumbnail> measured(const Picture &picture) {
    auto made =
        codecs_.run([picture](GCancellable *cancellable) { return make_thumbnail(picture, cancellable); });
    if (!made || !*made) return std::nullopt;
    return **std::move(made);
  }

  // A picture that may become a still of its window.
  void gather(const StillJob &job) {
    auto made = encoded(*job.picture);
    if (!made) return;  // no longer needed
    if (!*made) {
      failure_ = std::move(*made).error();
      return;
    }
    TimedStill still{job.time, **std::move(made)};
    if (settings_.scene_threshold > 0) still.thumbnail = measured(*job.picture).value_or(Thumbnail());
    kept_.push_back(std::move(still));
  }

  void complete(SlotId slot) {
    std::vector<uint64_t> times;
    for (const TimedStill &kept : kept_) times.push_back(kept.time);
    const auto chosen = spread_stills(times, settings_.frames);
    if (chosen.empty()) {
      if (failure_) queue_.tell(&CaptionSchedule::still_failed, slot, *failure_);
      return;
    }
    bool changed = settings_.scene_threshold <= 0 || asked_.empty();
    std::vector<Still> stills;
    for (const size_t at : chosen) {
      changed = changed || difference(asked_, kept_[at].thumbnail) >= settings_.scene_threshold;
      stills.push_back(kept_[at].still);
    }
    if (!changed) return queue_.tell(&CaptionSchedule::picture_unchanged, slot);
    asked_ = kept_[chosen.back()].thumbnail;
    queue_.tell(&CaptionSchedule::still_made, slot, std::move(stills));
  }

  static uint64_t distance(uint64_t a, uint64_t b) { return a < b ? b - a : a - b; }

  bool is_unchanged(const StillJob &job) {
    if (settings_.scene_threshold <= 0) return false;
    auto thumbnail = measured(*job.picture);
    if (!thumbnail) return false;
    if (!asked_.empty() && difference(asked_, *thumbnail) < settings_.scene_threshold) return true;
    asked_ = *std::move(thumbnail);
    return false;
  }

  CaptionQueue &queue_;
  DetachedWork &codecs_;
  const StillSettings settings_;
  uint64_t epoch_ = 0;
  std::deque<TimedStill> kept_;
  bool gathers_ = false;          // kept_ are those of a window that has not ended
  std::optional<Error> failure_;  // the last one of this window
  Thumbnail asked_;
};

}  // namespace

void make_stills(CaptionQueue &queue, DetachedWork &codecs, const StillSettings &settings) {
  StillMaker maker(queue, codecs, settings);
  while (const auto job = queue.await(&CaptionSchedule::next_still)) maker.make(*job);
}

}  // namespace genclip
