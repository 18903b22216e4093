// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Finds the generated clips that a project, a playlist, a rundown, a script or any other text names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace genclip {

struct FoundClip {
  std::string uri;  // As genclipsrc takes it: without escapes of the file's format, and without a fragment.
  unsigned line = 0;
  std::string problem = {};  // Why it cannot be read for certain; `uri` is empty then.

  friend bool operator==(const FoundClip &, const FoundClip &) = default;
};

// Every genclip:// URI of the text, each one once, in the text's order. Half a URI is a valid request for
// another clip, which would be paid for; so what cannot be read for certain is a problem. The content tells
// the format:
// - XML, such as .xges: an attribute's value or a text that is a URI is taken whole. One that GStreamer has
//   serialized into a structure ends at the quote of its string, and loses its backslashes. The line is that
//   where the element's tag ends.
// - JSON and JSON Lines, such as rundowns: a string that is a URI is taken whole; other strings are texts.
// - Anything else, such as M3U, scripts and lists: see clip_words.h. A line that begins with # is a comment.
// A text that is not UTF-8, or that begins as XML or JSON, mentions a URI and is neither, is a problem.
// A URI that is escaped once more for ges-launch-1.0 is found unescaped. Any bytes are safe. Whether a URI is
// a valid request is for parse_clip_uri().
std::vector<FoundClip> found_clips(std::string_view text);

}  // namespace genclip
