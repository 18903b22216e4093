// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads SubRip and WebVTT. Pure.
//
// GStreamer's subparse leaves out cues that overlap or are not in order, so it cannot be used where no cue
// may be lost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/film/film_cue.h"

namespace genclip {

struct Subtitles {
  std::vector<FilmCue> cues;
  // The encoding that is assumed, because the file is not in Unicode and says nothing; empty: none is.
  std::string assumed_encoding;
  // The line of a WebVTT file's head that sets its times at those of an HLS stream: "X-TIMESTAMP-MAP=…";
  // empty: it has none.
  std::string timestamp_map;
};

// What to tell of an assumed encoding before anything is paid.
std::string text_of_assumed_encoding(const std::string &encoding);

// The cues in order of their beginnings; those that begin together, in the order of the file. Their texts are
// plain: no tags, no entities, no blank lines. Cues without a text are left out. The error names the lines of
// cues that cannot be read, or that end before they could be seen.
Result<Subtitles> read_subtitles(std::string_view bytes);

// The text of a cue as it is shown: "Tom & Jerry" of "<i>Tom &amp; Jerry</i>".
std::string plain_cue_text(std::string_view text, bool is_vtt);

}  // namespace genclip
