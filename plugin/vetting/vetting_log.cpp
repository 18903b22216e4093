// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/vetting/vetting_log.h"

namespace genclip {

GstDebugCategory *vetting_category() {
  static GstDebugCategory *const category =
      new_log_category("genclip-vetting", "Media that are looked at before they are shown");
  return category;
}

}  // namespace genclip
