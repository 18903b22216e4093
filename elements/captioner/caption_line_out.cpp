// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the line that sends captions: in order, each at its time, with silence in between.
#include <algorithm>
#include <chrono>
#include <utility>

#include "elements/captioner/caption_line.h"
#include "plugin/caption/cue_layout.h"

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

LineOutput CaptionLine::next(CaptionOutlet &out, std::optional<uint64_t> due) {
  Cancelled cancelled;
  MutexLock lock(mutex_);
  bool looked = false;
  moved_at_ = Clock::system().now();
  for (;;) {
    looked_at_ = Clock::system().now();
    if (flow_ != GST_FLOW_OK || !out.running) return Stopped{};
    if (auto warning = end_gathering(out)) return *std::move(warning);
    if (auto warning = observed_.warning()) return Notice{*std::move(warning), false};
    const auto promised = std::exchange(out.promised, std::nullopt);
    if (const auto span = out.timeline.silence_until(std::exchange(out.quiet_until, 0)))
      return Silence{*span};
    if (promised)
      if (const auto span = out.timeline.promise_until(*promised)) return Silence{*span};
    if (!out.items.empty()) {
      if (const auto *slot = std::get_if<SlotPtr>(&out.items.front())) {
        const SlotPtr held = *slot;
        if (auto output = output_of(out, *held, due, cancelled)) return *std::move(output);
        // The slot may have left the outlet without output.
        if (out.items.empty() || !std::holds_alternative<SlotPtr>(out.items.front()) ||
            std::get<SlotPtr>(out.items.front()) != held)
          continue;
      } else {
        const Item item = out.items.front();
        leave(out);
        if (const auto *event = std::get_if<GRef<GstEvent>>(&item)) return output_of_event(out, *event);
        if (const auto *segment = std::get_if<Segment>(&item)) return output_of_segment(out, *segment);
        take_silence(out, std::get<Silence>(item).span);
        continue;
      }
    }
    if (live_ && !out.at_end) {
      if (due && out.timeline.has_begun())
        if (auto output = overdue(out, *due, cancelled)) return *std::move(output);
      if (std::exchange(looked, true)) return Nothing{};
      changed_.wait_until(lock, std::chrono::steady_clock::now() + until_overdue(out, due));
    } else if (const auto starved = starves_at(out)) {
      changed_.wait_until(lock, *starved);
    } else {
      changed_.wait(lock);
    }
  }
}

LineOutput CaptionLine::output_of_event(CaptionOutlet &out, const GRef<GstEvent> &event) {
  const GstEventType type = GST_EVENT_TYPE(event.get());
  out.at_end = type == GST_EVENT_EOS;
  // The timeline of a new stream starts with its segment.
  if (type == GST_EVENT_STREAM_START) out.timeline.end();
  return event;
}

LineOutput CaptionLine::output_of_segment(CaptionOutlet &out, const Segment &segment) {
  if (segment.continues)
    out.timeline.set_stop(segment.stop);
  else
    out.timeline.begin(segment.start, segment.backwards, segment.stop);
  out.at_end = false;
  return segment.event;
}

// Silence from upstream. Live, small pieces wait for the next ones, or for the deadline.
void CaptionLine::take_silence(CaptionOutlet &out, TimeSpan span) {
  if (live_ && span.end < out.timeline.given() + kSilenceStep) return;
  out.quiet_until = span.end;
  out.promised = span.end;
}

std::chrono::nanoseconds CaptionLine::until_overdue(const CaptionOutlet &out, Due due) const {
  const uint64_t given = out.timeline.given();
  if (!due || given <= *due + kSilenceLead) return due && out.timeline.has_begun() ? kBlink : kLook;
  return std::clamp(std::chrono::nanoseconds(given - *due - kSilenceLead), kBlink, kLook);
}

// Output of the first slot. Empty: it waits, or it has left the outlet.
std::optional<LineOutput> CaptionLine::output_of(CaptionOutlet &out, CaptionSlot &slot, Due due,
                                                 Cancelled &cancelled) {
  SlotPart *part = slot.part_in(out.language);
  if (part && !part->cues.empty()) return next_cue(out, slot, *part);
  const bool done = !part || part->done || slot.progress == Progress::done;
  const bool ready = done || !part->sentences.empty();
  // Silence before a caption is sent when the caption is ready; not live, already when its frame has arrived.
  if (!live_ || ready)
    if (const auto span = out.timeline.silence_until(slot.window.start)) return Silence{*span};
  if (!ready) return std::nullopt;
  const bool open = is_open(slot);
  if (!open && !has_end(slot, part, due)) return std::nullopt;
  if (slot.warning) return Notice{*std::exchange(slot.warning, std::nullopt), false};
  if (!part) return open ? open_output(out, slot, part) : end_slot(out, slot);
  if (part->warning) return Notice{*std::exchange(part->warning, std::nullopt), false};
  if (slot.error && !std::exchange(part->done, true)) {
    ++stats_.skipped;
    Notice notice{*slot.error, true, std::exchange(slot.error_told, true)};
    if (!open) end_slot(out, slot);
    return notice;
  }
  if (slot.repeats_last && !out.last_text.empty() && part->sentences.empty())
    part->sentences.push_back(out.last_text);
  if (open) return open_output(out, slot, part);
  if (!part->sentences.empty()) return speak(out, slot, *part, due, cancelled);
  if (done) return end_slot(out, slot);
  return std::nullopt;
}

// Live, a caption that is still open at its deadline ends after its reading time.
bool CaptionLine::has_end(CaptionSlot &slot, const SlotPart *part, Due due) {
  if (slot.end_known) return true;
  if (!live_) return false;
  if (!part) return true;
  if (!part->sentences.empty()) {
    if (!due || *due + kHorizon <= slot.window.start) return false;
    uint64_t read = 0;
    for (const SlotPart &other : slot.parts)
      if (!other.sentences.empty())
        read = std::max(read, reading_time(other.sentences.front(), settings_.limits));
    slot.window.end = std::min(slot.window.end, slot.window.start + read);
  }
  slot.end_known = true;
  if (open_.get() == &slot) open_.reset();
  return true;
}

// Its time was sent as silence; or as another caption, and its deadline has passed.
bool CaptionLine::is_late(const CaptionOutlet &out, const CaptionSlot &slot, const SlotPart &part,
                          Due due) const {
  if (!live_ || part.begun) return false;
  return out.timeline.is_missed(slot.window) ||
         (out.timeline.is_taken(slot.window) && due && *due >= slot.window.start);
}

// A caption that waits no longer for its first text.
void CaptionLine::observe(CaptionSlot &slot, const SlotPart &part, bool late) {
  if (!live_ || part.begun || slot.repeats_last || part.known || std::exchange(slot.observed, true)) return;
  observed_.add(slot.took.value_or(Clock::system().now() - slot.came_in_at), late);
}

Spoken CaptionLine::spoken(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, TimeSpan span,
                           std::string text, bool last) {
  Spoken made{span, std::move(text), {}, {}, slot.repeats_last || (part.known && !part.cached),
              {},   part.cached};
  part.begun = true;
  out.promised = span.end;
  ++stats_.captions;
  if (last) {
    made.answer = part.answer;
    made.latency = slot.latency;
  } else {
    made.latency = Clock::system().now() - slot.asked_at;
  }
  return made;
}

std::optional<LineOutput> CaptionLine::speak(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, Due due,
                                             Cancelled &cancelled) {
  const bool late = is_late(out, slot, part, due);
  observe(slot, part, late);
  if (late && settings_.late_policy == LatePolicy::drop) {
    ++stats_.late;
    leave_behind(slot, part, cancelled);
    return end_slot(out, slot);
  }
  const bool done = part.done || slot.progress == Progress::done;
  if (!done || part.sentences.size() > 1) {
    FirstCue first = first_cue(part.sentences.front(), settings_.limits);
    if (const auto span = out.timeline.place_sentence(slot.window, first.text)) {
      part.sentences.front() = std::move(first.rest);
      if (part.sentences.front().empty()) part.sentences.pop_front();
      if (late) ++stats_.late;
      return spoken(out, slot, part, *span, std::move(first.text), false);
    }
    if (!done) return std::nullopt;
  }
  if (late) ++stats_.late;
  return speak_rest(out, slot, part);
}

// Removes the slot from the outlet; not live, the rest of its window becomes silence.
std::optional<LineOutput> CaptionLine::end_slot(CaptionOutlet &out, CaptionSlot &slot) {
  const SlotPart *part = slot.part_in(out.language);
  if (!(part && part->begun) && !slot.repeats_last) out.last_text.clear();
  if (!live_) {
    const uint64_t end = part ? part->shown_until : 0;
    out.quiet_until = std::max({slot.window.end, slot.quiet_until, end});
  }
  leave(out);
  return std::nullopt;
}

// Live: sends the time that is due as silence, even if a caption is still waiting for it.
std::optional<LineOutput> CaptionLine::overdue(CaptionOutlet &out, uint64_t due, Cancelled &cancelled) {
  if (out.timeline.given() >= due + kSilenceLead) return std::nullopt;
  uint64_t end = due + kHorizon;
  const SlotPtr front = !out.items.empty() && std::holds_alternative<SlotPtr>(out.items.front())
                            ? std::get<SlotPtr>(out.items.front())
                            : nullptr;
  if (SlotPart *part = front ? front->part_in(out.language) : nullptr) {
    const bool unseen = settings_.late_policy == LatePolicy::drop && is_late(out, *front, *part, due);
    bool overtaken = front->window.end <= due && part->begun;
    for (const Item &item : out.items) {
      const auto *slot = std::get_if<SlotPtr>(&item);
      if (!slot || *slot == front) continue;
      const SlotPart *later = (*slot)->part_in(out.language);
      if (!later || later->sentences.empty()) continue;
      if ((*slot)->window.start <= end) overtaken = true;
      end = std::min(end, (*slot)->window.start);
    }
    if (unseen || overtaken) {
      observe(*front, *part, true);
      ++stats_.late;
      leave_behind(*front, *part, cancelled);
      end_slot(out, *front);
      return Nothing{};
    }
  }
  if (const auto span = out.timeline.silence_until(end)) return Silence{*span};
  return std::nullopt;
}

}  // namespace genclip
