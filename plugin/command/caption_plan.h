// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What genclip caption is to do: the films and their files, before anything is asked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/base/error.h"
#include "plugin/base/result.h"
#include "plugin/base/segment_stretch.h"
#include "plugin/film/film_outputs.h"

namespace genclip {

struct FilmJob {
  std::string word;  // As the user gave it.
  std::string name;  // Short, for the screen.
  std::string uri;
  std::string path;         // Of its file; empty: it is none.
  bool is_text = false;     // A file of subtitles.
  bool is_picture = false;  // A JPEG or a PNG.
  // When its picture is shown, where the index of an MP4 or QuickTime file tells.
  std::optional<Stretch> shown;
  FilmFormat format = FilmFormat::vtt;
  std::vector<FilmOutput> outputs;  // "-": standard output.
  bool has_own_name = false;        // The user has named the output.
  bool replaces = false;            // Outputs that are there.
  bool is_there = false;            // All of them are, and stay as they are.
  std::optional<Error> problem;     // It cannot be captioned; the others can.
};

struct CaptionWish {
  FilmFormat format = FilmFormat::automatic;
  std::vector<std::string> languages;
  std::string output;  // A file, a folder, "-" or nothing.
  bool is_translation = false;
  bool force = false;  // Replace files that are there.
};

// Which of its outputs are there now and stay as they are.
void look_for_outputs(FilmJob &job);

// Whether there is a FIFO, a device or the like, which takes what is written, and is never replaced.
bool is_special(const std::string &path);

// What is said of an output that stays.
std::string stays_text(const FilmOutput &output);
// The same where the film needs nothing more.
std::string skips_text(const FilmOutput &output);

// Looks at the disk. The error is a sentence about the command line as a whole.
Result<std::vector<FilmJob>> plan_films(const std::vector<std::string> &words, const CaptionWish &wish);

}  // namespace genclip
