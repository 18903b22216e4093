// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the schedule about what leaves: captions in order, each at its time, with silence in between.
//
// A caption leaves late, or not at all, for one of these reasons:
//
// - it waits for its answer, or for its turn behind one that does (output_of_slot);
// - live, its time was sent as silence before its answer came (overdue, is_late), and late-policy says what
//   happens then (speak);
// - live, all workers were busy when it came in, so that it was given up (make_room_live, drop_stills_live);
// - a text waits for others that join it, or that share its request, or comes behind one that it overlaps
//   (push_text, awaits_more_until, make_place);
// - a question waits for earlier ones: for their answers, if context is set, and for the budget
// (first_to_ask,
//   may_ask);
// - downstream holds up its pad;
// - the input has not shown where its window ends (align=cuts), all of its stills (stills=within), or whether
//   it is repeated (scene-threshold). Such a caption waits for the next pictures. In a file without a tee, or
//   with a queue of two intervals beside gencaption, these pictures come. With a shorter queue they do not:
//   the picture waits for its caption, and the caption for a picture. So after a second in which neither the
//   input nor the output moves, the schedule uses what was seen: the question has these stills, and the part
//   of the caption whose time is known is sent. From then on parts of half a second or more are sent without
//   waiting, so that only the first wait is seen (is_starving, open_output, may_be_repeated). Silence that
//   upstream tells waits in the same way for the next picture, because a decoder may hold earlier pictures,
//   whose captions need that time; of it, a second is sent for each second that it waits (is_early).
#include <algorithm>
#include <chrono>
#include <utility>

#include "elements/captioner/caption_schedule.h"
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

constexpr auto kStarves = std::chrono::seconds(1);
constexpr uint64_t kEarlyStep = 1'000'000'000;
constexpr uint64_t kShortestPart = 500'000'000;

}  // namespace

Next<CaptionOutput> CaptionSchedule::next_output(OutletId id, Due due, Instant now) {
  CaptionOutlet *found = outlet(id);
  if (!found) return Stopped{};
  CaptionOutlet &out = *found;
  if (std::exchange(out.is_busy, false)) {
    if (out.is_move) moved_at_ = now;
    if (drains_until_) {
      drains_until_ = now + kStarves;
      changed_ = true;
    }
  }
  if (flow_ != Flow::ok || !out.running) return Stopped{};
  Output output = output_of_items(out, due, now);
  if (!output && live_ && !out.at_end && due && out.timeline.has_begun()) output = overdue(out, *due, now);
  if (!output) return WaitUntil{wakes_at(out, due, now)};
  out.is_busy = true;
  // Otherwise pads would wait for each other.
  out.is_move = out.hole == 0 || !std::holds_alternative<Silence>(*output);
  return *std::move(output);
}

// Empty: nothing can leave now.
CaptionSchedule::Output CaptionSchedule::output_of_items(CaptionOutlet &out, Due due, Instant now) {
  for (;;) {
    if (auto warning = end_gathering(out, now)) return warning;
    if (auto warning = observed_.warning()) return Notice{*std::move(warning), false};
    if (!untold_.empty()) {
      Notice notice{std::move(untold_.front()), false};
      untold_.pop_front();
      return notice;
    }
    const auto promised = std::exchange(out.promised, std::nullopt);
    if (const auto span = out.timeline.silence_until(std::exchange(out.quiet_until, 0)))
      return Silence{*span};
    if (promised)
      if (const auto span = out.timeline.promise_until(*promised)) return Silence{*span};
    if (out.items.empty()) return std::nullopt;
    if (const SlotId first = out.first_slot()) {
      if (auto output = output_of_slot(out, slots_.at(first), due, now)) return output;
      // It may have left without output.
      if (out.first_slot() == first) return std::nullopt;
      continue;
    }
    if (is_early(out)) {
      if (!stands_still(now) || now < out.stepped_at + kStarves) return std::nullopt;
      out.stepped_at = now;
      // No faster than the film is played, because its next picture may be on its way.
      const TimeSpan span = std::get<Silence>(out.items.front()).span;
      const uint64_t end = out.timeline.given() + kEarlyStep;
      out.hole += kEarlyStep;
      if (end < span.end) {
        take_silence(out, {span.start, end});
        continue;
      }
    }
    const StreamItem item = out.items.front();
    leave(out);
    if (const auto *event = std::get_if<StreamEvent>(&item)) return output_of_event(out, *event);
    if (const auto *segment = std::get_if<StreamSegment>(&item)) return output_of_segment(out, *segment);
    take_silence(out, settled(out, std::get<Silence>(item)));
  }
}

std::optional<Instant> CaptionSchedule::wakes_at(const CaptionOutlet &out, Due due, Instant now) const {
  if (live_ && !out.at_end) {
    const uint64_t given = out.timeline.given();
    if (!due || !out.timeline.has_begun()) return now + kLook;
    if (given <= *due + kSilenceLead) return now + kBlink;
    return now + std::clamp(std::chrono::nanoseconds(given - *due - kSilenceLead), kBlink, kLook);
  }
  if (!may_starve() || !awaits_pictures(out)) return std::nullopt;
  const Instant since = is_early(out) ? std::max(moved_at_, out.stepped_at) : moved_at_;
  // Later than this, only the input can help.
  return since + kStarves > now ? std::optional(since + kStarves) : std::nullopt;
}

// What leaves next depends on the pictures that come.
bool CaptionSchedule::awaits_pictures(const CaptionOutlet &out) const {
  const auto found = slots_.find(out.first_slot());
  if (found == slots_.end()) return is_early(out);
  const CaptionSlot &slot = found->second;
  const bool may_be_repeated = std::any_of(
      slot.parts.begin(), slot.parts.end(),
      [&out](const SlotPart &part) { return part.language == out.language && !part.cues.empty(); });
  return slot.gathers || !slot.end_known || may_be_repeated;
}

Next<Flow> CaptionSchedule::drain(Instant now) {
  texts_follow_ = false;
  end_growing();
  if (!drains_until_) {
    StreamEvent query;
    query.kind = StreamEvent::Kind::drain;
    if (const Flow flow = push_event(query, now); flow != Flow::ok) return flow;
    drains_until_ = now + kStarves;
  }
  const bool holds_frame = makes_still_ || !stills_.empty();
  if (flow_ == Flow::ok && holds_frame) return WaitUntil{};
  if (flow_ == Flow::ok && !live_ && !is_drained() && now < *drains_until_) return WaitUntil{drains_until_};
  drains_until_.reset();
  moved_at_ = now;
  return flow_;
}

bool CaptionSchedule::is_drained() {
  return std::all_of(outlets_.begin(), outlets_.end(), [this](auto &one) {
    CaptionOutlet &out = one.second;
    if (!out.running || out.is_busy) return !out.running;
    return out.items.empty() || awaits_pictures(out);
  });
}

CaptionOutput CaptionSchedule::output_of_event(CaptionOutlet &out, const StreamEvent &event) {
  out.at_end = event.kind == StreamEvent::Kind::eos;
  // The timeline of a new stream starts with its segment.
  if (event.kind == StreamEvent::Kind::stream_start) out.timeline.end();
  return event;
}

CaptionOutput CaptionSchedule::output_of_segment(CaptionOutlet &out, const StreamSegment &segment) {
  out.at_end = false;
  if (segment.continues) {
    out.timeline.go_on(segment.start, segment.backwards, segment.stop);
  } else {
    out.timeline.begin(segment.start, segment.backwards, segment.stop);
  }
  // Lets downstream preroll, without sending any time; and textoverlay forgets what it was promised.
  out.promised = segment.start;
  return segment.event;
}

// Silence from upstream. Live, small pieces wait for the next ones, or for the deadline.
void CaptionSchedule::take_silence(CaptionOutlet &out, TimeSpan span) {
  if (live_ && span.end < out.timeline.given() + kSilenceStep) return;
  out.quiet_until = span.end;
  out.promised = span.end;
}

// Output of the first slot.
CaptionSchedule::Output CaptionSchedule::output_of_slot(CaptionOutlet &out, CaptionSlot &slot, Due due,
                                                        Instant now) {
  SlotPart *part = slot.part_in(out.language);
  if (part && !part->cues.empty()) return next_cue(out, slot, *part, now);
  const bool done = !part || part->done || slot.progress == Progress::done;
  const bool ready = done || !part->sentences.empty();
  // Silence before a caption is sent when the caption is ready; not live, already when its frame has arrived.
  if (!live_ || ready)
    if (const auto span = out.timeline.silence_until(slot.window.start)) return Silence{*span};
  if (!ready) return std::nullopt;
  const bool open = is_open(slot);
  if (!open && !has_end(slot, part, due)) return std::nullopt;
  if (slot.warning) return Notice{*std::exchange(slot.warning, std::nullopt), false};
  if (!part) return open ? open_output(out, slot, part, now) : end_slot(out, slot);
  if (part->warning) return Notice{*std::exchange(part->warning, std::nullopt), false};
  if (slot.error && !std::exchange(part->done, true)) {
    ++stats_.skipped;
    Notice notice{*slot.error, true, std::exchange(slot.error_told, true)};
    if (!open) end_slot(out, slot);
    return notice;
  }
  if (slot.repeats_last && !out.last_text.empty() && part->sentences.empty())
    part->sentences.push_back(out.last_text);
  if (open) return open_output(out, slot, part, now);
  if (!part->sentences.empty()) return speak(out, slot, *part, due, now);
  return done ? end_slot(out, slot) : std::nullopt;
}

// Live, a caption that is still open at its deadline ends after its reading time.
bool CaptionSchedule::has_end(CaptionSlot &slot, const SlotPart *part, Due due) {
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
  if (open_ == slot.id) open_ = 0;
  return true;
}

// Its time was sent as silence; or as another caption, and its deadline has passed.
bool CaptionSchedule::is_late(const CaptionOutlet &out, const CaptionSlot &slot, const SlotPart &part,
                              Due due) const {
  if (!live_ || part.begun) return false;
  return out.timeline.is_missed(slot.window) ||
         (out.timeline.is_taken(slot.window) && due && *due >= slot.window.start);
}

// A caption that waits no longer for its first text.
void CaptionSchedule::observe(CaptionSlot &slot, const SlotPart &part, bool late, Instant now) {
  if (!live_ || part.begun || slot.repeats_last || part.known || std::exchange(slot.observed, true)) return;
  observed_.add(slot.took.value_or(now - slot.came_in_at), late);
}

// Its first sentence while the rest of the answer is on its way, and then the rest.
CaptionSchedule::Output CaptionSchedule::speak(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, Due due,
                                               Instant now) {
  const bool late = is_late(out, slot, part, due);
  observe(slot, part, late, now);
  if (late && settings_.late_policy == LatePolicy::drop) {
    ++stats_.late;
    return end_slot(out, slot);
  }
  const bool done = part.done || slot.progress == Progress::done;
  if (!done || part.sentences.size() > 1) {
    FirstCue first = first_cue(part.sentences.front(), settings_.limits);
    if (const auto span = out.timeline.place_sentence(slot.window, first.text)) {
      part.sentences.front() = std::move(first.rest);
      if (part.sentences.front().empty()) part.sentences.pop_front();
      if (late) ++stats_.late;
      out.last_text = part.begun ? out.last_text + " " + first.text : first.text;
      return spoken(out, slot, part, *span, std::move(first.text), false, now);
    }
    // Live, a window that is too short for several parts goes to what is there when it begins: what comes
    // later would be dropped.
    const bool begins = live_ && settings_.late_policy == LatePolicy::drop && !part.begun && due &&
                        *due + kHorizon > slot.window.start;
    if (!done && !begins) return std::nullopt;
  }
  if (late) ++stats_.late;
  return speak_rest(out, slot, part, now);
}

// Removes the slot from the outlet; not live, the rest of its window becomes silence.
CaptionSchedule::Output CaptionSchedule::end_slot(CaptionOutlet &out, CaptionSlot &slot) {
  SlotPart *part = slot.part_in(out.language);
  if (part) leave_behind(slot, *part);
  // An answer that came too late for its own window is there for the next ones of its picture.
  if (!(part && part->begun) && !slot.repeats_last) out.last_text = part ? part->answer.text : "";
  if (!live_) {
    const uint64_t end = part ? part->shown_until : 0;
    out.quiet_until = std::max(slot.window.end, end);
  }
  leave(out);
  return std::nullopt;
}

// Nobody waits for this part any more. Once that holds for all parts, the request is cancelled.
void CaptionSchedule::leave_behind(CaptionSlot &slot, SlotPart &part) {
  part.done = true;
  part.sentences.clear();
  if (slot.lacking() == 0) drop(slot);
}

// Live: sends the time that is due as silence, even if a caption is still waiting for it.
CaptionSchedule::Output CaptionSchedule::overdue(CaptionOutlet &out, uint64_t due, Instant now) {
  if (out.timeline.given() >= due + kSilenceLead) return std::nullopt;
  uint64_t end = due + kHorizon;
  CaptionSlot *front = find(out.first_slot());
  if (SlotPart *part = front ? front->part_in(out.language) : nullptr) {
    const bool unseen = settings_.late_policy == LatePolicy::drop && is_late(out, *front, *part, due);
    bool overtaken = front->window.end <= due && part->begun;
    for (const StreamItem &item : out.items) {
      const auto *id = std::get_if<SlotId>(&item);
      CaptionSlot *slot = id && *id != front->id ? find(*id) : nullptr;
      const SlotPart *later = slot ? slot->part_in(out.language) : nullptr;
      if (!later || later->sentences.empty()) continue;
      if (slot->window.start <= end) overtaken = true;
      end = std::min(end, slot->window.start);
    }
    if (unseen || overtaken) {
      observe(*front, *part, true, now);
      ++stats_.late;
      end_slot(out, *front);
      if (auto output = output_of_items(out, due, now)) return output;
      return overdue(out, due, now);
    }
  }
  if (const auto span = out.timeline.silence_until(end)) return Silence{*span};
  return std::nullopt;
}

bool CaptionSchedule::stands_still(Instant now) const { return may_starve() && now >= moved_at_ + kStarves; }

bool CaptionSchedule::is_starving(Instant now) {
  const bool starves = stands_still(now);
  has_starved_ = has_starved_ || starves;
  return starves;
}

bool CaptionSchedule::may_show_part(const CaptionOutlet &out, const CaptionSlot &slot, Instant now) {
  const uint64_t start = std::max(out.timeline.given(), slot.window.start);
  return is_starving(now) || (has_starved_ && slot.sure_end() >= start + kShortestPart);
}

// Asks with the stills of a window that were seen, if no more of them come.
CaptionSchedule::Output CaptionSchedule::end_gathering(const CaptionOutlet &out, Instant now) {
  CaptionSlot *slot = find(out.first_slot());
  if (!slot || !slot->gathers || !is_starving(now)) return std::nullopt;
  push_completion(*slot);
  if (std::exchange(look_ahead_warned_, true)) return std::nullopt;
  return Notice{
      {ErrorKind::settings,
       "stills=within needs to see a whole interval before the picture that shows its caption, but "
       "the input stands still, so the request has the stills that were seen. Give the queue beside "
       "gencaption two intervals (max-size-time, with max-size-buffers=0 max-size-bytes=0)."},
      false};
}

// Output of a caption whose end a cut may set: the time that no cut can end any more. `part` may be null.
CaptionSchedule::Output CaptionSchedule::open_output(CaptionOutlet &out, CaptionSlot &slot, SlotPart *part,
                                                     Instant now) {
  if (slot.progress != Progress::done || !may_show_part(out, slot, now)) return std::nullopt;
  if (part && !part->sentences.empty()) return speak_rest(out, slot, *part, now);
  if (const auto span = out.timeline.silence_until(slot.sure_end())) return Silence{*span};
  return std::nullopt;
}

}  // namespace genclip
