// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What each kind of output is made of: a table, and the properties that come from the command line.
#pragma once

#include <gst/gst.h>

#include <string>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/output/output_spec.h"
#include "plugin/output/outputs.h"

namespace genclip {

// Whether it takes raw pictures and sounds instead of encoded ones.
bool takes_raw(OutputKind kind);
// Whether it ends in a splitmuxsink, "mux", which asks for the names of files.
bool writes_files(OutputKind kind);

// A file of an HLS output is cut before the group of pictures with which it would last longer: so its length,
// rounded, is never more than `seconds`, the target duration, which must not change; nor is that of the last
// file, which may end amid a group. Above `seconds`, so that a frame rate without whole seconds cuts at the
// same group.
GstClockTime longest_segment(unsigned seconds);

// An error when an element that this kind needs is not installed. It names the option.
Result<void> check_installed(const OutputSpec &spec, const OutputSettings &settings);

// A pipeline in state NULL, with two appsrc, "video" and "audio". `parser`: of the encoded video; not used
// for raw.
Result<GRef<GstElement>> make_pipeline(const OutputSpec &spec, const OutputSettings &settings,
                                       const std::string &parser);

}  // namespace genclip
