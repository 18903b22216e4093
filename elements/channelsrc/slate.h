// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is shown when nothing else can be: the built-in card at once, then the picture or clip of the user's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "elements/channelsrc/decoded_clip.h"

namespace genclip {

// Not thread-safe.
class Slate {
 public:
  // `uri`: may be empty. `card`: the built-in one.
  Slate(GRef<GstBuffer> card, std::string uri, const ClipForm &form,
        std::vector<std::shared_ptr<Waker>> wakers);

  void open();
  void close();
  // For a moving slate: a copy of the clip whose first picture is there. Nothing: the still is shown.
  std::shared_ptr<DecodedClip> next_showing(uint64_t frame);
  GRef<GstBuffer> still() const { return still_; }
  // Why the card is shown instead of the user's slate: a sentence, or empty.
  const std::string &problem() const { return problem_; }

 private:
  const GRef<GstBuffer> card_;
  const std::string uri_;
  const ClipForm form_;
  const std::vector<std::shared_ptr<Waker>> wakers_;
  GRef<GstBuffer> still_;
  std::shared_ptr<DecodedClip> spare_;
  uint64_t retry_at_ = 0;  // Frame.
  std::string problem_;
};

}  // namespace genclip
