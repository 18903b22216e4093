// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A film that is a genclip:// URI: it comes from the same store and account as its captions, and costs
// credits.
#pragma once

#include <gst/gst.h>

#include <string>
#include <utility>
#include <vector>

#include "plugin/film/film_progress.h"

namespace genclip {

// Properties of genclipsrc, and their values.
using SourceSettings = std::vector<std::pair<std::string, std::string>>;

// Whether a message's source is what generates a clip.
bool is_clip_source(GstObject *source);

// Tells the listener what the clip of a film costs, if this message says so and this run has submitted it.
void tell_cost(GstMessage *message, FilmListener &listener);

// For a uridecodebin or a urisourcebin: what it reads from gets these settings, if it is a genclipsrc.
// Borrows them, which must outlive the element.
void set_up_source(GstElement *bin, const SourceSettings &settings);

}  // namespace genclip
