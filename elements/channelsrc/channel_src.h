// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genchannelsrc as GStreamer sees it.
#pragma once

#include <gst/gst.h>

namespace genclip {

// Registers the element.
bool register_channel_src(GstPlugin *plugin);

}  // namespace genclip
