// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/slate.h"

#include <limits>
#include <utility>

#include "plugin/channel/clip_survey.h"
#include "plugin/channel/shown_source.h"
#include "plugin/vetting/make_vetter.h"

namespace genclip {

// A slate that cannot be shown is tried again so many frames later.
static constexpr uint64_t kSlateRetry = 250;

Slate::Slate(GRef<GstBuffer> card, VettingRequest vetting, const ClipForm &form,
             std::vector<std::shared_ptr<Waker>> wakers)
    : card_(std::move(card)),
      vetting_(std::move(vetting)),
      form_(form),
      wakers_(std::move(wakers)),
      still_(card_) {}

void Slate::open() {
  if (vetting_.uri.empty() || spare_) return;
  ReadyMedia media;
  media.uri = vetting_.uri;
  media.source = shown_source(vetting_.uri);
  // A clip that is to be generated is refused, and 0 LUFS means the sound as it is.
  const bool needs_gain = !is_clip_uri(vetting_.uri) && vetting_.target_lufs != 0;
  if (needs_gain) media.gain_db = -std::numeric_limits<double>::infinity();
  spare_ = DecodedClip::open(media, 0, form_, wakers_);
  if (!needs_gain) return;
  if (!gain_) gain_ = std::make_shared<SlateGain>(vetting_, make_vetter(form_.access));
  gain_->give(spare_);
}

void Slate::close() {
  if (spare_) std::exchange(spare_, nullptr)->close();
  if (gain_) std::exchange(gain_, nullptr)->cancel();
  still_ = card_;
  retry_at_ = 0;
  problem_.clear();
}

std::shared_ptr<DecodedClip> Slate::next_showing(uint64_t frame) {
  if (!spare_) {
    if (still_.get() == card_.get() && frame >= retry_at_) open();
    return nullptr;
  }
  switch (spare_->state()) {
    case CueState::preparing: return nullptr;
    case CueState::failed:
      problem_ = "The slate cannot be shown: " + spare_->failure();
      std::exchange(spare_, nullptr)->close();
      retry_at_ = frame + kSlateRetry;
      return nullptr;
    case CueState::ready: break;
  }
  problem_.clear();
  auto showing = std::exchange(spare_, nullptr);
  if (showing->is_one_picture()) {
    still_ = showing->picture(0).picture;
    showing->close();
    return nullptr;
  }
  if (gain_) problem_ = gain_->problem();
  open();
  return showing;
}

}  // namespace genclip
