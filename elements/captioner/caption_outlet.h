// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The end of the line that belongs to one source pad: what the pad has yet to send, and the time that it has
// sent.
//
// Each source pad has an outlet, and a task that empties it. All outlets receive the same events, silence and
// slots; from a slot, each takes the part in its language, and silence if there is none. Therefore a pad
// whose downstream waits delays no other pad, and each pad keeps the contract for silence by itself.
#pragma once

#include <gst/gst.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "elements/captioner/caption_slot.h"

namespace genclip {

struct Silence {
  TimeSpan span;
};

struct LineSegment {
  GRef<GstEvent> event;
  uint64_t start = 0;
  std::optional<uint64_t> stop;
  bool backwards = false;
  bool continues = false;
};

using LineItem = std::variant<GRef<GstEvent>, LineSegment, Silence, SlotPtr>;

// The line's lock guards all members except `language`, which never changes.
struct CaptionOutlet {
  const std::string language;  // empty: that of the always pad
  bool running = false;        // its pad is active
  std::deque<LineItem> items;
  std::vector<GRef<GstEvent>> unsent;
  CaptionTimeline timeline = CaptionTimeline();
  uint64_t quiet_until = 0;
  // End of the last caption that was sent, or of the last silence from upstream. It is sent downstream as
  // silence of zero length: a muxer that waits for the next text can then write the video up to this time
  // without another frame in its queue.
  std::optional<uint64_t> promised;
  std::string last_text;
  bool at_end = false;  // EOS was sent
};
using OutletPtr = std::shared_ptr<CaptionOutlet>;

}  // namespace genclip
