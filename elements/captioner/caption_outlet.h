// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What one source pad has yet to send, and the time that it has sent.
//
// Each source pad has an outlet, and a task that empties it. All outlets receive the same events, silence and
// slots; from a slot, each takes the part in its language, and silence if there is none. Therefore a pad
// whose downstream waits delays no other pad, and each pad keeps the contract for silence by itself.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "elements/captioner/caption_slot.h"

// An event of GStreamer, which the schedule hands on.
struct _GstEvent;

namespace genclip {

// What the schedule has to know of an event that it hands on in its turn. A query DRAIN is handed on like
// one.
struct StreamEvent {
  enum class Kind { stream_start, segment, segment_done, eos, drain, other };

  Kind kind = Kind::other;
  bool is_sticky = false;
  std::string name;  // a sticky event takes the place of an earlier one with the same name
  std::shared_ptr<_GstEvent> event;
};

struct Silence {
  TimeSpan span;
  // A picture or a text from before its end may still come: a decoder may hold pictures.
  bool may_be_early = false;
};

struct StreamSegment {
  StreamEvent event;
  uint64_t start = 0;  // in the direction of playback
  std::optional<uint64_t> stop;
  bool backwards = false;
  bool continues = false;  // the time of the last one goes on
};

using StreamItem = std::variant<StreamEvent, StreamSegment, Silence, SlotId>;

struct CaptionOutlet {
  std::string language;  // empty: that of the always pad
  bool running = false;  // its pad is active
  std::deque<StreamItem> items;
  std::vector<StreamEvent> unsent;  // sticky events that a flush has kept from being sent
  CaptionTimeline timeline;
  uint64_t quiet_until = 0;
  // End of the last caption that was sent, or of the last silence from upstream. It is sent downstream as
  // silence of zero length: a muxer that waits for the next text can then write the video up to this time
  // without another frame in its queue.
  std::optional<uint64_t> promised;
  std::string last_text;
  bool at_end = false;   // EOS was sent
  bool is_busy = false;  // its task sends what it has got
  bool is_move = true;   // … and not only silence of a hole
  // Length of the silence that did not wait any longer for the next picture, and when it was last sent.
  uint64_t hole = 0;
  Instant stepped_at{};

  // 0 if the first item is no caption, or there is no item.
  SlotId first_slot() const {
    const auto *slot = items.empty() ? nullptr : std::get_if<SlotId>(&items.front());
    return slot ? *slot : 0;
  }
};

}  // namespace genclip
