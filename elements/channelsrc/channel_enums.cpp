// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Enum types with a description of each value for gst-inspect-1.0.
#include "elements/channelsrc/channel_enums.h"

#include "elements/channelsrc/playout_settings.h"
#include "elements/enum_type.h"
#include "plugin/channel/preparer.h"
#include "plugin/channel/schedule.h"

namespace genclip {

GType fallback_get_type() {
  return enum_type<Fallback>(
      "GenclipFallback",
      {"The rundown's fallbacks, then clips that aired earlier, then the slate", "The slate alone"});
}

GType fit_get_type() {
  return enum_type<Fit>("GenclipFit",
                        {"All of it, with bars", "Without bars; the edges are cut off", "Stretched to fill"});
}

GType corner_get_type() {
  return enum_type<Corner>("GenclipCorner", {"Top left", "Top right", "Bottom left", "Bottom right"});
}

GType on_unknown_get_type() {
  return enum_type<OnUnknown>("GenclipOnUnknown",
                              {"Pass it over, because it may have been paid for", "Submit it again"});
}

}  // namespace genclip
