// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The second pass over a film: copies its streams as they are into a Matroska or MP4 file, with its captions
// as tracks. Nothing is decoded.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/film/film_outputs.h"
#include "plugin/film/film_progress.h"

namespace genclip {

struct CopyOrder {
  std::string uri;
  FilmFormat format = FilmFormat::mkv;
  std::string
      path;  // Written under another name first ("PATH.part"), and renamed once it is whole and synced.
  // Bytes. Streams that a film has stored far from each other wait in memory for each other, at most this
  // much of each.
  unsigned most_queued = 256U << 20;
  // Only tries whether the film can be copied: ends after its first seconds, and leaves no file.
  bool is_trial = false;
};

// Runs the default main context until that is done. Warns of each stream that the format cannot hold. Errors:
// ErrorKind::cancelled once stopped; busy while another process writes the same file.
Result<void> copy_film(const CopyOrder &order, const std::vector<FilmTrack> &tracks, FilmListener &listener);

}  // namespace genclip
