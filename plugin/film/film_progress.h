// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How far the captioning of a film is.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/error.h"
#include "plugin/film/film_cue.h"

namespace genclip {

inline constexpr char kNoPictureInIt[] = "There is no picture in it.";

// As gencaption announces it.
struct FilmEstimate {
  uint64_t windows = 0;
  uint64_t requests = 0;  // At most; what the store has is not asked again.
  uint64_t tokens = 0;    // 0: unknown.

  friend bool operator==(const FilmEstimate &, const FilmEstimate &) = default;
};

struct FilmProgress {
  std::chrono::nanoseconds done{};                 // All captions before it have left gencaption.
  std::optional<std::chrono::nanoseconds> length;  // Of the film, if it is known.
  std::optional<FilmEstimate> estimate;
  bool has_unkept = false;  // An answer of these is shown that the store does not keep.
  // Of gencaption's `stats`.
  uint64_t requests = 0;
  uint64_t cached = 0;
  uint64_t captions = 0;
  uint64_t skipped = 0;
  uint64_t unasked = 0;  // Of these.
  uint64_t tokens = 0;
  uint64_t most_tokens = 0;
  uint64_t in_flight = 0;

  friend bool operator==(const FilmProgress &, const FilmProgress &) = default;
};

struct FilmEnd {
  enum class How {
    whole,
    // A budget is used up, or the gateway asks to wait or cannot be reached: another run can do the rest.
    paused,
    failed,
    stopped,  // The user stopped it.
  };
  How how = How::failed;
  Error error = {};  // Of `paused` and `failed`.
  FilmProgress progress = {};
  std::vector<FilmTrack> tracks = {};  // Of `whole`.
  std::string timestamp_map = {};      // Of the file that is translated, see Subtitles.
};

// Called on the thread that runs the film.
class FilmListener {
 public:
  virtual ~FilmListener() = default;
  // Something has changed, or a second has passed.
  virtual void on_progress(const FilmProgress &progress) = 0;
  virtual void on_warning(const std::string &text) = 0;
  // What a task costs that was submitted for a film that is a clip; the last number holds.
  virtual void on_cost(const std::string &task_id, double credits) = 0;
  // How often the user has asked to stop. 1: paid answers that are on their way are waited for, for some
  // seconds. 2: end at once. Asked whenever the main context wakes.
  virtual unsigned stops() const = 0;
  // The first stop waits for so many answers, for at most `patience`.
  virtual void on_waiting(uint64_t answers, std::chrono::seconds patience) = 0;
};

}  // namespace genclip
