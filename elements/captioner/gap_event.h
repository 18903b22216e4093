// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The event that announces a span without captions.
#pragma once

#include <gst/gst.h>

#include <cstdint>

#include "plugin/base/gref.h"

namespace genclip {

// Flagged as missing data: since GStreamer 1.26, matroskamux writes other GAPs as empty subtitles.
inline GRef<GstEvent> gap_event(uint64_t start, uint64_t length) {
  GstEvent *event = gst_event_new_gap(start, length);
  gst_event_set_gap_flags(event, GST_GAP_FLAG_MISSING_DATA);
  return GRef<GstEvent>::adopt(event);
}

}  // namespace genclip
