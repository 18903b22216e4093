// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/frame/frame.h"

#include <utility>

#include "plugin/frame/frame_decoder.h"
#include "plugin/frame/frame_png.h"
#include "plugin/frame/media_file.h"

namespace genclip {

Result<Frame> frame_at(const std::string &path, FramePosition position, const FrameLimits &limits,
                       GCancellable *cancellable) {
  const auto file = MediaFile::open(path);
  if (!file) return file.error();
  const auto raw = decode_frame(*file, position, limits, cancellable);
  if (!raw) return raw.error();
  return frame_png(*raw);
}

}  // namespace genclip
