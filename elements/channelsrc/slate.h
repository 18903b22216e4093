// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is shown when nothing else can be: the built-in card at once, then the picture or clip of the user's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "elements/channelsrc/decoded_clip.h"
#include "elements/channelsrc/slate_gain.h"
#include "plugin/channel/vetter.h"

namespace genclip {

// Not thread-safe.
class Slate {
 public:
  // `card`: the built-in one. `vetting`: of the user's; its URI may be empty.
  Slate(GRef<GstBuffer> card, VettingRequest vetting, const ClipForm &form,
        std::vector<std::shared_ptr<Waker>> wakers);

  void open();
  void close();
  // For a moving slate: a copy of the clip whose first picture is there. Nothing: the still is shown.
  std::shared_ptr<DecodedClip> next_showing(uint64_t frame);
  GRef<GstBuffer> still() const { return still_; }
  // Why the card is shown instead of the user's slate, or why that has no sound: a sentence, or empty.
  const std::string &problem() const { return problem_; }

 private:
  const GRef<GstBuffer> card_;
  const VettingRequest vetting_;
  const ClipForm form_;
  const std::vector<std::shared_ptr<Waker>> wakers_;
  GRef<GstBuffer> still_;
  std::shared_ptr<DecodedClip> spare_;
  std::shared_ptr<SlateGain> gain_;  // Of a run.
  uint64_t retry_at_ = 0;            // Frame.
  std::string problem_;
};

}  // namespace genclip
