// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The genclip:// URIs in a text that people or shells read.
#pragma once

#include <string_view>
#include <vector>

#include "plugin/command/found_clips.h"

namespace genclip {

// The text begins with genclip:// and the first character of a model. As in all URIs, the case of the scheme
// does not matter.
bool begins_with_clip(std::string_view text);

struct TextRules {
  bool has_lines = true;   // A line that is a URI is taken whole, and one that begins with # is a comment.
  bool is_script = false;  // In which ; and & end a word without quotes.
  bool has_keys = false;   // As in an INI file: a line that is name=URI counts as one that is a URI.
  // Characters at the end of a URI without quotes that belong to the sentence or to the list around it.
  std::string_view trims = ".,;:!";
  // A blank may be one of the URI: what follows it on the line makes it a problem.
  bool may_have_blanks = false;
};

// In lines that end with LF.
// - A URI behind a quote, or behind name= in quotes, ends at that quote, blanks included.
// - Any other ends at a blank, at < > |, at a bracket that it has not opened, or at the quote that the text
//   around it has opened.
// - In a script also at ;, or at & with a blank behind it. Another & is a problem: what follows would be a
//   word of its own.
// - A backslash escapes the character behind it, and joins lines.
// A variable of a shell in the URI, or a URI that a program puts together of several pieces, is a problem.
std::vector<FoundClip> clips_in_text(std::string_view text, const TextRules &rules);

}  // namespace genclip
