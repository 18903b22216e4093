// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the line that sends captions: in order, each at its time, with silence in between.
#include <algorithm>
#include <chrono>
#include <utility>

#include "elements/captioner/caption_line.h"

namespace genclip {
namespace {

using Progress = CaptionSlot::Progress;

// Live: silence is sent in small steps, so that a late caption can still start soon. Each step is sent
// slightly ahead of its time, so that downstream does not wait. A step is at most a tenth of a second.
constexpr uint64_t kSilenceStep = 100'000'000;
constexpr uint64_t kSilenceLead = 50'000'000;
constexpr uint64_t kHorizon = kSilenceLead + kSilenceStep;
constexpr std::chrono::nanoseconds kLook = std::chrono::milliseconds(50);
constexpr std::chrono::nanoseconds kBlink = std::chrono::milliseconds(2);

}  // namespace

LineOutput CaptionLine::next(std::optional<uint64_t> due) {
  Cancelled cancelled;
  MutexLock lock(mutex_);
  bool looked = false;
  for (;;) {
    if (flow_ != GST_FLOW_OK) return Stopped{};
    const auto promised = std::exchange(promised_, std::nullopt);
    if (const auto span = timeline_.silence_until(std::exchange(quiet_until_, 0))) return Silence{*span};
    if (promised)
      if (const auto span = timeline_.promise_until(*promised)) return Silence{*span};
    if (!items_.empty()) {
      Item &front = items_.front();
      if (auto *slot = std::get_if<SlotPtr>(&front)) {
        const SlotPtr held = *slot;
        if (auto output = output_of(held, due, cancelled)) return *std::move(output);
        // The slot may have left the line without output.
        if (items_.empty() || !std::holds_alternative<SlotPtr>(items_.front()) ||
            std::get<SlotPtr>(items_.front()) != held)
          continue;
      } else {
        const Item item = std::move(front);
        items_.pop_front();
        changed_.notify_all();
        if (const auto *event = std::get_if<GRef<GstEvent>>(&item)) return output_of_event(*event);
        if (const auto *segment = std::get_if<Segment>(&item)) return output_of_segment(*segment);
        take_silence(std::get<Silence>(item).span);
        continue;
      }
    }
    if (live_ && !at_end_) {
      if (due && timeline_.has_begun())
        if (auto output = overdue(*due, cancelled)) return *std::move(output);
      if (std::exchange(looked, true)) return Nothing{};
      changed_.wait_until(lock, std::chrono::steady_clock::now() + until_overdue(due));
    } else {
      changed_.wait(lock);
    }
  }
}

LineOutput CaptionLine::output_of_event(const GRef<GstEvent> &event) {
  const GstEventType type = GST_EVENT_TYPE(event.get());
  at_end_ = type == GST_EVENT_EOS;
  // The timeline of a new stream starts with its segment.
  if (type == GST_EVENT_STREAM_START) timeline_.end();
  return event;
}

LineOutput CaptionLine::output_of_segment(const Segment &segment) {
  if (segment.continues)
    timeline_.set_stop(segment.stop);
  else
    timeline_.begin(segment.start, segment.backwards, segment.stop);
  at_end_ = false;
  return segment.event;
}

// Silence from upstream. Live, small pieces wait for the next ones, or for the deadline.
void CaptionLine::take_silence(TimeSpan span) {
  if (live_ && span.end < timeline_.given() + kSilenceStep) return;
  quiet_until_ = span.end;
  promised_ = span.end;
}

std::chrono::nanoseconds CaptionLine::until_overdue(Due due) const {
  const uint64_t given = timeline_.given();
  if (!due || given <= *due + kSilenceLead) return due && timeline_.has_begun() ? kBlink : kLook;
  return std::clamp(std::chrono::nanoseconds(given - *due - kSilenceLead), kBlink, kLook);
}

// Output of the first slot. Empty: it waits, or it has left the line.
std::optional<LineOutput> CaptionLine::output_of(const SlotPtr &slot, Due due, Cancelled &cancelled) {
  const bool ready = slot->progress == Progress::done || !slot->sentences.empty();
  // Silence before a caption is sent when the caption is ready; not live, already when its frame has arrived.
  if (!live_ || ready)
    if (const auto span = timeline_.silence_until(slot->window.start)) return Silence{*span};
  if (!ready || !has_end(*slot, due)) return std::nullopt;
  if (slot->warning) return Notice{*std::exchange(slot->warning, std::nullopt), false};
  if (slot->error) {
    ++stats_.skipped;
    Notice notice{*std::exchange(slot->error, std::nullopt), true};
    end_slot(*slot);
    return notice;
  }
  if (slot->repeats_last && !last_text_.empty()) slot->sentences.push_back(last_text_);
  if (!slot->sentences.empty()) return speak(*slot, due, cancelled);
  if (slot->progress == Progress::done) return end_slot(*slot);
  return std::nullopt;
}

// Live, a caption that is still open at its deadline ends after its reading time.
bool CaptionLine::has_end(CaptionSlot &slot, Due due) {
  if (slot.end_known) return true;
  if (!live_) return false;
  if (!slot.sentences.empty()) {
    if (!due || *due + kHorizon <= slot.window.start) return false;
    slot.window.end = std::min(slot.window.end, slot.window.start + reading_time(slot.sentences.front()));
  }
  slot.end_known = true;
  if (open_.get() == &slot) open_.reset();
  return true;
}

// Its time was sent as silence; or as another caption, and its deadline has passed.
bool CaptionLine::is_late(const CaptionSlot &slot, Due due) const {
  if (!live_ || slot.begun) return false;
  return timeline_.is_missed(slot.window) ||
         (timeline_.is_taken(slot.window) && due && *due >= slot.window.start);
}

Spoken CaptionLine::spoken(CaptionSlot &slot, TimeSpan span, std::string text, bool last) {
  Spoken out{span, std::move(text), {}, {}, slot.repeats_last || slot.known};
  slot.begun = true;
  promised_ = span.end;
  ++stats_.captions;
  if (last) {
    out.answer = slot.answer;
    out.latency = slot.latency;
  } else {
    out.latency = Clock::system().now() - slot.asked_at;
  }
  return out;
}

std::optional<LineOutput> CaptionLine::speak(CaptionSlot &slot, Due due, Cancelled &cancelled) {
  const bool late = is_late(slot, due);
  if (late && settings_.late_policy == LatePolicy::drop) {
    ++stats_.late;
    cancelled.add(slot);
    slot.progress = Progress::done;
    slot.sentences.clear();
    return end_slot(slot);
  }
  const bool done = slot.progress == Progress::done;
  if (!done || slot.sentences.size() > 1) {
    if (const auto span = timeline_.place_sentence(slot.window, slot.sentences.front())) {
      std::string text = std::move(slot.sentences.front());
      slot.sentences.pop_front();
      if (late) ++stats_.late;
      return spoken(slot, *span, std::move(text), false);
    }
    if (!done) return std::nullopt;
  }
  // The last sentence, or all sentences that had no room of their own.
  std::string text;
  for (const std::string &sentence : slot.sentences) text += (text.empty() ? "" : " ") + sentence;
  slot.sentences.clear();
  if (late) ++stats_.late;
  const auto span = timeline_.place(slot.window, text);
  if (!span) {
    ++stats_.skipped;
    end_slot(slot);
    if (live_) return std::nullopt;
    Error covered{
        ErrorKind::settings,
        "A caption has no time of its own, because another one covers it. The details hold its text."};
    covered.service_message = text;  // Not in the text, which is logged.
    return Notice{std::move(covered), false};
  }
  last_text_ = slot.repeats_last || slot.answer.text.empty() ? text : slot.answer.text;
  Spoken out = spoken(slot, *span, std::move(text), true);
  end_slot(slot);
  return out;
}

// Removes the slot from the line; not live, the rest of its window becomes silence.
std::optional<LineOutput> CaptionLine::end_slot(CaptionSlot &slot) {
  if (!slot.begun && !slot.repeats_last) last_text_.clear();
  if (!live_) quiet_until_ = std::max(slot.window.end, slot.quiet_until);
  items_.pop_front();
  changed_.notify_all();
  return std::nullopt;
}

// Live: sends the time that is due as silence, even if a caption is still waiting for it.
std::optional<LineOutput> CaptionLine::overdue(uint64_t due, Cancelled &cancelled) {
  if (timeline_.given() >= due + kSilenceLead) return std::nullopt;
  uint64_t end = due + kHorizon;
  const SlotPtr front = !items_.empty() && std::holds_alternative<SlotPtr>(items_.front())
                            ? std::get<SlotPtr>(items_.front())
                            : nullptr;
  if (front) {
    const bool unseen = settings_.late_policy == LatePolicy::drop && is_late(*front, due);
    bool overtaken = front->window.end <= due && front->begun;
    for (const Item &item : items_) {
      const auto *slot = std::get_if<SlotPtr>(&item);
      if (!slot || *slot == front) continue;
      if ((*slot)->sentences.empty()) continue;
      if ((*slot)->window.start <= end) overtaken = true;
      end = std::min(end, (*slot)->window.start);
    }
    if (unseen || overtaken) {
      ++stats_.late;
      cancelled.add(*front);
      front->progress = Progress::done;
      end_slot(*front);
      return Nothing{};
    }
  }
  if (const auto span = timeline_.silence_until(end)) return Silence{*span};
  return std::nullopt;
}

}  // namespace genclip
