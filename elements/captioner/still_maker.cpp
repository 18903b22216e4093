// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Encodes stills, compares each picture with the previous request's, and collects the stills of a request.
#include "elements/captioner/still_maker.h"

#include <deque>
#include <utility>

namespace genclip {
namespace {

struct TimedStill {
  uint64_t time;
  Still still;
};

class StillMaker {
 public:
  StillMaker(CaptionLine &line, DetachedWork &codecs, const StillSettings &settings)
      : line_(line), codecs_(codecs), settings_(settings) {}

  void make(const StillJob &job) {
    if (std::exchange(epoch_, job.epoch) != job.epoch) {
      kept_.clear();
      asked_.clear();
    }
    if (job.slot && is_unchanged(job)) {
      line_.picture_unchanged(job.slot);
      if (settings_.frames == 1) return;
    }
    auto made =
        codecs_.run([picture = job.picture, size = settings_.max_frame_size](GCancellable *cancellable) {
          return encode_still(picture, size, cancellable);
        });
    if (!made) return;  // no longer needed
    Result<Still> &still = *made;
    if (!still) {
      if (job.slot) line_.still_failed(job.slot, std::move(still).error());
      return;
    }
    if (settings_.frames > 1) {
      kept_.push_back({job.time, *still});
      while (kept_.size() > settings_.frames) kept_.pop_front();
    }
    if (!job.slot) return;
    std::vector<Still> stills;
    for (const TimedStill &kept : kept_)
      if (distance(kept.time, job.time) < settings_.interval) stills.push_back(kept.still);
    if (kept_.empty()) stills.push_back(*std::move(still));
    line_.still_made(job.slot, std::move(stills));
  }

 private:
  static uint64_t distance(uint64_t a, uint64_t b) { return a < b ? b - a : a - b; }

  bool is_unchanged(const StillJob &job) {
    if (settings_.scene_threshold <= 0) return false;
    auto made = codecs_.run(
        [picture = job.picture](GCancellable *cancellable) { return make_thumbnail(picture, cancellable); });
    if (!made || !*made) return false;
    Result<Thumbnail> &thumbnail = *made;
    if (!asked_.empty() && difference(asked_, *thumbnail) < settings_.scene_threshold) return true;
    asked_ = *std::move(thumbnail);
    return false;
  }

  CaptionLine &line_;
  DetachedWork &codecs_;
  const StillSettings settings_;
  uint64_t epoch_ = 0;
  std::deque<TimedStill> kept_;
  Thumbnail asked_;
};

}  // namespace

void make_stills(CaptionLine &line, DetachedWork &codecs, const StillSettings &settings) {
  StillMaker maker(line, codecs, settings);
  while (const auto job = line.next_still()) maker.make(*job);
}

}  // namespace genclip
