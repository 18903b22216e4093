// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/run_enums.h"

#include "elements/enum_type.h"
#include "plugin/generation/run_settings.h"
#include "plugin/publish/publish_settings.h"
#include "plugin/task/media_verdict.h"

namespace genclip {

GType media_check_get_type() {
  return enum_type<MediaCheck>("GenclipMediaCheck",
                               {"Do not check", "Size and type, as reported by their servers",
                                "Also duration, frame size and frame rate, from their content"});
}

GType publish_check_get_type() {
  return enum_type<PublishCheck>("GenclipPublishCheck",
                                 {"Do not check; for hosts that cannot reach their own public address",
                                  "Ask each published URL for its size"});
}

GType reference_identity_get_type() {
  return enum_type<ReferenceIdentity>(
      "GenclipReferenceIdentity",
      {"A reference is its URL", "A reference is its content, which is read first"});
}

}  // namespace genclip
