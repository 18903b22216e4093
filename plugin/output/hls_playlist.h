// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The playlist of a live HLS output as a value: what it lists, its text, and the continuation of an older
// one.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/result.h"

namespace genclip {

struct HlsSegment {
  // Of the file's name; grows with every segment, with gaps where one was not finished.
  uint64_t number = 0;
  double seconds = 0;
  // When its first frame was shown.
  std::chrono::system_clock::time_point begin = {};
  // Its timestamps do not follow those of the segment before.
  bool discontinuity = false;
};

// RFC 8216, version 3. Not thread-safe.
class HlsPlaylist {
 public:
  // `segments`: how many it lists at most. The target duration never changes while segments keep to it, as
  // players demand.
  HlsPlaylist(unsigned target_seconds, unsigned segments)
      : target_seconds_(target_seconds), limit_(segments) {}

  // Continues a playlist that text() once wrote: its segments stay listed, its numbers go on, and the next
  // segment is a discontinuity. ErrorKind::settings for anything else.
  Result<void> resume(std::string_view text);

  // The next segment comes from a new muxer.
  void break_timeline() { broken_ = true; }
  // `numbers`: of the files that are there, in any order. The last ones that resume() has not listed are kept
  // as if they had left it just now.
  void keep(std::vector<uint64_t> numbers);
  // The oldest leave when there are too many.
  void add(HlsSegment segment);
  // The stream is over; no player asks again.
  void finish() { finished_ = true; }

  std::string text() const;
  // The same for the files with captions of its segments, of which the last `behind` are not written yet. An
  // empty playlist may come out.
  std::string captions_text(size_t behind) const;
  const std::deque<HlsSegment> &segments() const { return segments_; }

  // The lowest number that no segment has had.
  uint64_t next_number() const { return segments_.empty() ? 0 : segments_.back().number + 1; }
  // Files below it are needed by nobody: a player may still read as many segments as the playlist has that
  // have already left it.
  uint64_t oldest_kept() const { return kept_.empty() ? 0 : kept_.front(); }

 private:
  std::string text_of(size_t count, std::string_view suffix) const;

  unsigned target_seconds_;
  unsigned limit_;
  uint64_t media_sequence_ = 0;
  uint64_t discontinuity_sequence_ = 0;
  bool broken_ = false;
  bool finished_ = false;
  std::deque<HlsSegment> segments_;
  std::deque<uint64_t> kept_;  // Numbers of the segments that left it lately, and of those in it.
};

inline constexpr std::string_view kPictureSuffix = ".ts";
inline constexpr std::string_view kCaptionSuffix = ".vtt";

// "segment-00000012.ts", and back; nothing for any other name.
std::string segment_name(uint64_t number, std::string_view suffix = kPictureSuffix);
std::optional<uint64_t> segment_number(std::string_view name, std::string_view suffix = kPictureSuffix);

}  // namespace genclip
