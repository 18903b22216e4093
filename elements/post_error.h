// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An Error as the message that users of GStreamer expect.
#pragma once

#include <gst/gst.h>

#include "plugin/base/error.h"

namespace genclip {

// Posts one ERROR message in the domain and code of `error.kind`, with `task-id` (string), `http-status`
// (uint) and `service-message` (string) in its details where they are known. Call it without any lock.
// Never posts ErrorKind::cancelled. Also logs the error in `category`, because GStreamer logs messages only
// in its own categories.
void post_error(GstElement *element, GstDebugCategory *category, const Error &error);

// The same as a WARNING message.
void post_warning(GstElement *element, GstDebugCategory *category, const Error &error);

}  // namespace genclip
