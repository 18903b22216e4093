// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Draws captions into the pictures that go through a textoverlay.
#pragma once

#include <gst/gst.h>

#include <memory>

#include "plugin/output/caption_cues.h"

namespace genclip {

// A piece of launch line: raw pictures in and out.
inline constexpr const char *kCaptionBurner =
    "videoconvert ! textoverlay name=caption_burner valignment=bottom shaded-background=true "
    "wrap-mode=wordchar";

// Gives the overlay `burnt`'s text of the moment, before each picture. The overlay's text pad stays unlinked,
// because it makes pictures wait.
void burn_captions(GstElement *overlay, std::shared_ptr<BurntCaption> burnt);

}  // namespace genclip
