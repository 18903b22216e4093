// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The folder of an HLS output: its segments, its playlists, and nothing else of what is there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "plugin/output/caption_cues.h"
#include "plugin/output/file_writer.h"

namespace genclip {

struct HlsCaptions {
  std::shared_ptr<const CaptionCues> cues = {};  // Null: no captions.
  // A segment's captions are written when so many segments have followed it: a caption may come that much
  // later than its picture.
  size_t segments_behind = 1;
  uint64_t bits_per_second = 0;  // Of picture and sound.
};

// index.m3u8 lists picture and sound, in the last `playlist_segments` segments; with captions, in so many
// more that as many have captions. With captions, there is a segment of WebVTT for each of its segments,
// captions.m3u8 lists these, and master.m3u8 offers both; it comes with the first of them. A folder that an
// earlier run wrote to is continued: players that wait there see a discontinuity, no new stream; those of
// master.m3u8 lose their captions if only the earlier run had them. What a pipeline did not finish is removed
// before the next one begins; if it has finished nothing, so is what has left the playlist. Playlists are
// replaced atomically, readable for a web server (mode 0644 less the umask).
std::unique_ptr<FileWriter> make_hls_folder(std::string folder, unsigned segment_seconds,
                                            unsigned playlist_segments, HlsCaptions captions);

}  // namespace genclip
