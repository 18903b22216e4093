// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/slate.h"

#include <utility>

#include "plugin/channel/shown_source.h"

namespace genclip {

// A slate that cannot be shown is tried again so many frames later.
static constexpr uint64_t kSlateRetry = 250;

Slate::Slate(GRef<GstBuffer> card, std::string uri, const ClipForm &form,
             std::vector<std::shared_ptr<Waker>> wakers)
    : card_(std::move(card)), uri_(std::move(uri)), form_(form), wakers_(std::move(wakers)), still_(card_) {}

void Slate::open() {
  if (uri_.empty() || spare_) return;
  ReadyMedia media;
  media.uri = uri_;
  media.source = shown_source(uri_);
  spare_ = DecodedClip::open(media, 0, form_, wakers_);
}

void Slate::close() {
  if (spare_) std::exchange(spare_, nullptr)->close();
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
  open();
  return showing;
}

}  // namespace genclip
