// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the line that accepts texts: overlapping texts become the lines of one request.
//
// The request for a text can be sent once it is known which texts join it. For files the next text is there
// at once. If no text follows, the request is sent after a short time anyway, because upstream may wait for
// the answer before it sends the next text. A text that arrives too late to join, and would be hidden by the
// previous one, is shown after it.
#include <algorithm>
#include <utility>

#include "elements/captioner/caption_line.h"

namespace genclip {
namespace {

using Progress = CaptionSlot::Progress;

constexpr auto kGrows = std::chrono::milliseconds(500);
constexpr auto kGrowsLive = std::chrono::milliseconds(50);
// Nobody can read more lines than this; further texts make the next cue.
constexpr unsigned kMostTexts = 4;
// Texts often end just after the next one has started. This does not count as an overlap.
constexpr uint64_t kSloppy = 200'000'000;
// Shorter texts are not noticed.
constexpr uint64_t kShortestText = 500'000'000;

bool joins(const CaptionSlot &text, const CaptionSlot &next) {
  const uint64_t begin = next.window.start;
  if (begin == text.window.start) return true;
  return begin >= text.came_at && begin < text.joins_until && text.texts < kMostTexts;
}

// End of a text that is shown from `start`: its own end, unless it would be too short.
uint64_t end_behind(uint64_t start, TimeSpan window) {
  return window.end < start + kShortestText ? start + (window.end - window.start) : window.end;
}

void join(CaptionSlot &text, const CaptionSlot &next) {
  text.request.text += "\n" + next.request.text;
  ++text.texts;
  text.came_at = next.window.start;
  if (next.end_known) {
    const uint64_t end = end_behind(text.window.start, next.window);
    text.window.end = text.end_known ? std::max(text.window.end, end) : end;
  }
  text.end_known = text.end_known || next.end_known;
  text.quiet_until = text.window.end;
}

}  // namespace

void CaptionLine::end_growing() {
  if (!grows_until_) return;
  grows_until_.reset();
  changed_.notify_all();
}

void CaptionLine::end_open(uint64_t end) {
  MutexLock lock(mutex_);
  close_open(end);
  changed_.notify_all();
}

// Its time is before that of the last text, so it cannot be shown any more.
bool CaptionLine::has_gone_by(CaptionSlot &slot) {
  if (!text_ || backwards_ || !slot.end_known || slot.window.end > text_->came_at) return false;
  give_up(slot);
  if (!std::exchange(order_warned_, true))
    slot.warning =
        Error{ErrorKind::settings,
              "A text has an earlier time than the text before it, and is left out, as are further ones: "
              "texts must arrive in the order of their times."};
  return true;
}

// Adjusts the last text and this one so that neither hides the other.
void CaptionLine::make_place(CaptionSlot &slot) {
  if (!text_ || backwards_) return;
  TimeSpan &last = text_->window;
  TimeSpan &window = slot.window;
  if (is_growing(text_) && window.start > last.start && window.start < last.end) {
    last.end = text_->quiet_until = window.start;
  } else if (window.start < last.end) {
    window = {last.end, end_behind(last.end, window)};
    slot.quiet_until = window.end;
  }
}

GstFlowReturn CaptionLine::push_text(const SlotPtr &slot) {
  MutexLock lock(mutex_);
  if (flow_ == GST_FLOW_OK && grows_until_ && text_->progress == Progress::waiting && !backwards_ &&
      joins(*text_, *slot)) {
    join(*text_, *slot);
    if (text_->end_known && open_ == text_) open_.reset();
    return flow_;
  }
  close_open(slot->window.start);
  slot->came_at = slot->window.start;
  const bool gone_by = has_gone_by(*slot);
  if (!gone_by) make_place(*slot);
  end_growing();
  while (flow_ == GST_FLOW_OK && !live_ && is_full()) changed_.wait(lock);
  if (flow_ != GST_FLOW_OK) return flow_;
  if (live_) make_room_live();
  if (!gone_by) {
    const TimeSpan &window = slot->window;
    slot->progress = Progress::waiting;
    slot->joins_until =
        slot->end_known && window.end - window.start > kSloppy ? window.end - kSloppy : window.start + 1;
    text_ = slot;
    texts_follow_ = true;
    grows_until_ = Clock::system().now() + (live_ ? Clock::Time::duration(kGrowsLive) : kGrows);
  }
  enqueue(slot);
  changed_.notify_all();
  return flow_;
}

}  // namespace genclip
