// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclipsrc as GStreamer sees it.
#pragma once

#include <gst/base/gstbasesrc.h>

namespace genclip {

GType genclip_src_get_type();

// Registers the element, rank PRIMARY for genclip:// URIs.
bool register_clip_src(GstPlugin *plugin);

}  // namespace genclip
