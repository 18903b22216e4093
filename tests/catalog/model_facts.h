// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Facts of the service's document about each model, written by hand and independently of models.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace genclip::test {

// Least and most; a field that the model does not have has no items.
struct Items {
  int least = 0;
  int most = -1;
  bool exists() const { return most >= 0; }
};

struct Range {
  int64_t least;
  int64_t most;
};

struct ModelFacts {
  std::string model;
  bool image = false;   // the result is an image
  bool open = false;    // its fields are undocumented, except those below
  bool assets = false;  // asset library supported
  bool legacy = false;  // listed in §1.8 only
  bool both = false;    // listed in §1.8 too

  std::optional<Range> seconds;
  std::vector<int64_t> exact_seconds;  // in place of a range
  int64_t sent_seconds = 0;            // the default of a required duration
  std::vector<std::string> ratios, resolutions, sizes, modes;
  bool no_resolution = false;  // "cannot be specified"
  bool seed = false;
  bool seed_range = false;  // 0 to 2147483647
  bool audio_switch = false;
  bool watermark = false;
  Items images, videos, audios, first, last;

  int prompt_most = 0;          // characters; 0: no limit
  bool prompt_counted = false;  // §2.4: 500 characters with Chinese ones, 1000 words without
  bool prompt_cut = false;      // truncated by the service, so never refused

  bool scenarios = false;  // §2.4: first frame, first/last frame and references do not mix; audio not alone
  bool audio_needs_image = false;
  bool size_or_ratio = false;      // they conflict
  std::vector<std::string> texts;  // further string fields
  bool tools = false;
};

// Every model of §1.7, §1.8 and §2.3.
const std::vector<ModelFacts> &model_facts();

}  // namespace genclip::test
