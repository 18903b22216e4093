// SPDX-License-Identifier: LGPL-2.1-or-later
//
// gencaption: turns video frames into captions, or text into rewritten text.
#pragma once

#include <gst/gst.h>

namespace genclip {

GType gen_caption_get_type();

// Registers the element, rank NONE.
bool register_captioner(GstPlugin *plugin);

}  // namespace genclip
