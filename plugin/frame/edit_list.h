// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Finds out whether an MP4 or QuickTime file says which part of its video is displayed.
//
// GStreamer's demuxer takes a missing edit list for one that ends with the sum of the frames' durations.
// Frames in another order than that of decoding begin later, by a frame or two, so the demuxer would hide the
// last frames.
#pragma once

namespace genclip {

// Whether the first video track has an edit list; true when that cannot be determined. Any file is safe.
bool has_edit_list(int descriptor);

}  // namespace genclip
