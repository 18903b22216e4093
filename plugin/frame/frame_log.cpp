// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/frame/frame_log.h"

namespace genclip {

GstDebugCategory *frame_category() {
  static GstDebugCategory *const category = new_log_category("genclip-frame", "Pictures taken out of clips");
  return category;
}

}  // namespace genclip
