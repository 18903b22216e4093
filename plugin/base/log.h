// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GStreamer's debug log, as every folder of genclip uses it.
//
// A plugin makes its categories in its init function. The folders under plugin/ are linked into the command
// and into tests as well, which have no such function. So a category is a function that makes it at its first
// use, in whichever program and on whichever thread that is:
//
//   GstDebugCategory *store_category() {
//     static GstDebugCategory *const category = new_log_category("genclip-store", "Clip store");
//     return category;
//   }
//
//   GST_CAT_INFO(store_category(), "%s: removed", path.c_str());
//
// Each line names its category: the files of a target may be compiled as one, where two GST_CAT_DEFAULT would
// meet. What belongs on which level is in docs/reading-the-log.md.
#pragma once

#include <gst/gst.h>

#include <string>

#include "plugin/base/error.h"

namespace genclip {

// $GST_DEBUG, patterns included, applies to the category even if it is made late. `name` and `description`
// must be literals. GStreamer need not be initialised.
GstDebugCategory *new_log_category(const char *name, const char *description);

// The error in one line: its text, then its other details in brackets: "… [task t-1; HTTP 503; …]".
std::string log_text(const Error &error);

}  // namespace genclip
