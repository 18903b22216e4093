// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Pictures with an alpha channel, as they are seen over black. GStreamer's converters drop the channel, and
// show the colour of what nobody was to see.
#pragma once

#include <gst/gst.h>

namespace genclip {

// Of raw video. False if the format is not known.
bool has_alpha(const GstCaps *video);

// What passes the pad, in ARGB, is opaque behind it.
void lay_over_black(GstPad *pad);

}  // namespace genclip
