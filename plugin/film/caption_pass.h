// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The first pass over a film: decodes its picture, and collects the captions.
//
// Captions come late and in order, and muxers wait for them; an encoded film of minutes would wait with them
// in queues. So a copy of the film is made in a second pass (film_copy.h), which has all captions from the
// start, and waits for nothing.
#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/film/film_progress.h"
#include "plugin/film/film_source.h"

namespace genclip {

struct PassSource {
  std::string uri;
  bool is_text = false;  // Subtitles, which are rewritten.
  // Of each a track, from gencaption's pad for that language; none: the track of its always pad.
  std::vector<std::string> languages = {};
  SourceSettings settings = {};
};

// Whether a gencaption with these settings starts, which reads and asks nothing. Tells the warnings of that
// start: some come only with the first one in a process.
Result<void> try_settings(const GRef<GstElement> &gencaption, FilmListener &listener);

// Runs the default main context until the film is over. `gencaption`: in no bin, and used for nothing else.
FilmEnd run_caption_pass(const PassSource &source, const GRef<GstElement> &gencaption,
                         FilmListener &listener);

}  // namespace genclip
