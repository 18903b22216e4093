// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decodes a file until the wanted frame is certain.
#pragma once

#include <gio/gio.h>

#include <chrono>

#include "plugin/base/result.h"
#include "plugin/frame/frame.h"
#include "plugin/frame/frame_png.h"
#include "plugin/frame/media_file.h"

namespace genclip {

// Errors as frame_at().
Result<RawFrame> decode_frame(const MediaFile &file, FramePosition position, const FrameLimits &limits,
                              GCancellable *cancellable);

}  // namespace genclip
