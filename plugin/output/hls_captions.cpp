// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/hls_captions.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/markup_text.h"

namespace genclip {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// mpegtsmux begins an hour after 0, so that it can write times from before its first picture.
constexpr std::chrono::hours kMuxerBegin{1};
constexpr uint64_t kTicksPerMs = 90;
constexpr uint64_t kTimestampRange = uint64_t{1} << 33;

// "00:00:04.960"; hours have two digits or more.
std::string cue_time(milliseconds time) {
  const int64_t ms = std::max<int64_t>(0, time.count());
  const GStringPtr text(g_strdup_printf("%02" G_GINT64_FORMAT ":%02d:%02d.%03d", gint64{ms / 3'600'000},
                                        static_cast<int>(ms / 60'000 % 60), static_cast<int>(ms / 1000 % 60),
                                        static_cast<int>(ms % 1000)));
  return text.get();
}

}  // namespace

uint64_t muxed_timestamp(std::chrono::nanoseconds time) {
  const auto ms = duration_cast<milliseconds>(time + kMuxerBegin).count();
  return static_cast<uint64_t>(ms) * kTicksPerMs % kTimestampRange;
}

std::string caption_segment_text(const std::vector<CaptionCue> &cues, const CaptionSegmentPlace &place) {
  std::string text = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:" + std::to_string(muxed_timestamp(place.begin)) +
                     ",LOCAL:" + cue_time(duration_cast<milliseconds>(place.begin)) + "\n";
  for (const auto &cue : cues)
    text += "\n" + cue_time(duration_cast<milliseconds>(cue.begin + place.to_muxer)) + " --> " +
            cue_time(duration_cast<milliseconds>(cue.end + place.to_muxer)) + "\n" + markup_of(cue.text) +
            "\n";
  return text;
}

std::string multivariant_text(std::string_view picture_playlist, std::string_view caption_playlist,
                              uint64_t bits_per_second, const std::string &picture_codec,
                              size_t players_behind_s) {
  std::string text = "#EXTM3U\n#EXT-X-VERSION:4\n";
  if (players_behind_s > 0) text += "#EXT-X-START:TIME-OFFSET=-" + std::to_string(players_behind_s) + "\n";
  if (!caption_playlist.empty())
    text +=
        "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"captions\",NAME=\"Captions\",DEFAULT=YES,AUTOSELECT=YES,URI="
        "\"" +
        std::string(caption_playlist) + "\"\n";
  text += "#EXT-X-STREAM-INF:BANDWIDTH=" + std::to_string(bits_per_second);
  if (!picture_codec.empty()) text += ",CODECS=\"" + picture_codec + ",mp4a.40.2\"";
  if (!caption_playlist.empty()) text += ",SUBTITLES=\"captions\"";
  return text + "\n" + std::string(picture_playlist) + "\n";
}

}  // namespace genclip
