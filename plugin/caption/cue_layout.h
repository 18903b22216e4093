// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lays out a text as cues that people can read: short lines, few of them, slow enough.
//
// Lines and cues break between words, preferably where a sentence or phrase ends. The lines of a cue are
// about equally long. If a text needs more lines than a cue has, it becomes several cues, which share its
// time by their length. If the time is too short to read everything, the text ends earlier, at a sentence or
// phrase, unless all of it is wanted. All limits hold, with one exception: a word that is longer than a line
// has a line of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/caption/cue_limits.h"

namespace genclip {

// Times in nanoseconds, from the start of the text's own time.
struct LaidCue {
  std::string text;
  uint64_t start = 0;
  uint64_t end = 0;
};

struct CueLayout {
  std::vector<LaidCue> cues;  // fill the duration; empty if not even one word can be read in it
  std::string left_out;       // the end of the text for which there was no time
  bool is_hurried = false;    // they are shorter than people need to read them
};

// The cues of a text of caption_text() that is shown for `duration`.
CueLayout lay_out_cues(std::string_view text, const CueLimits &limits, uint64_t duration);

// The same for a text of which nothing may be missing, such as a line of a film. If its time is too short, it
// is read faster; if even half a second for each cue is more than there is, all its lines are one cue.
CueLayout lay_out_whole(std::string_view text, const CueLimits &limits, uint64_t duration);

struct FirstCue {
  std::string text;
  std::string rest;  // of the text, for the cues that follow
};

// The first of the cues, however long the text is shown.
FirstCue first_cue(std::string_view text, const CueLimits &limits);

// How long people need for the cues of a text: at least one second for each.
uint64_t reading_time(std::string_view text, const CueLimits &limits);

}  // namespace genclip
