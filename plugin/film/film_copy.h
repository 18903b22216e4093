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
#include "plugin/film/film_source.h"

namespace genclip {

// Why a film is refused whose edit list shows several parts of it. (To copy these, ffmpeg would mix up the
// times of pictures that are not in the order of decoding.)
inline constexpr char kPartsLost[] =
    "Its edit list shows several parts of it, of which GStreamer loses pictures; encode the film anew, and "
    "caption that: ffmpeg -i FILM COPY.mkv";

struct CopyOrder {
  std::string uri;
  FilmFormat format = FilmFormat::mkv;
  std::string path;  // Of the part of a FilmPlace.
  // Bytes. Streams that a film has stored far from each other wait in memory for each other, at most this
  // much of each.
  unsigned most_queued = 256U << 20;
  // Only tries whether the film can be copied. Ends after its first seconds, unless its end may be lost. Of
  // warnings it tells only those of a clip that is generated for it.
  bool is_trial = false;
  SourceSettings source = {};
};

// Runs the default main context until that is done. Warns of each stream that the format cannot hold. Errors:
// ErrorKind::cancelled once stopped.
Result<void> copy_film(const CopyOrder &order, const std::vector<FilmTrack> &tracks, FilmListener &listener);

}  // namespace genclip
