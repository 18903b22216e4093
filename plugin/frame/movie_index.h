// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the index of an MP4 or QuickTime file says about its video, and how the demuxer is kept from applying
// the edit list.
//
// qtdemux of GStreamer 1.22 compares media time with the displayed duration: it stops at a keyframe which is
// nearer to the end than the edit list shifts the beginning. It also takes a missing edit list for one that
// ends with the sum of the frames' durations, while frames in another order than that of decoding begin
// later. Therefore genclip applies edit lists itself (timeline.h). The demuxer reads an index in which some
// bytes are replaced: there is no edit list, and no duration that ends before the last frame. Thus every
// frame is decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/base/segment_stretch.h"
#include "plugin/frame/box_reader.h"
#include "plugin/frame/timeline.h"

namespace genclip {

// The demuxer reads these bytes instead of those of the file.
struct Replacement {
  uint64_t offset = 0;
  std::string bytes;
};

struct MovieIndex {
  std::vector<Edit> edits;  // Of the first video track. None: it is displayed from beginning to end.
  std::optional<GstClockTime> duration;  // Of all tracks, when displayed.
  // The media times at which its frames begin, in this order; empty when they are in fragments.
  std::vector<GstClockTime> begins;
  std::optional<GstClockTime> media_duration;  // Of its frames together; nothing when they are in fragments.
  bool is_fragmented = false;
  std::vector<Replacement> replacements;

  // When the wanted frame begins. Nothing if that is not known, or if each frame begins after the wanted
  // time.
  std::optional<GstClockTime> begin_of(const WantedFrame &wanted) const;
  // From its first frame on to the end of its last one, when displayed; nothing if an end is not known.
  std::optional<Stretch> shown() const;
  // Whether the edit list displays several parts of the media. Where qtdemux applies it, it loses frames of
  // the later ones.
  bool is_in_parts() const;
};

// Errors as frame_at().
Result<MovieIndex> read_movie_index(const ReadAt &read, uint64_t file_size);

}  // namespace genclip
