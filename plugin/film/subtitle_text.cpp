// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/subtitle_text.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/markup_text.h"

namespace genclip {
namespace {

int64_t milliseconds_of(std::chrono::nanoseconds time) {
  return std::chrono::round<std::chrono::milliseconds>(time).count();
}

// "00:00:04.960"; hours have two digits or more.
std::string time_text(int64_t ms, char point) {
  const GStringPtr text(g_strdup_printf("%02" G_GINT64_FORMAT ":%02d:%02d%c%03d", gint64{ms / 3'600'000},
                                        static_cast<int>(ms / 60'000 % 60), static_cast<int>(ms / 1000 % 60),
                                        point, static_cast<int>(ms % 1000)));
  return text.get();
}

// A blank line would end the cue.
std::string without_blank_lines(const std::string &text) {
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.find_first_not_of(" \t\r") != line.npos) kept += (kept.empty() ? "" : "\n") + line;
    at = end + 1;
  }
  return kept;
}

// "BEGIN --> END" and the text, for each cue that has both.
template <typename Add>
void for_each_cue(const std::vector<FilmCue> &cues, char point, Add add) {
  for (const FilmCue &cue : cues) {
    const int64_t begin = milliseconds_of(cue.begin), end = milliseconds_of(cue.end);
    const std::string text = without_blank_lines(cue.text);
    if (begin < end && !text.empty()) add(time_text(begin, point) + " --> " + time_text(end, point), text);
  }
}

}  // namespace

std::string vtt_text(const std::vector<FilmCue> &cues, const std::string &timestamp_map) {
  std::string file = "WEBVTT\n" + timestamp_map + (timestamp_map.empty() ? "" : "\n");
  for_each_cue(cues, '.', [&](const std::string &times, const std::string &text) {
    file += "\n" + times + "\n" + markup_of(text) + "\n";
  });
  return file;
}

std::string srt_text(const std::vector<FilmCue> &cues) {
  std::string file;
  size_t number = 0;
  for_each_cue(cues, ',', [&](const std::string &times, const std::string &text) {
    file += (number == 0 ? "" : "\n") + std::to_string(number + 1) + "\n" + times + "\n" + text + "\n";
    ++number;
  });
  return file;
}

}  // namespace genclip
