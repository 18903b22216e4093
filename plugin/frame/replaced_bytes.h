// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lets a demuxer read other bytes than those of the file.
#pragma once

#include <gst/gst.h>

#include <vector>

#include "plugin/frame/movie_index.h"

namespace genclip {

// For a source in pull mode. Borrows the replacements, which must outlive its pipeline.
void replace_bytes(GstElement *source, const std::vector<Replacement> &replacements);

}  // namespace genclip
