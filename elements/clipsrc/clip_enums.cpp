// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Enum types with a description of each value for gst-inspect-1.0.
#include "elements/clipsrc/clip_enums.h"

#include "elements/enum_type.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/generation/clip_status.h"

namespace genclip {

GType switch_get_type() { return enum_type<Switch>("GenclipSwitch", {"Leave it to the model", "On", "Off"}); }

GType api_get_type() {
  return enum_type<Api>("GenclipApi", {"Use the API that the catalog lists for the model",
                                       "v2 model-center tasks", "v1 legacy videos"});
}

GType clip_status_get_type() {
  return enum_type<ClipStatus>(
      "GenclipStatus",
      {"Nothing requested yet", "The request is being submitted", "The task waits in the queue",
       "The clip is being generated", "The clip is being downloaded", "The whole clip is stored", "It failed",
       "Its references are made or published", "It waits for its turn, before the submit"});
}

}  // namespace genclip
