// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the schedule that sends an answer as cues that people can read.
#include <algorithm>
#include <utility>

#include "elements/captioner/caption_schedule.h"
#include "plugin/caption/cue_layout.h"

namespace genclip {
namespace {

using Progress = CaptionSlot::Progress;

}  // namespace

Spoken CaptionSchedule::spoken(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, TimeSpan span,
                               std::string text, bool last, Instant now) {
  Spoken made{span, std::move(text), {}, {}, slot.repeats_last || (part.known && !part.cached),
              {},   part.cached};
  part.begun = true;
  out.promised = span.end;
  ++stats_.captions;
  if (last) {
    made.answer = part.answer;
    made.latency = slot.latency;
  } else {
    made.latency = now - slot.asked_at;
  }
  return made;
}

// The last sentence, or all sentences that had no time of their own.
CaptionSchedule::Output CaptionSchedule::speak_rest(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part,
                                                    Instant now) {
  std::string text;
  for (const std::string &sentence : part.sentences) text += (text.empty() ? "" : " ") + sentence;
  part.sentences.clear();
  const CaptionTimeline before = out.timeline;
  const auto span = out.timeline.place(slot.window, text);
  if (!span) {
    ++stats_.skipped;
    end_slot(out, slot);
    if (live_) return std::nullopt;
    Error covered{ErrorKind::settings, "A caption has no time of its own, because another one covers it.",
                  "The details hold its text."};
    covered.service_message = text;  // Not in the text, which is logged.
    return Notice{std::move(covered), false};
  }
  // Its cues take their time one by one.
  part.in_parts = is_open(slot);
  if (part.in_parts) out.timeline = before;
  const auto lay_out = slot.one_piece ? lay_out_whole : lay_out_cues;
  CueLayout laid = lay_out(text, settings_.limits, span->end - span->start);
  const bool is_readable = !laid.cues.empty() && !laid.is_hurried;
  // Not even its first word. What fits into a cue stands as long as its window.
  if (laid.cues.empty()) {
    FirstCue first = first_cue(text, settings_.limits);
    laid = {{{std::move(first.text), 0, span->end - span->start}}, std::move(first.rest)};
  }
  part.left_out = std::move(laid.left_out);
  if (!part.left_out.empty()) ++stats_.shortened;
  out.last_text = slot.repeats_last || part.answer.text.empty() ? text : part.answer.text;
  for (LaidCue &cue : laid.cues)
    part.cues.push_back({{span->start + cue.start, span->start + cue.end}, std::move(cue.text)});
  part.is_one_cue = part.cues.size() == 1 && !part.begun;
  if (out.timeline.is_backwards()) std::reverse(part.cues.begin(), part.cues.end());
  if (!is_readable || !part.left_out.empty())
    if (auto warning = warn_once_of_shortening(is_readable)) return warning;
  return next_cue(out, slot, part, now);
}

// Live, a warning tells of captions that are missing.
CaptionSchedule::Output CaptionSchedule::warn_once_of_shortening(bool is_readable) {
  if (live_ || std::exchange(shortened_warned_, true)) return std::nullopt;
  const std::string what = is_readable ? "A caption is longer than people can read in its time, so its end "
                                         "is left out, as will be those of "
                                         "further ones."
                                       : "A caption has too little time to be read, and stands for as long "
                                         "as its window, as will further ones.";
  return Notice{{ErrorKind::settings,
                 what + " A longer interval, a higher max-cps or a prompt for shorter answers helps.",
                 "The messages gencaption-caption have what is left out."},
                false};
}

// Empty: it waits, or nothing is left of it.
CaptionSchedule::Output CaptionSchedule::next_cue(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part,
                                                  Instant now) {
  if (part.in_parts) return next_part(out, slot, part, now);
  if (part.is_one_cue && may_be_repeated(out, part, now)) return std::nullopt;
  return send_cue(out, slot, part, now);
}

CaptionOutput CaptionSchedule::send_cue(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part, Instant now) {
  CueToSend cue = std::move(part.cues.front());
  part.cues.pop_front();
  const bool is_last = part.cues.empty();
  Spoken made = spoken(out, slot, part, cue.span, std::move(cue.text), is_last, now);
  if (is_last) {
    made.left_out = std::move(part.left_out);
    end_slot(out, slot);
  } else {
    // The time behind it belongs to the next cue.
    out.promised.reset();
  }
  return made;
}

// A cue whose window may still be ended by a cut: the part of it whose time is known.
CaptionSchedule::Output CaptionSchedule::next_part(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part,
                                                   Instant now) {
  CueToSend &cue = part.cues.front();
  const bool open = is_open(slot);
  const uint64_t end = open ? slot.sure_end() : slot.window.end;
  if (end <= cue.span.start) {
    if (!open) part.cues.clear();
    return open ? std::nullopt : end_slot(out, slot);
  }
  if (open && !may_show_part(out, slot, now)) return std::nullopt;
  const TimeSpan shown{cue.span.start, std::min(cue.span.end, end)};
  out.timeline.place(shown, cue.text);
  if (shown.end == cue.span.end || !open) {
    cue.span = shown;
    return send_cue(out, slot, part, now);
  }
  cue.span.start = shown.end;
  const bool first = !part.begun;
  // The counts and the reason go with the first piece: the last one is not known before its end.
  Spoken made = spoken(out, slot, part, shown, cue.text, first, now);
  made.repeated = made.repeated || !first;
  return made;
}

// This run had the answer already, and there is no error or warning about it. An answer from the store does
// not count, because the run that asked for it did not join it either: so both runs have the same cues.
bool CaptionSchedule::repeats(const CaptionSlot &slot, const SlotPart &part, const std::string &text) {
  return part.known && !part.cached && part.answer.text == text && !slot.warning && !slot.error &&
         !part.warning;
}

// Joins the windows that repeat this caption. True: the next one may do so, too.
bool CaptionSchedule::may_be_repeated(CaptionOutlet &out, SlotPart &part, Instant now) {
  if (!settings_.joins_repeats || live_ || out.timeline.is_backwards() || has_starved_) return false;
  TimeSpan &span = part.cues.front().span;
  while (out.items.size() > 1) {
    const auto *id = std::get_if<SlotId>(&out.items[1]);
    CaptionSlot *next = id ? find(*id) : nullptr;
    if (!next || next->window.start != span.end || next->one_piece) return false;
    if (next->progress == Progress::making_stills || is_open(*next)) return !is_starving(now);
    if (!next->repeats_last) {
      const SlotPart *again = next->part_in(out.language);
      // Its answer comes, whatever the input does.
      if (again && !again->done && next->progress != Progress::done) return true;
      if (!again || !repeats(*next, *again, out.last_text)) return false;
    }
    span.end = next->window.end;
    part.shown_until = next->window.end;
    out.timeline.place(span, part.cues.front().text);
    leave(out, 1);
  }
  return !is_starving(now);
}

}  // namespace genclip
