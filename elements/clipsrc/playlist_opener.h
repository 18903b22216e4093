// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Who has made an element of a URI.
#pragma once

#include <gst/gst.h>

namespace genclip {

// Whether a playlist named the URI (HLS, DASH, Smooth Streaming): a segment, a key or a further playlist.
// Known once the element has its place, before its change to PAUSED.
bool is_opened_by_playlist(GstElement *element);

}  // namespace genclip
