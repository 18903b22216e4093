// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The GObject shell of a PlayoutEngine: a live element with the pads `video` and `audio`, each with a thread.
#pragma once

#include <gst/gst.h>

#include <memory>

#include "elements/channelsrc/playout_engine.h"

namespace genclip {

// A floating reference. The engine lives as long as the element.
GstElement *new_playout_source(std::shared_ptr<PlayoutEngine> engine);

}  // namespace genclip
