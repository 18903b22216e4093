// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the line that sends an answer as cues that people can read.
#include <algorithm>
#include <utility>

#include "elements/captioner/caption_line.h"
#include "plugin/caption/cue_layout.h"

namespace genclip {

// The last sentence, or all sentences that had no time of their own.
std::optional<LineOutput> CaptionLine::speak_rest(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part) {
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
  CueLayout laid = lay_out_cues(text, settings_.limits, span->end - span->start);
  part.left_out = std::move(laid.left_out);
  if (!part.left_out.empty()) ++stats_.shortened;
  if (laid.cues.empty()) {
    out.timeline = before;
    return leave_unreadable(out, slot, part);
  }
  out.last_text = slot.repeats_last || part.answer.text.empty() ? text : part.answer.text;
  for (LaidCue &cue : laid.cues)
    part.cues.push_back({{span->start + cue.start, span->start + cue.end}, std::move(cue.text)});
  part.is_one_cue = part.cues.size() == 1 && !part.begun;
  if (out.timeline.is_backwards()) std::reverse(part.cues.begin(), part.cues.end());
  if (!part.left_out.empty())
    if (auto warning = warn_once_of_shortening()) return warning;
  return next_cue(out, slot, part);
}

// Live, a warning tells of captions that are missing.
std::optional<LineOutput> CaptionLine::warn_once_of_shortening() {
  if (live_ || std::exchange(shortened_warned_, true)) return std::nullopt;
  return Notice{{ErrorKind::settings,
                 "A caption is longer than people can read in its time, so its end is left out, as will be "
                 "those of further ones. A longer interval, a higher max-cps or a prompt for shorter answers "
                 "helps.",
                 "The messages gencaption-caption have what is left out."},
                false};
}

// Not even the first word can be read in its time.
LineOutput CaptionLine::leave_unreadable(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part) {
  ++stats_.skipped;
  Error unreadable{ErrorKind::settings,
                   "A caption has too little time for even its first word to be read, and is left out.",
                   "The details hold its text."};
  unreadable.service_message = std::move(part.left_out);  // Not in the text, which is logged.
  end_slot(out, slot);
  return Notice{std::move(unreadable), false};
}

// Empty: it waits, or nothing is left of it.
std::optional<LineOutput> CaptionLine::next_cue(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part) {
  if (part.in_parts) return next_part(out, slot, part);
  if (part.is_one_cue && may_be_repeated(out, slot, part)) return std::nullopt;
  return send_cue(out, slot, part);
}

LineOutput CaptionLine::send_cue(CaptionOutlet &out, CaptionSlot &slot, SlotPart &part) {
  CueToSend cue = std::move(part.cues.front());
  part.cues.pop_front();
  const bool is_last = part.cues.empty();
  Spoken made = spoken(out, slot, part, cue.span, std::move(cue.text), is_last);
  if (is_last) {
    made.left_out = std::move(part.left_out);
    end_slot(out, slot);
  } else {
    // The time behind it belongs to the next cue.
    out.promised.reset();
  }
  return made;
}

}  // namespace genclip
