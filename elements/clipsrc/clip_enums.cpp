// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Enum types with a sentence for each value, as gst-inspect-1.0 shows them.
#include "elements/clipsrc/clip_enums.h"

#include "elements/enum_type.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/generation/clip_status.h"
#include "plugin/task/media_verdict.h"

namespace genclip {

GType switch_get_type() { return enum_type<Switch>("GenclipSwitch", {"Leave it to the model", "On", "Off"}); }

GType api_get_type() {
  return enum_type<Api>("GenclipApi",
                        {"As the catalog says for the model", "v2 model-center tasks", "v1 legacy videos"});
}

GType media_check_get_type() {
  return enum_type<MediaCheck>("GenclipMediaCheck",
                               {"Not at all", "Size and type, as their servers tell",
                                "Also duration, frame size and frame rate, by their content"});
}

GType clip_status_get_type() {
  return enum_type<ClipStatus>(
      "GenclipStatus",
      {"Nothing asked for yet", "The request is on its way", "The task waits its turn",
       "The clip is generated", "The clip is downloaded", "The clip is stored, whole", "It failed"});
}

}  // namespace genclip
