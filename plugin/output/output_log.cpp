// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/output_log.h"

namespace genclip {

GstDebugCategory *output_category() {
  static GstDebugCategory *const category = new_log_category("genclip-output", "Outputs of a channel");
  return category;
}

}  // namespace genclip
