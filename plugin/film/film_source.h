// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lets a film that is a genclip:// URI come from the same store and account as its captions.
#pragma once

#include <gst/gst.h>

#include <string>
#include <utility>
#include <vector>

namespace genclip {

// Properties of genclipsrc, and their values.
using SourceSettings = std::vector<std::pair<std::string, std::string>>;

// For a uridecodebin or a urisourcebin: what it reads from gets these settings, if it is a genclipsrc.
// Borrows them, which must outlive the element.
void set_up_source(GstElement *bin, const SourceSettings &settings);

}  // namespace genclip
