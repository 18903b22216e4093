// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a channel's picture and sound are like, whatever is on the air.
#pragma once

#include <gst/gst.h>

#include <string>

#include "plugin/base/gref.h"
#include "plugin/base/words.h"
#include "plugin/http/media_source.h"

namespace genclip {

// How a clip of another shape is shown.
enum class Fit { pad, crop, stretch };
template <>
inline constexpr Word<Fit> kWords<Fit>[] = {
    {Fit::pad, "pad"}, {Fit::crop, "crop"}, {Fit::stretch, "stretch"}};

enum class Corner { top_left, top_right, bottom_left, bottom_right };
template <>
inline constexpr Word<Corner> kWords<Corner>[] = {{Corner::top_left, "top-left"},
                                                  {Corner::top_right, "top-right"},
                                                  {Corner::bottom_left, "bottom-left"},
                                                  {Corner::bottom_right, "bottom-right"}};

struct PlayoutSettings {
  GRef<GstCaps> video_caps;  // Fixed, raw, in system memory, with a frame rate.
  GRef<GstCaps> audio_caps;  // Fixed, raw, interleaved.
  Fit fit = Fit::pad;
  std::string slate;  // Path or URI of a PNG, a JPEG or a clip; empty: the built-in card.
  std::string logo;   // Path; empty: none.
  Corner logo_position = Corner::top_right;
  unsigned latency_ms = 500;
  double loudness = -23;    // LUFS, 0: off.
  double true_peak = -1;    // dBTP.
  MediaAccess access = {};  // Of what is at http(s) URLs.
};

}  // namespace genclip
