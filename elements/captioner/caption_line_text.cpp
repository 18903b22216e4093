// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The end of the line where texts come in: what lies over one another becomes the lines of one question.
//
// A text can be asked about once it is known what joins it. Files tell at once, for the next text is there.
// Where nothing comes, a text is asked about after a while all the same: somebody may wait for its answer
// before he writes the next. What comes too late to join another, and would lie under it unseen, follows it
// instead.
#include <algorithm>
#include <utility>

#include "elements/captioner/caption_line.h"

namespace genclip {
namespace {

using Progress = CaptionSlot::Progress;

constexpr auto kGrows = std::chrono::milliseconds(500);
constexpr auto kGrowsLive = std::chrono::milliseconds(50);
// More lines than these nobody reads; they make the next cue.
constexpr unsigned kMostTexts = 4;
// Texts are often written to end when the next has just begun. That is no overlap.
constexpr uint64_t kSloppy = 200'000'000;
// Less than this nobody sees.
constexpr uint64_t kShortestText = 500'000'000;

bool joins(const CaptionSlot &text, const CaptionSlot &next) {
  const uint64_t begin = next.window.start;
  if (begin == text.window.start) return true;
  return begin >= text.came_at && begin < text.joins_until && text.texts < kMostTexts;
}

// Of a text that is shown from `start` on: its own, unless it could not be seen then.
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

// Its time lies before that of the last text: nothing can be shown there any more.
bool CaptionLine::has_gone_by(CaptionSlot &slot) {
  if (!text_ || backwards_ || !slot.end_known || slot.window.end > text_->came_at) return false;
  give_up(slot);
  if (!std::exchange(order_warned_, true))
    slot.warning =
        Error{ErrorKind::settings,
              "A text lies before the text that came ahead of it, and is left out, as are further ones: "
              "texts have to come in the order of their times."};
  return true;
}

// Of the last text and this one none hides the other.
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
    grows_until_ = Clock::system().now() + (live_ ? Clock::Time::duration(kGrowsLive) : kGrows);
  }
  enqueue(slot);
  changed_.notify_all();
  return flow_;
}

}  // namespace genclip
