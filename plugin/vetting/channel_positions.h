// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Sound whose channels have no positions. qtdemux gives none to the PCM of a MOV file, and audioconvert mixes
// only channels whose positions it knows.
#pragma once

#include <gst/gst.h>

namespace genclip {

// What passes the pad, raw sound of 2 to 8 channels without positions, has behind it those that GStreamer
// gives to so many channels, as its other demuxers do. More channels pass as they are.
void give_channel_positions(GstPad *pad);

}  // namespace genclip
