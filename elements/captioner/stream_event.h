// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GStreamer's events, as the schedule of captions sees them.
#pragma once

#include <gst/gst.h>

#include <string>
#include <utility>

#include "elements/captioner/caption_schedule.h"
#include "plugin/base/gref.h"

namespace genclip {

inline StreamEvent stream_event(GRef<GstEvent> event) {
  using Kind = StreamEvent::Kind;
  StreamEvent made;
  const GstEventType type = GST_EVENT_TYPE(event.get());
  made.kind = type == GST_EVENT_STREAM_START   ? Kind::stream_start
              : type == GST_EVENT_SEGMENT      ? Kind::segment
              : type == GST_EVENT_SEGMENT_DONE ? Kind::segment_done
              : type == GST_EVENT_EOS          ? Kind::eos
                                               : Kind::other;
  made.is_sticky = static_cast<unsigned>(type) & GST_EVENT_TYPE_STICKY;
  made.name = GST_EVENT_TYPE_NAME(event.get());
  // As pads have it: of the events of a kind that may be there several times, those of another name stay. The
  // name of a TAG is that of its scope.
  const GstStructure *structure = gst_event_get_structure(event.get());
  if (structure && static_cast<unsigned>(type) & GST_EVENT_TYPE_STICKY_MULTI)
    made.name += std::string(" ") + gst_structure_get_name(structure);
  made.event = {event.release(), [](GstEvent *raw) { gst_event_unref(raw); }};
  return made;
}

inline GRef<GstEvent> event_in(const StreamEvent &event) { return GRef<GstEvent>::share(event.event.get()); }

// The schedule has the values of GstFlowReturn.
constexpr GstFlowReturn flow_return(Flow flow) { return static_cast<GstFlowReturn>(flow); }

}  // namespace genclip
