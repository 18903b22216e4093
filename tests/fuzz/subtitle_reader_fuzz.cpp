// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as a file of subtitles: cues in order with a time and a text of valid lines, or a problem. What
// is read is written, and read again as the same cues.
#include <glib.h>

#include "plugin/film/subtitle_reader.h"
#include "plugin/film/subtitle_text.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(subtitle_reader)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const auto read = read_subtitles(as_text(data, size));
  if (!read) {
    hold(!read.error().text.empty());
    return 0;
  }
  const auto &cues = read->cues;
  std::chrono::nanoseconds last{};
  for (const FilmCue &cue : cues) {
    hold(cue.begin >= last && cue.end > cue.begin && !cue.text.empty());
    hold(g_utf8_validate_len(cue.text.data(), cue.text.size(), nullptr));
    hold(cue.text.find("\n\n") == cue.text.npos && cue.text.find('\r') == cue.text.npos);
    last = cue.begin;
  }
  const auto again = read_subtitles(vtt_text(cues));
  hold(again && again->cues.size() == cues.size());
  return 0;
}
