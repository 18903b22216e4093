// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Makes a small picture of a video file or a picture, for people who look for a clip.
#pragma once

#include <gio/gio.h>

#include <string>

#include "plugin/frame/frame.h"

namespace genclip {

// A JPEG, upright, whose longer side has `max_side` pixels at most: the picture that a second of the file
// shows, because many clips begin dark; of a shorter one, the first. Errors as frame_at(). Blocks; any file
// is safe. Needs gst_init.
Result<std::string> thumbnail_of(const std::string &path, unsigned max_side, const FrameLimits &limits = {},
                                 GCancellable *cancellable = nullptr);

}  // namespace genclip
